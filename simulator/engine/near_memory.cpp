// The parts of near memory that are not on the fast path of the event loop, and the allocator with
// addresses. Its holes are a sorted vector: they are few, since neighbours join.
#include "simulator/engine/near_memory.hpp"

#include <iterator>

namespace ooc {

IdealMemory::IdealMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers)
    : plan_(&plan), buffers_(&buffers), limit_(room_beside_static(plan, budget)) {
  if (plan.shared_releases.item_count() > 0) buffers.releases_left = plan.shared_release_counts;
}

bool IdealMemory::place_initial() {
  return std::all_of(plan_->initial_blocks.begin(), plan_->initial_blocks.end(),
                     [&](BlockId id) { return take_bytes(plan_->blocks[id.at()].bytes.count()); });
}

bool IdealMemory::has_freed(const QueuedStep& step) const {
  if (step.released.count() > 0) return true;
  if (!step.shared_releases) return false;
  const auto row = plan_->shared_releases[step.step];
  return std::any_of(row.begin(), row.end(), [&](BlockId id) {
    return plan_->blocks[id.at()].bytes.count() > 0 && buffers_->releases_left[id.at()] == 0;
  });
}

AddressedMemory::AddressedMemory(const Plan& plan, Bytes budget, Fit fit, MemoryBuffers& buffers)
    : PlacedMemory(plan, buffers),
      fit_(fit),
      capacity_(room_beside_static(plan, budget) / kBlockAlignment * kBlockAlignment) {
  Arena& arena = buffers_.arena;
  arena.holes.clear();
  if (capacity_ > 0) arena.holes.push_back({.address = 0, .bytes = capacity_});
  arena.free = capacity_;
}

std::int64_t AddressedMemory::largest_hole() const {
  std::int64_t largest = 0;
  for (const Hole& hole : buffers_.arena.holes) largest = std::max(largest, hole.bytes);
  return largest;
}

bool AddressedMemory::place(BlockId id) {
  const Block& block = plan_.blocks[id.at()];
  const std::int64_t bytes = aligned_size(block.bytes);
  if (bytes == 0) return true;
  Arena& arena = buffers_.arena;
  auto chosen = arena.holes.end();
  for (auto hole = arena.holes.begin(); hole != arena.holes.end(); ++hole) {
    if (hole->bytes < bytes) continue;
    if (chosen == arena.holes.end() || hole->bytes < chosen->bytes) chosen = hole;
    if (fit_ == Fit::kFirst) break;
  }
  if (chosen == arena.holes.end()) return false;
  buffers_.addresses[id.at()] = chosen->address;
  chosen->address += bytes;
  chosen->bytes -= bytes;
  if (chosen->bytes == 0) arena.holes.erase(chosen);
  arena.free -= bytes;
  peak_ = std::max(peak_, capacity_ - arena.free);
  return true;
}

void AddressedMemory::remove(BlockId id) {
  const Block& block = plan_.blocks[id.at()];
  const std::int64_t bytes = aligned_size(block.bytes);
  if (bytes == 0) return;
  Arena& arena = buffers_.arena;
  const std::int64_t address = buffers_.addresses[id.at()];
  arena.free += bytes;
  auto after =
      std::lower_bound(arena.holes.begin(), arena.holes.end(), address,
                       [](const Hole& hole, std::int64_t wanted) { return hole.address < wanted; });
  const bool joins_after = after != arena.holes.end() && address + bytes == after->address;
  const bool joins_before = after != arena.holes.begin() &&
                            std::prev(after)->address + std::prev(after)->bytes == address;
  if (joins_before && joins_after) {
    std::prev(after)->bytes += bytes + after->bytes;
    arena.holes.erase(after);
  } else if (joins_before) {
    std::prev(after)->bytes += bytes;
  } else if (joins_after) {
    after->address = address;
    after->bytes += bytes;
  } else {
    arena.holes.insert(after, {.address = address, .bytes = bytes});
  }
}

}  // namespace ooc
