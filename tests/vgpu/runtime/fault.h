/*
 * fault.h - what went wrong in a kernel, in words
 */

#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include "device.h"

#include <string>

namespace vgpu
{

struct FaultReport {
    bool happened = false;
    Fault what = Fault::trap;
    std::string text; /* lines, without the kernel's name */
};

/* details: what only the caller knows, a sentence part; may be empty. */
FaultReport describe_fault(const Thread &thread, const Site *site, Fault what,
                           uint64_t address, uint32_t size,
                           const std::string &details);

/* "file:line" and the places it was inlined into, indented. */
std::string describe_site(const Site *site);

std::string describe(const Dimensions &d);

} // namespace vgpu

#endif
