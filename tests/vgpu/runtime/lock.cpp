/*
 * lock.cpp - the one lock of the stand-in
 */

#include "lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vgpu
{

namespace
{

/* An address that no other thread has. */
const void *this_thread()
{
    static thread_local char mark;
    return &mark;
}

void futex(std::atomic<int> &word, int what, int value)
{
    syscall(SYS_futex, &word, what, value, nullptr, nullptr, 0);
}

} // namespace

void Lock::lock()
{
    const void *self = this_thread();
    if (holder_ == self) {
        depth_++;
        return;
    }
    int free = 0;
    if (!state_.compare_exchange_strong(free, 1))
        while (state_.exchange(2) != 0)
            futex(state_, FUTEX_WAIT_PRIVATE, 2);
    holder_ = self;
    depth_ = 1;
}

void Lock::unlock()
{
    if (--depth_)
        return;
    holder_ = nullptr;
    if (state_.exchange(0) == 2)
        futex(state_, FUTEX_WAKE_PRIVATE, 1);
}

} // namespace vgpu
