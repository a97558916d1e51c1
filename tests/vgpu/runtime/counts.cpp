/*
 * counts.cpp - how often each kernel was launched
 */

#include "counts.h"

#include "settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace vgpu
{

namespace
{

std::map<std::string, unsigned long> &counts()
{
    static auto *instance = [] {
        atexit(write_counts);
        return new std::map<std::string, unsigned long>;
    }();
    return *instance;
}

} // namespace

void count_launch(const std::string &kernel)
{
    counts()[kernel]++;
}

void write_counts()
{
    if (settings().counts.empty())
        return;
    std::string text;
    for (const auto &[kernel, count] : counts())
        text += std::to_string(count) + " " + kernel + "\n";
    counts().clear();
    int file = open(settings().counts.c_str(),
                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, text.data(), text.size()) < 0)
        perror("vgpu: cannot write the file of VGPU_COUNTS");
    if (file >= 0)
        close(file);
}

} // namespace vgpu
