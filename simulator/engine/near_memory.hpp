// GPU memory for the event loop. IdealMemory is a byte counter; sums in
// the plan make taking and freeing one addition each. AddressedMemory gives every block an address
// (first fit or best fit, multiples of 512 B, free neighbours join), so that fragmentation can
// block a run. CachingMemory (caching_memory.hpp) places blocks in segments. Static bytes are
// outside the arena.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/plan/plan.hpp"

namespace ooc {

struct Hole {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
};

/// Address ranges of AddressedMemory that are free.
struct Arena {
  std::vector<Hole> holes;  ///< sorted by address; neighbours are joined
  std::int64_t free = 0;    ///< bytes of all holes
};

/// Piece of a segment of the caching allocator, taken or free. References to pieces are indices in
/// MemoryBuffers::pieces.
struct Piece {
  std::int64_t bytes = 0;
  std::int64_t segment = 0;  ///< number of its segment, in order of allocation
  std::int64_t offset = 0;
  std::int32_t before = -1;  ///< neighbour in the segment; -1: none
  std::int32_t after = -1;   ///< neighbour in the segment; -1: none
  std::int32_t next = -1;    ///< if taken: another piece of the same block; -1: none
  std::int16_t pool = 0;     ///< index in SegmentCache::free
  bool free = false;

  [[nodiscard]] bool is_segment() const { return before < 0 && after < 0; }
};

struct SegmentCache {
  /// Free pieces, sorted by size, then segment and offset. Pools 2 s and 2 s + 1: small, large blocks of stream s.
  std::array<std::vector<std::int32_t>, 6> free;
  std::int64_t reserved = 0;  ///< bytes of all segments
  std::int64_t taken = 0;     ///< bytes of all taken pieces, less what was too small to cut off
  std::int64_t segments = 0;  ///< number of segments ever made
};

struct MemoryBuffers {
  std::vector<std::int32_t> releases_left;  ///< by block: number of releasers yet to end
  Arena arena;
  std::vector<std::int64_t> addresses;  ///< by block in use: address, or index of its first piece
  SegmentCache cache;
  std::vector<Piece> pieces;
  std::vector<std::int32_t> unused_pieces;  ///< indices in `pieces` for reuse
};

inline constexpr std::int64_t kBlockAlignment = 512;

/// Memory as a byte counter. All kinds of memory have its functions but take_bytes(). take(): takes all blocks of a
/// step, or none and returns false. free(), largest_hole(): bytes, for reports. has_freed(): true if the end of the
/// step freed memory.
class IdealMemory {
 public:
  static constexpr bool kOrderMatters = false;  ///< steps that fit together fit in any order

  IdealMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers);

  /// Takes the initial blocks. False if they do not fit.
  bool place_initial();
  [[nodiscard]] std::int64_t free() const { return limit_ - used_; }
  [[nodiscard]] std::int64_t largest_hole() const { return free(); }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

  bool take(const QueuedStep& step) { return take_bytes(step.acquired.count()); }
  bool take_bytes(std::int64_t bytes) {
    const std::int64_t wanted = used_ + bytes;
    if (wanted > limit_) return false;
    used_ = wanted;
    peak_ = std::max(peak_, wanted);
    return true;
  }
  void release(const QueuedStep& step) {
    used_ -= step.released.count();
    if (step.shared_releases) release_shared(step.step);
  }
  [[nodiscard]] bool has_freed(const QueuedStep& step) const;

 private:
  void release_shared(StepId step) {
    for (const BlockId id : plan_->shared_releases[step]) {
      if (--buffers_->releases_left[id.at()] > 0) continue;
      used_ -= plan_->blocks[id.at()].bytes.count();
    }
  }

  const Plan* plan_;
  MemoryBuffers* buffers_;
  std::int64_t used_ = 0;  ///< bytes without static bytes; a member, so that it can be a register
  std::int64_t limit_;
  std::int64_t peak_ = 0;
};

/// Returns the bytes of the budget for blocks; 0 if static bytes exceed it.
[[nodiscard]] inline std::int64_t room_beside_static(const Plan& plan, Bytes budget) {
  return std::max<std::int64_t>(0, (budget - plan.static_bytes).count());
}
/// Returns the size of a block in a memory with addresses: rounded up to 512 B.
[[nodiscard]] inline std::int64_t aligned_size(Bytes bytes) {
  return (bytes.count() + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

/// Memory that gives each block a place. `Allocator` has place(BlockId), false if there is none, remove(BlockId), and
/// kUndoneCounts: true if blocks taken and given back in a failed take() count towards the peak.
template <class Allocator>
class PlacedMemory {
 public:
  static constexpr bool kOrderMatters = true;

  bool place_initial() {
    return std::all_of(plan_.initial_blocks.begin(), plan_.initial_blocks.end(),
                       [&](BlockId block) { return self().place(block); });
  }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

  bool take(const QueuedStep& step) {
    const std::int64_t peak_before = peak_;
    const auto row = plan_.acquires[step.step];
    for (std::size_t index = 0; index < row.size(); ++index) {
      if (self().place(row[index])) continue;
      while (index > 0) self().remove(row[--index]);  // all or nothing
      if constexpr (!Allocator::kUndoneCounts) peak_ = peak_before;
      return false;
    }
    return true;
  }
  void release(const QueuedStep& step) {
    for (const BlockId id : plan_.releases[step.step]) {
      if (--buffers_.releases_left[id.at()] == 0) self().remove(id);
    }
  }
  [[nodiscard]] bool has_freed(const QueuedStep& step) const {
    const auto row = plan_.releases[step.step];
    return std::any_of(row.begin(), row.end(), [&](BlockId id) {
      return plan_.blocks[id.at()].bytes.count() > 0 && buffers_.releases_left[id.at()] == 0;
    });
  }

 protected:
  PlacedMemory(const Plan& plan, MemoryBuffers& buffers) : plan_(plan), buffers_(buffers) {
    buffers.addresses.resize(plan.blocks.size());
    start_again();
  }

  void start_again() {
    peak_ = 0;
    buffers_.releases_left.resize(plan_.blocks.size());
    for (std::size_t block = 0; block < plan_.blocks.size(); ++block) {
      buffers_.releases_left[block] =
          static_cast<std::int32_t>(plan_.releasers[make_id<BlockId>(block)].size());
    }
  }

  const Plan& plan_;
  MemoryBuffers& buffers_;
  std::int64_t peak_ = 0;

 private:
  Allocator& self() { return static_cast<Allocator&>(*this); }
};

enum class Fit { kFirst, kBest };

class AddressedMemory : public PlacedMemory<AddressedMemory> {
 public:
  static constexpr bool kUndoneCounts = false;

  AddressedMemory(const Plan& plan, Bytes budget, Fit fit, MemoryBuffers& buffers);

  [[nodiscard]] std::int64_t free() const { return buffers_.arena.free; }
  [[nodiscard]] std::int64_t largest_hole() const;
  bool place(BlockId block);
  void remove(BlockId block);

 private:
  Fit fit_;
  std::int64_t capacity_;
};

}  // namespace ooc
