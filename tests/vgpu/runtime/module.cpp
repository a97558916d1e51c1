/*
 * module.cpp - the kernels and variables of one fat binary
 */

#include "module.h"

#include "arena.h"
#include "block.h"
#include "cache.h"
#include "cluster.h"
#include "fatbin.h"
#include "settings.h"
#include "traffic.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <sstream>

namespace vgpu
{

namespace
{

Runtime runtime(int device, const Site *sites)
{
    ArenaView a = arena_view(device);
    bool races = settings().races;
    return Runtime{a.base,
                   a.size,
                   a.bytes,
                   a.valid,
                   sites,
                   runtime_fault,
                   runtime_barrier,
                   runtime_meet,
                   races ? runtime_touch_shared : nullptr,
                   races                ? runtime_touch_global
                   : settings().traffic ? runtime_count_global
                                        : nullptr,
                   runtime_cluster_arrive,
                   runtime_cluster_wait,
                   runtime_map_rank,
                   runtime_peer};
}

/* Of a kernel.  What is found of a race may name those of a module that is
 * gone, so they stay. */
const Site *read_sites(const std::string &path)
{
    static auto &texts = *new std::deque<std::string>;
    auto &sites = *new std::vector<Site>;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        size_t tab = line.find('\t');
        texts.push_back(tab == std::string::npos ? "" : line.substr(tab + 1));
        sites.push_back({texts.back().c_str(), atoi(line.c_str())});
    }
    return sites.data();
}

/* Puts a variable into device memory. */
Variable placed(std::istringstream words, const std::string &data, int device)
{
    std::string space;
    size_t align, size;
    long offset;
    Variable v = {};
    words >> v.name >> space >> align >> size >> offset;
    v.size = size;
    if (space == "shared")
        return v;
    v.address =
        arena_allocate(std::max<size_t>(size, 1), Memory::device, device);
    unsigned char *bytes = v.address ? arena_bytes(v.address, size) : nullptr;
    if (!bytes)
        return v;
    if (offset >= 0)
        memcpy(bytes, data.data() + offset, size);
    else
        memset(bytes, 0, size);
    return v;
}

void read_index(Module &module, const std::string &folder)
{
    std::ifstream index(folder + "/index");
    std::string data = contents(folder + "/data.bin"), line, what;
    Kernel *kernel = nullptr;
    while (std::getline(index, line)) {
        std::istringstream words(line);
        words >> what;
        Range range = {};
        if (what == "variable") {
            std::string rest;
            std::getline(words, rest);
            for (int device = 0; device < most_devices; device++) {
                Variable v = placed(std::istringstream(rest), data, device);
                module.addresses[device].push_back(v.address);
                module.variables[device].push_back(v);
            }
        } else if (what == "kernel") {
            std::string name;
            words >> name;
            kernel = &module.kernels[name];
            kernel->name = name;
            kernel->module = &module;
        } else if (what == "code") {
            words >> kernel->code_file >> kernel->sites_file;
            kernel->code_file = folder + "/" + kernel->code_file;
            kernel->sites_file = folder + "/" + kernel->sites_file;
        } else if (what == "refused") {
            kernel->refused.push_back(line.substr(strlen("refused ")));
        } else if (what == "sizes") {
            words >> kernel->shared_bytes >> kernel->dynamic_offset >>
                kernel->local_bytes >> kernel->max_threads >>
                kernel->max_cluster;
        } else {
            words >> range.offset >> range.size;
            (what == "shared" ? kernel->shared : kernel->parameters)
                .push_back(range);
        }
    }
}

/* nvcc has optimised the code, which is one long function: of -O2's passes,
 * those are left out that take as long again and make it no faster. */
std::vector<std::string> compiler()
{
    std::vector<std::string> command = {"g++",
                                        "-std=c++17",
                                        "-O2",
                                        "-frounding-math",
                                        "-ffp-contract=off",
                                        "-fPIC",
                                        "-shared",
                                        "-w",
                                        "-DVGPU_TRANSLATED",
                                        "-fno-asynchronous-unwind-tables",
                                        "-fno-crossjumping",
                                        "-fno-exceptions",
                                        "-fno-gcse",
                                        "-fno-ipa-cp",
                                        "-fno-ipa-sra",
                                        "-fno-ivopts",
                                        "-fno-peephole2",
                                        "-fno-rerun-cse-after-loop",
                                        "-fno-schedule-insns2",
                                        "-fno-tree-dominator-opts",
                                        "-fno-tree-loop-optimize",
                                        "-fno-tree-pre",
                                        "-fno-tree-pta",
                                        "-fno-tree-slsr",
                                        "-fno-tree-tail-merge",
                                        "-fno-tree-vectorize",
                                        "-fno-tree-vrp"};
    if (__builtin_cpu_supports("fma"))
        command.push_back("-mfma");
    return command;
}

Loading failed(const std::string &why, Loading how)
{
    fprintf(stderr, "vgpu: %s\n", why.c_str());
    return how;
}

} // namespace

