/*
 * settings.cpp - the environment variables VGPU_*, read once
 */

#include "settings.h"

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

bool flag(const char *name, const char *otherwise)
{
    const char *value = variable(name, otherwise);
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        refuse(name, value, "0 or 1");
    return *value == '1';
}

Order order(const char *name)
{
    const char *value = variable(name, "forward");
    if (strcmp(value, "forward") == 0)
        return {Order::forward, 0};
    if (strcmp(value, "reverse") == 0)
        return {Order::reverse, 0};
    char *end;
    uint64_t seed = strtoull(value, &end, 10);
    if (*end)
        refuse(name, value, "forward, reverse or a number");
    return {Order::shuffled, seed};
}

Settings read()
{
    Settings s = {};
    const char *sm = variable("VGPU_SM", "90");
    s.architecture = atoi(sm);
    if (s.architecture != 75 && s.architecture != 90)
        refuse("VGPU_SM", sm, "75 or 90");

    s.threads = order("VGPU_ORDER");
    s.blocks = order("VGPU_BLOCKS");
    s.races = flag("VGPU_RACES", "0");
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
