// GPU memory as PyTorch's caching allocator hands it out (c10/cuda/CUDACachingAllocator.cpp,
// default settings). Sizes are rounded up to 512 B. A block is cut from a free piece of a segment.
// Segments come from the driver and stay: a block up to 1 MiB lies in one of 2 MiB, a block below
// 10 MiB in one of 20 MiB, a larger block in one of its own size, rounded up to 2 MiB. Of the free
// pieces of its pool (blocks up to 1 MiB, larger blocks) the smallest that is large enough is
// taken; ties: the oldest segment. The rest is cut off if it has at least 512 B (small blocks) or
// more than 1 MiB. Free neighbours join. If the driver has no room, all segments that are wholly
// free are given back. If that is not enough, the block does not fit.
//
// An iteration starts with nothing cached, but where states are made late (CostTable::first_states): a
// framework's optimiser makes them in its first step, in what is free among gradients and cached pieces, and
// from then on they lie between what the next iteration wants whole. Then a first iteration runs before the one
// that counts.
//
// Not modelled: pools of each stream, weights in segments (static bytes are one sum below), and biases apart.
#pragma once

#include "simulator/engine/near_memory.hpp"

namespace ooc {

class CachingMemory : public PlacedMemory<CachingMemory> {
 public:
  static constexpr bool kUndoneCounts = true;  ///< segments of a failed attempt stay

  using LateStates = std::vector<std::vector<Bytes>>;  ///< by task

  /// `late`: made by the first update that runs; must outlive the object.
  CachingMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers, const LateStates& late);
  /// Memory of the iteration behind the first, with all that it has cached.
  [[nodiscard]] CachingMemory second() const;

  bool take(std::size_t device, const QueuedStep& step) {
    if (to_make_ && makes_states(step) && !make_states(device)) return false;
    return PlacedMemory::take(device, step);
  }
  /// Reserved bytes, as PyTorch reports them; of states that static bytes hold none.
  [[nodiscard]] std::int64_t peak() const { return std::max<std::int64_t>(0, peak_ - states_); }
  [[nodiscard]] std::int64_t free(std::size_t device) const {
    return capacity_ - buffers_.caches[device].taken;
  }
  /// Returns the largest block that would fit, in a free piece or in a new segment.
  [[nodiscard]] std::int64_t largest_hole(std::size_t device) const;
  bool place(BlockId block);
  void remove(BlockId block);

 private:
  using PieceId = std::int32_t;

  [[nodiscard]] Piece& piece(PieceId id) { return buffers_.pieces[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Piece& piece(PieceId id) const {
    return buffers_.pieces[static_cast<std::size_t>(id)];
  }
  PieceId add_piece(const Piece& piece);
  void keep_free(SegmentCache& cache, std::size_t pool, PieceId id);
  void no_longer_free(SegmentCache& cache, std::size_t pool, PieceId id);
  PieceId find(SegmentCache& cache, std::int64_t bytes);
  PieceId add_segment(SegmentCache& cache, std::int64_t bytes);
  void give_back_segments(SegmentCache& cache);
  void cut_off_rest(SegmentCache& cache, PieceId id, std::int64_t bytes);
  void join(PieceId first, PieceId second);
  [[nodiscard]] bool makes_states(const QueuedStep& step) const;
  bool make_states(std::size_t device);

  const LateStates* late_;
  std::int64_t states_ = 0;  ///< bytes of all of them
  bool to_make_ = false;
  std::int64_t capacity_;
};

}  // namespace ooc
