/*
 * lock.h - the one lock of the stand-in
 *
 * Not a mutex of the C library: ThreadSanitizer watches those wherever they
 * are called from, and would take two threads that both called CUDA for
 * ordered, which on a GPU they are not.  Recursive.
 */

#ifndef VGPU_LOCK_H
#define VGPU_LOCK_H

#include <atomic>

namespace vgpu
{

class Lock
{
  public:
    void lock();
    void unlock();

  private:
    std::atomic<int> state_{0}; /* 1: held; 2: and somebody may wait */
    std::atomic<const void *> holder_{nullptr};
    unsigned depth_ = 0;
};

} // namespace vgpu

#endif
