/*
 * fatbin.h - the PTX inside a registered fat binary
 */

#ifndef VGPU_FATBIN_H
#define VGPU_FATBIN_H

#include <string>

namespace vgpu
{

struct PtxText {
    std::string text;
    int architecture = 0; /* 75 for compute_75 */
    std::string problem;  /* why there is no text */
};

/* The PTX for the highest architecture up to the given one.  'wrapper' is what
 * nvcc's host code registers. */
PtxText ptx_for(const void *wrapper, int architecture);

} // namespace vgpu

#endif
