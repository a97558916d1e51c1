/*
 * order.h - the order in which threads or blocks take their turns
 */

#ifndef VGPU_ORDER_H
#define VGPU_ORDER_H

#include "settings.h"

#include <cstddef>
#include <vector>

namespace vgpu
{

/* 0 to count - 1; shuffles by one seed differ with 'turn'. */
std::vector<uint32_t> make_order(const Order &order, size_t count,
                                 uint64_t turn);

} // namespace vgpu

#endif
