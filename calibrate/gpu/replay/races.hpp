// What timing may hide. One iteration of a content check shows one way in which a plan's steps can fall; a wait that is
// missing does no harm in it if the copy happened to be early enough. So the plan is also gone through without a
// device: of two steps that touch the same bytes, one of them writing, one must wait for the other, directly or by
// way of further steps. A plan that keeps to that gives every step the same data however long steps take, and
// then one iteration with right contents stands for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibrate/gpu/replay/program.hpp"

namespace ooc::gpu {

// `in_pages`: blocks lie in their pages, else in the arena. Throws WrongContent that names both steps.
void check_races(const ReplayProgram& program, bool in_pages);

// For each read of each step, one after the other: which step wrote what is read, counted from 1; it may have been
// copied out and in since. 0: it was there from the beginning. kNobody: nothing ever wrote this block.
inline constexpr std::uint32_t kNobody = (1U << 20) - 1;
std::vector<std::uint32_t> find_writers(const ReplayProgram& program);

}  // namespace ooc::gpu
