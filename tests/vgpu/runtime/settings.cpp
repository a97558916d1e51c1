/*
 * settings.cpp - the environment variables VGPU_*, read once
 */

#include "settings.h"

#include "errors.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vgpu
{

namespace
{

const char *variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

[[noreturn]] void refuse(const char *name, const char *value, const char *takes)
{
    fprintf(stderr, "vgpu: %s is '%s'; it takes %s\n", name, value, takes);
    exit(2);
}

std::string folder(const char *name)
{
    const char *value = variable(name, "");
    if (!*value)
        refuse(name, value, "a folder; tests/vgpu/run sets it");
    return value;
}

bool is_number(const char *text, long least, long most)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *text && !*end && value >= least && value <= most;
}

bool flag(const char *name, const char *otherwise)
{
    const char *value = variable(name, otherwise);
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        refuse(name, value, "0 or 1");
    return *value == '1';
}

/* 0 or 1 for a word; 2 for a number, which is the seed. */
int word_or_seed(const char *name, const char *first, const char *second,
                 const char *takes, uint64_t *seed)
{
    const char *value = variable(name, first);
    char *end;
    if (strcmp(value, first) == 0)
        return 0;
    if (strcmp(value, second) == 0)
        return 1;
    *seed = strtoull(value, &end, 10);
    if (*end)
        refuse(name, value, takes);
    return 2;
}

Order order(const char *name)
{
    Order order = {};
    order.how = static_cast<decltype(order.how)>(
        word_or_seed(name, "forward", "reverse", "forward, reverse or a number",
                     &order.seed));
    return order;
}

Pace pace(const char *name)
{
    Pace pace = {};
    pace.how = static_cast<decltype(pace.how)>(word_or_seed(
        name, "eager", "lazy", "eager, lazy or a number", &pace.seed));
    return pace;
}

void read_failure(Settings &s)
{
    const char *value = variable("VGPU_FAIL", "0");
    char *end;
    s.fail_call = strtoul(value, &end, 10);
    s.fail_with = cudaErrorLaunchOutOfResources;
    if (*end == ':')
        s.fail_with = error_named(end + 1);
    if ((*end && *end != ':') || s.fail_with == cudaSuccess)
        refuse("VGPU_FAIL", value,
               "a number, or one and an error's name: 3:"
               "cudaErrorMemoryAllocation");
}

Settings read()
{
    Settings s = {};
    const char *sm = variable("VGPU_SM", "90");
    s.architecture = atoi(sm);
    if (s.architecture != 75 && s.architecture != 90)
        refuse("VGPU_SM", sm, "75 or 90");
    const char *ptx = variable("VGPU_PTX", sm);
    s.newest_ptx = atoi(ptx);
    if (s.newest_ptx != 75 && s.newest_ptx != s.architecture)
        refuse("VGPU_PTX", ptx, "75 or VGPU_SM");

    s.threads = order("VGPU_ORDER");
    s.blocks = order("VGPU_BLOCKS");
    s.races = flag("VGPU_RACES", "0");
    s.traffic = flag("VGPU_TRAFFIC", "0");
    if (s.traffic && s.races)
        refuse("VGPU_TRAFFIC", "1", "0 with VGPU_RACES");
    s.streams = pace("VGPU_STREAMS");
    const char *devices = variable("VGPU_DEVICES", "1");
    s.devices = atoi(devices);
    if (s.devices < 1 || s.devices > 2)
        refuse("VGPU_DEVICES", devices, "1 or 2");
    const char *count = variable("VGPU_MULTIPROCESSORS", "");
    if (*count && !is_number(count, 1, 1024))
        refuse("VGPU_MULTIPROCESSORS", count, "1 to 1024");
    s.multiprocessors = atoi(count);
    const char *shared = variable("VGPU_SHARED", "");
    if (*shared && !is_number(shared, 48, 227))
        refuse("VGPU_SHARED", shared, "48 to 227");
    s.shared_kib = atoi(shared);
    read_failure(s);
    s.check_unwritten = flag("VGPU_CHECK", "1");
    s.abort_on_fault = flag("VGPU_ABORT", "0");
    s.home = folder("VGPU_HOME");
    s.cache = folder("VGPU_CACHE");
    s.counts = variable("VGPU_COUNTS", "");
    return s;
}

} // namespace

const Settings &settings()
{
    static const Settings *instance = new Settings(read());
    return *instance;
}

} // namespace vgpu
