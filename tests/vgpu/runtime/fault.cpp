/*
 * fault.cpp - what went wrong in a kernel, in words
 */

#include "fault.h"

#include "arena.h"

#include <cstdarg>
#include <cstdio>

namespace vgpu
{

namespace
{

std::string printed(const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

std::string access(const char *where, uint64_t address, uint32_t size)
{
    return printed("%u bytes of %s memory at %#llx", size, where,
                   (unsigned long long)address);
}

std::string words(Fault what, uint64_t address, uint32_t size)
{
    switch (what) {
    case Fault::global_bounds:
        return access("global", address, size) + ": " +
               describe_address(address, size);
    case Fault::shared_bounds:
        return access("shared", address, size) + ": outside every variable";
    case Fault::local_bounds:
        return access("local", address, size) + ": outside every variable";
    case Fault::parameter_bounds:
        return access("parameter", address, size) + ": outside";
    case Fault::misaligned:
        return printed("misaligned access: %u bytes at %#llx", size,
                       (unsigned long long)address);
    case Fault::shared_unwritten:
        return access("shared", address, size) +
               ": read, but no thread of the block wrote it";
    case Fault::division_by_zero:
        return "integer division by zero";
    case Fault::trap:
        return "trap";
    case Fault::deadlock:
        return "deadlock: no thread of the block can go on";
    case Fault::outside_own_mask:
        return printed("lane outside its own member mask %#llx",
                       (unsigned long long)address);
    case Fault::lane_absent:
        return printed("member mask %#llx names a lane that has exited or "
                       "does not exist",
                       (unsigned long long)address);
    case Fault::different_operations:
        return printed("lanes of member mask %#llx meet in different "
                       "operations",
                       (unsigned long long)address);
    case Fault::barrier_kinds:
        return "threads of the block meet at barriers of different kinds";
    case Fault::cluster_arrived_twice:
        return "arrives at the cluster's barrier again, without a wait between";
    case Fault::cluster_not_arrived:
        return "waits at the cluster's barrier, but has not arrived";
    case Fault::cluster_not_waited:
        return "exits after it arrived at the cluster's barrier, without a "
               "wait";
    case Fault::cluster_rank:
        return printed("rank %llu of a cluster of %u blocks",
                       (unsigned long long)address, size);
    case Fault::cluster_address:
        return printed("%#llx is not an address of the block's shared memory",
                       (unsigned long long)address);
    case Fault::cluster_not_started:
        return access("shared", address, size) +
               ": its block may not have started, no cluster barrier is before";
    case Fault::cluster_ended:
        return access("shared", address, size) +
               ": its block has ended, or may have";
    case Fault::shuffle_source:
        return printed("shuffle from a lane outside the member mask %#llx",
                       (unsigned long long)address);
    case Fault::shared_race:
        return "race: " + access("shared", address, size);
    case Fault::global_race:
        return "race: " + access("global", address, size);
    }
    return "fault";
}

} // namespace

std::string describe(const Dimensions &d)
{
    return printed("(%u,%u,%u)", d.x, d.y, d.z);
}

std::string describe_site(const Site *site)
{
    std::string text = site->source;
    if (text.empty())
        text = "unknown source line";
    size_t end = text.find('\t');
    std::string first = text.substr(0, end);
    std::string result =
        first + printed(" (line %d of the PTX)", site->ptx_line);
    while (end != std::string::npos) {
        size_t next = text.find('\t', end + 1);
        result +=
            "\n  inlined at " + text.substr(end + 1, next == std::string::npos
                                                         ? next
                                                         : next - end - 1);
        end = next;
    }
    return result;
}

FaultReport describe_fault(const Thread &thread, const Site *site, Fault what,
                           uint64_t address, uint32_t size,
                           const std::string &details)
{
    FaultReport report;
    report.happened = true;
    report.what = what;
    report.text = words(what, address, size) + "\n";
    if (!details.empty())
        report.text += details + "\n";
    report.text += "by thread " + describe(thread.index) + " of block " +
                   describe(thread.grid->block) + "\n";
    report.text += "at " + describe_site(site) + "\n";
    return report;
}

} // namespace vgpu
