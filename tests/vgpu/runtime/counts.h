/*
 * counts.h - how often each kernel was launched
 */

#ifndef VGPU_COUNTS_H
#define VGPU_COUNTS_H

#include <string>

namespace vgpu
{

void count_launch(const std::string &kernel);

/* Appends "COUNT NAME" lines to the file that VGPU_COUNTS names; done at exit
 * too.  Several processes may share the file. */
void write_counts();

} // namespace vgpu

#endif
