// GPU memory as PyTorch's caching allocator gives it out (CUDACachingAllocator.cpp, default settings). Sizes are
// rounded up to 512 B. A block is cut from a free piece of a segment. Segments come from the driver and stay: a block
// up to 1 MiB lies in one of 2 MiB, a block below 10 MiB in one of 20 MiB, a larger block in one of its own size,
// rounded up to 2 MiB. The allocator takes the smallest piece large enough from its pool (up to 1 MiB, larger);
// ties: the oldest segment. The rest is cut off if it has at least 512 B (small blocks) or more than 1 MiB. Free
// neighbours join. If the driver has too little, all wholly free segments go back; if that is too little, it fails.
//
// Each stream has pools of its own: what a copy in takes is of another stream than what kernels take,
// unless copies run on theirs (PlanHeader::one_stream); shards of sums may have a stream, too (sums_on_stream).
//
// An iteration starts with an empty cache, with one exception: CostTable::first_states is not
// empty. Then a framework's optimiser allocates its states in its first step, between gradients and
// cached pieces, and they stay there. A first iteration runs before the iteration that counts.
//
// Not modelled: weights in segments (static bytes are one sum below), and biases apart.
#pragma once

#include <optional>

#include "simulator/engine/near_memory.hpp"

namespace ooc {

/// CUDA streams for which the allocator keeps pools of their own.
enum class CacheStream { kKernels, kCopiesIn, kSums };

class CachingMemory : public PlacedMemory<CachingMemory> {
 public:
  static constexpr bool kUndoneCounts = true;  ///< segments made by a failed take() stay

  /// All arguments must outlive the object. `costs` gives first_states and the largest tensor of each workspace.
  CachingMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers, const CostTable& costs);
  /// Returns the memory in which the second iteration starts, with all cached segments.
  [[nodiscard]] CachingMemory second() const;

  bool take(const QueuedStep& step) {
    const Step& is = plan_.steps[step.step.at()];
    const bool copies_in = is.kind == StepKind::kToNear;
    hole_.reset();
    largest_ = is.kind == StepKind::kCompute
                   ? costs_->alternatives[is.alternative.at()].largest.count()
                   : 0;
    stream_ = copies_in && !plan_.one_stream ? CacheStream::kCopiesIn : CacheStream::kKernels;
    if (to_make_ && makes_states(step) && !make_states()) return false;
    if (PlacedMemory::take(step)) return true;
    hole_ = step.acquired.count() - lacks_;
    return false;
  }
  /// Returns the peak of reserved bytes, as PyTorch reports it, less first_states, which are in static bytes.
  [[nodiscard]] std::int64_t peak() const { return std::max<std::int64_t>(0, peak_ - states_); }
  [[nodiscard]] std::int64_t free() const { return capacity_ - buffers_.cache.taken; }
  /// Returns the bytes of the largest block that would fit; after a failed take(), the step's bytes less those lacking.
  [[nodiscard]] std::int64_t largest_hole() const;
  bool place(BlockId block);
  void remove(BlockId block);

 private:
  using PieceId = std::int32_t;

  [[nodiscard]] Piece& piece(PieceId id) { return buffers_.pieces[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Piece& piece(PieceId id) const {
    return buffers_.pieces[static_cast<std::size_t>(id)];
  }
  PieceId add_piece(const Piece& piece);
  PieceId take_piece(std::int16_t pool, std::int64_t bytes);
  void give_back(PieceId first);
  void free_piece(PieceId freed);
  void keep_free(PieceId id);
  void no_longer_free(PieceId id);
  PieceId find_free(std::int16_t pool, std::int64_t bytes);
  PieceId add_segment(std::int16_t pool, std::int64_t bytes);
  void give_back_segments();
  void cut_off_rest(PieceId id, std::int64_t bytes);
  void join(PieceId first, PieceId second);
  [[nodiscard]] bool makes_states(const QueuedStep& step) const;
  bool make_states();

  const CostTable* costs_;
  std::int64_t states_ = 0;   ///< bytes of all states in `first_states`
  std::int64_t largest_ = 0;  ///< bytes of the largest tensor in the workspace; 0: one tensor only
  bool to_make_ = false;      ///< true until first_states are allocated
  std::int64_t lacks_ = 0;    ///< bytes that lacked for the last tensor without a place
  std::optional<std::int64_t> hole_;  ///< largest_hole() after a failed take(); else unset
  CacheStream stream_ = CacheStream::kKernels;  ///< stream of the step that takes blocks
  std::int64_t capacity_;
};

}  // namespace ooc
