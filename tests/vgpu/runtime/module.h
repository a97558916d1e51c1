/*
 * module.h - the kernels and variables of one fat binary
 *
 * Its PTX is translated when the first of them is needed, and a kernel's C++
 * is compiled when that kernel is.
 */

#ifndef VGPU_MODULE_H
#define VGPU_MODULE_H

#include "device.h"
#include "state.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vgpu
{

struct Range {
    size_t offset, size;
};

struct Module;

struct Kernel {
    Module *module = nullptr;
    std::string name, code_file, sites_file;
    std::vector<std::string> refused; /* why it can't be run */
    std::vector<Range> shared, parameters;
    size_t shared_bytes = 0, dynamic_offset = 0, local_bytes = 0;
    unsigned max_threads = 1024, max_cluster = most_in_cluster;
    size_t max_dynamic_shared = 48 << 10; /* cudaFuncSetAttribute raises it */
    KernelCode code = nullptr;
    void (*bind)(const Runtime *) = nullptr;
    const Site *sites = nullptr;

    size_t parameter_bytes() const;
};

struct Variable {
    std::string name;
    uint64_t address; /* 0: in shared memory */
    size_t size;
};

enum class Loading { not_yet, done, no_image, bad_ptx };

struct Module {
    const void *wrapper = nullptr; /* as registered */
    Loading state = Loading::not_yet;
    int ptx_architecture = 0;
    std::map<std::string, Kernel> kernels;

    /* On each device: the variables, and their addresses. */
    std::vector<Variable> variables[most_devices];
    std::vector<uint64_t> addresses[most_devices];
};

/* Says on stderr what went wrong, once. */
Loading load(Module &module);

/* Compiles a kernel of a loaded module if need be; false where it can't be
 * run, and says why. */
bool load_code(Kernel &kernel);

/* Before each launch, as kernels may share their code: lets it see the memory
 * of a device, and where it comes from. */
void bind_to(Kernel &kernel, int device);

void unload(Module &module);

} // namespace vgpu

#endif
