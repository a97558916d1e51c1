/*
 * cache.h - results of programs run once, kept in folders by what went in
 */

#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include <functional>
#include <string>
#include <vector>

namespace vgpu
{

/* 128 bits as hexadecimal digits. */
std::string hash_of(const std::string &text);

std::string contents(const std::string &path);

/* All the translator's and the device headers' text, for hashes. */
const std::string &translator_text();

/* Runs a program, its output to a file; returns its exit status, or -1. */
int run_program(const std::vector<std::string> &command,
                const std::string &output);

/* The folder for a key.  If it is not there, 'make' fills a new one; where it
 * returns false nothing is kept, and the result is empty.  Processes that want
 * the same key wait for the first. */
std::string cached(const std::string &key,
                   const std::function<bool(const std::string &)> &make);

} // namespace vgpu

#endif