size_t Kernel::parameter_bytes() const
{
    return parameters.empty()
               ? 0
               : parameters.back().offset + parameters.back().size;
}

Loading load(Module &module)
{
    if (module.state != Loading::not_yet)
        return module.state;
    PtxText ptx = ptx_for(module.wrapper, settings().newest_ptx);
    module.ptx_architecture = ptx.architecture;
    if (!ptx.problem.empty())
        return module.state = failed(ptx.problem, Loading::no_image);

    std::string key = "ptx-" + hash_of(ptx.text + translator_text());
    std::string problem;
    std::string folder = cached(key, [&](const std::string &into) {
        std::string source = into + "/module.ptx", log = into + "/log";
        std::ofstream(source, std::ios::binary) << ptx.text;
        int status =
            run_program({"python3", "-B", settings().home + "/ptx/translate.py",
                         source, into},
                        log);
        if (status == 0 || !contents(into + "/index").empty())
            return true;
        problem = "the PTX can't be translated:\n" + contents(log);
        return false;
    });
    if (folder.empty())
        return module.state = failed(problem, Loading::bad_ptx);
    read_index(module, folder);
    return module.state = Loading::done;
}

bool load_code(Kernel &kernel)
{
    if (kernel.code)
        return true;
    if (!kernel.refused.empty()) {
        fprintf(stderr, "vgpu: kernel %s can't be run:\n", kernel.name.c_str());
        for (const std::string &reason : kernel.refused)
            fprintf(stderr, "vgpu:   %s\n", reason.c_str());
        return false;
    }
    std::vector<std::string> command = compiler();
    std::string text = contents(kernel.code_file) + translator_text();
    for (const std::string &word : command)
        text += word;

    std::string problem;
    std::string folder =
        cached("code-" + hash_of(text), [&](const std::string &into) {
            std::vector<std::string> all = command;
            all.insert(all.end(), {"-I" + settings().home + "/runtime", "-o",
                                   into + "/kernel.so", kernel.code_file});
            bool good = run_program(all, into + "/log") == 0;
            if (!good)
                problem = contents(into + "/log");
            return good;
        });
    void *library = folder.empty() ? nullptr
                                   : dlopen((folder + "/kernel.so").c_str(),
                                            RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "vgpu: kernel %s can't be compiled:\n%s\n",
                kernel.name.c_str(), problem.c_str());
        return false;
    }
    kernel.bind = reinterpret_cast<void (*)(const Runtime *)>(
        dlsym(library, "vgpu_bind"));
    kernel.sites = read_sites(kernel.sites_file);
    kernel.code = reinterpret_cast<KernelCode>(dlsym(library, "vgpu_kernel"));
    return true;
}

void bind_to(Kernel &kernel, int device)
{
    Runtime seen = runtime(device, kernel.sites);
    kernel.bind(&seen);
}

void unload(Module &module)
{
    for (const auto &addresses : module.addresses)
        for (uint64_t address : addresses)
            if (address)
                arena_free(address);
}

} // namespace vgpu
