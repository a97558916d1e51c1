/*
 * cache.cpp - results of programs run once, kept in folders by what went in
 */

#include "cache.h"

#include "settings.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace vgpu
{

namespace files = std::filesystem;

namespace
{

/* FNV-1a. */
uint64_t fnv(const std::string &text, uint64_t hash)
{
    for (unsigned char c : text)
        hash = (hash ^ c) * 0x100000001b3u;
    return hash;
}

/* What makes the sanitizers or this library load into a child. */
bool for_children(const char *variable)
{
    return strncmp(variable, "LD_PRELOAD=", 11) != 0 &&
           strncmp(variable, "LD_LIBRARY_PATH=", 16) != 0;
}

struct FileLock {
    int file;
    explicit FileLock(const std::string &path)
        : file(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666))
    {
        if (file < 0 || flock(file, LOCK_EX) != 0)
            perror("vgpu: cannot lock the cache");
    }
    ~FileLock()
    {
        if (file >= 0)
            close(file);
    }
};

} // namespace

std::string hash_of(const std::string &text)
{
    char digits[33];
    snprintf(digits, sizeof digits, "%016llx%016llx",
             (unsigned long long)fnv(text, 0xcbf29ce484222325u),
             (unsigned long long)fnv(text, 0x9e3779b97f4a7c15u));
    return digits;
}

std::string contents(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

const std::string &translator_text()
{
    static const std::string text = [] {
        std::vector<std::string> paths;
        for (const char *folder : {"/ptx", "/runtime"})
            for (const auto &entry :
                 files::directory_iterator(settings().home + folder)) {
                std::string name = entry.path().filename();
                if (entry.path().extension() == ".py" ||
                    name.rfind("device", 0) == 0)
                    paths.push_back(entry.path());
            }
        std::sort(paths.begin(), paths.end());
        std::string all = __VERSION__;
        for (const std::string &path : paths)
            all += contents(path);
        return all;
    }();
    return text;
}

int run_program(const std::vector<std::string> &command,
                const std::string &output)
{
    std::vector<char *> arguments, environment;
    for (const std::string &word : command)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    for (char **v = environ; *v; v++)
        if (for_children(*v))
            environment.push_back(*v);
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(),
                                     O_CREAT | O_WRONLY | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child;
    int status = -1;
    if (posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(),
                     environment.data()) == 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

std::string cached(const std::string &key,
                   const std::function<bool(const std::string &)> &make)
{
    std::string folder = settings().cache + "/" + key;
    if (files::exists(folder))
        return folder;
    std::error_code error;
    files::create_directories(settings().cache, error);
    FileLock lock(settings().cache + "/" + key + ".lock");
    if (files::exists(folder))
        return folder;
    std::string unfinished = folder + "." + std::to_string(getpid());
    files::remove_all(unfinished, error);
    files::create_directory(unfinished, error);
    if (error) {
        fprintf(stderr, "vgpu: cannot write to %s: %s\n",
                settings().cache.c_str(), error.message().c_str());
        return "";
    }
    if (make(unfinished)) {
        files::rename(unfinished, folder, error);
        return error ? "" : folder;
    }
    files::remove_all(unfinished, error);
    return "";
}

} // namespace vgpu
