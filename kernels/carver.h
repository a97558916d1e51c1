/*
 * carver.h - lay out a workspace
 */

#ifndef TESSERA_CARVER_H
#define TESSERA_CARVER_H

#include <cstddef>
#include <cstdint>

namespace tessera
{

/* Hands out the parts of a workspace one after the other, aligned whatever the
 * caller brings; with no memory, only adds them up. */
class carver
{
  public:
    explicit carver(void *memory) : memory_(static_cast<char *>(memory))
    {
        uintptr_t misaligned = reinterpret_cast<uintptr_t>(memory) % alignment;
        if (misaligned)
            memory_ += alignment - misaligned;
    }

    template <typename T>
    T *take(size_t count)
    {
        char *part = memory_ ? memory_ + used_ : nullptr;
        used_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
        return reinterpret_cast<T *>(part);
    }

    /* Bytes of a workspace that holds what was taken, wherever it starts. */
    size_t bytes() const
    {
        return used_ + alignment;
    }

  private:
    static constexpr size_t alignment = 256;
    char *memory_;
    size_t used_ = 0;
};

} // namespace tessera

#endif
