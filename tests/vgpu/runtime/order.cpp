/*
 * order.cpp - the order in which threads or blocks take their turns
 */

#include "order.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace vgpu
{

std::vector<uint32_t> make_order(const Order &order, size_t count,
                                 uint64_t turn)
{
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (order.how == Order::reverse)
        std::reverse(numbers.begin(), numbers.end());
    if (order.how == Order::shuffled) {
        std::mt19937_64 random(order.seed + turn);
        std::shuffle(numbers.begin(), numbers.end(), random);
    }
    return numbers;
}

} // namespace vgpu
