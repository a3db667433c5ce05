// Near memory as PyTorch's caching allocator hands it out (c10/cuda/CUDACachingAllocator.cpp, with the
// settings it has by default). Sizes are rounded up to 512 B. A block is cut from a free piece of a segment;
// segments come from the driver and stay: up to 1 MiB a block lies in one of 2 MiB, below 10 MiB in one of
// 20 MiB, a larger one in a segment of its own size, rounded up to 2 MiB. Of the free pieces of its pool
// (blocks up to 1 MiB, larger ones) the smallest that is large enough is taken, of equals that of the oldest
// segment; the rest is cut off if it is at least 512 B (small blocks) or more than 1 MiB. Neighbours join when
// they are free. Where the driver has no room left, all segments that are free as a whole are given back; if
// that does not do either, the block does not fit.
//
// What is left out: that each stream has pools of its own, and that weights lie in segments too (static bytes
// are a sum below). An iteration starts with nothing cached.
#pragma once

#include "simulator/engine/near_memory.hpp"

namespace ooc {

class CachingMemory : public PlacedMemory<CachingMemory> {
 public:
  static constexpr bool kUndoneCounts = true;  ///< the segments are there

  CachingMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers);

  // peak(): of reserved bytes, which is what such a framework shows.
  [[nodiscard]] std::int64_t free(std::size_t device) const {
    return capacity_ - buffers_.caches[device].taken;
  }
  /// The largest block that would fit, in a piece or in a new segment.
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

  std::int64_t capacity_;
};

}  // namespace ooc
