#include "simulator/engine/caching_memory.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ooc {

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kLargestSmall = kMiB;  ///< a larger block is of the large pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kSharedSegment = 20 * kMiB;  ///< for blocks of the large pool below
constexpr std::int64_t kOwnSegment = 10 * kMiB;     ///< this, which get segments of their own size
constexpr std::int64_t kSegmentStep = 2 * kMiB;
constexpr std::int32_t kNone = -1;

/// Returns the pool for a block of `bytes`.
std::int16_t pool_of(CacheStream stream, std::int64_t bytes) {
  return static_cast<std::int16_t>(static_cast<int>(stream) * 2 + (bytes > kLargestSmall ? 1 : 0));
}
/// True for pools of large blocks, which stand behind those of small ones.
bool is_large(std::int16_t pool) { return pool % 2 == 1; }

std::int64_t segment_for(std::int64_t bytes) {
  if (bytes <= kLargestSmall) return kSmallSegment;
  if (bytes < kOwnSegment) return kSharedSegment;
  return (bytes + kSegmentStep - 1) / kSegmentStep * kSegmentStep;
}

bool is_worth_cutting(std::int64_t rest, std::int16_t pool) {
  return is_large(pool) ? rest > kLargestSmall : rest >= kBlockAlignment;
}

auto place_in_pool(const Piece& piece) {
  return std::tie(piece.bytes, piece.segment, piece.offset);
}

}  // namespace

CachingMemory::CachingMemory(const Plan& plan, Bytes budget, MemoryBuffers& buffers,
                             const CostTable& costs)
    : PlacedMemory(plan, buffers), costs_(&costs), capacity_(room_beside_static(plan, budget)) {
  for (const std::vector<Bytes>& states : costs.first_states) {
    for (const Bytes bytes : states) states_ += aligned_size(bytes);
  }
  to_make_ = states_ > 0;
  capacity_ += states_;
  SegmentCache& cache = buffers.cache;
  for (std::vector<PieceId>& pool : cache.free) pool.clear();
  cache.reserved = cache.taken = cache.segments = 0;
  buffers.pieces.clear();
  buffers.unused_pieces.clear();
}

CachingMemory CachingMemory::second() const {
  CachingMemory next = *this;
  for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
    if (plan_.releasers[make_id<BlockId>(i)].empty()) next.remove(make_id<BlockId>(i));
  }
  next.start_again();
  next.to_make_ = false;
  next.peak_ = std::max(next.peak_, buffers_.cache.reserved);
  return next;
}

bool CachingMemory::makes_states(const QueuedStep& step) const {
  const Step& is = plan_.steps[step.step.at()];
  return is.kind == StepKind::kCompute &&
         !costs_->first_states[static_cast<std::size_t>(is.object)].empty();
}

bool CachingMemory::make_states() {
  to_make_ = false;
  for (const std::vector<Bytes>& states : costs_->first_states) {
    for (const Bytes state : states) {
      const std::int64_t bytes = aligned_size(state);
      if (take_piece(pool_of(CacheStream::kKernels, bytes), bytes) == kNone) return false;
    }
  }
  return true;
}

std::int64_t CachingMemory::largest_hole() const {
  if (hole_) return *hole_;
  const SegmentCache& cache = buffers_.cache;
  std::int64_t from_driver = capacity_ - cache.reserved;
  std::int64_t largest = 0;
  for (const std::vector<PieceId>& pool : cache.free) {
    for (const PieceId id : pool) {
      if (piece(id).is_segment()) from_driver += piece(id).bytes;
    }
    if (pool.empty()) continue;
    const Piece& last = piece(pool.back());
    largest =
        std::max(largest, is_large(last.pool) ? last.bytes : std::min(last.bytes, kLargestSmall));
  }
  if (from_driver >= kOwnSegment) {
    return std::max(largest, from_driver / kSegmentStep * kSegmentStep);
  }
  return std::max(largest, from_driver >= kSmallSegment ? kLargestSmall : 0);
}

bool CachingMemory::place(BlockId id) {
  const Block& block = plan_.blocks[id.at()];
  const std::int64_t bytes = aligned_size(block.bytes);
  if (bytes == 0) return true;
  const bool sums = plan_.sums_on_stream && block.kind == BlockKind::kGradient;
  const CacheStream stream = sums ? CacheStream::kSums : stream_;
  const bool is_split = block.kind == BlockKind::kWorkspace && largest_ > 0;
  const std::int64_t tensor = is_split ? aligned_size(Bytes(largest_)) : bytes;
  PieceId first = kNone;
  for (std::int64_t left = bytes; left > 0; left -= std::min(left, tensor)) {
    const std::int64_t part = std::min(left, tensor);
    const PieceId chosen = take_piece(pool_of(stream, part), part);
    if (chosen == kNone) {
      lacks_ = std::max<std::int64_t>(part - largest_hole(), kBlockAlignment);
      buffers_.cache.taken -= bytes - left;
      give_back(first);
      return false;
    }
    piece(chosen).next = std::exchange(first, chosen);
  }
  buffers_.addresses[id.at()] = first;
  return true;
}

CachingMemory::PieceId CachingMemory::take_piece(std::int16_t pool, std::int64_t bytes) {
  PieceId chosen = find_free(pool, bytes);
  if (chosen == kNone) chosen = add_segment(pool, segment_for(bytes));
  if (chosen == kNone) return kNone;
  cut_off_rest(chosen, bytes);
  buffers_.cache.taken += bytes;
  return chosen;
}

void CachingMemory::remove(BlockId id) {
  const Block& block = plan_.blocks[id.at()];
  const std::int64_t bytes = aligned_size(block.bytes);
  if (bytes == 0) return;
  buffers_.cache.taken -= bytes;
  give_back(static_cast<PieceId>(buffers_.addresses[id.at()]));
}

/// Gives back the pieces of a block.
void CachingMemory::give_back(PieceId first) {
  while (first != kNone) free_piece(std::exchange(first, piece(first).next));
}

void CachingMemory::free_piece(PieceId freed) {
  if (const PieceId after = piece(freed).after; after != kNone && piece(after).free) {
    no_longer_free(after);
    join(freed, after);
  }
  if (const PieceId before = piece(freed).before; before != kNone && piece(before).free) {
    no_longer_free(before);
    join(before, freed);
    freed = before;
  }
  keep_free(freed);
}

CachingMemory::PieceId CachingMemory::add_piece(const Piece& piece) {
  std::vector<PieceId>& unused = buffers_.unused_pieces;
  if (unused.empty()) {
    buffers_.pieces.push_back(piece);
    return static_cast<PieceId>(buffers_.pieces.size() - 1);
  }
  const PieceId id = unused.back();
  unused.pop_back();
  this->piece(id) = piece;
  return id;
}

void CachingMemory::keep_free(PieceId id) {
  piece(id).free = true;
  std::vector<PieceId>& free = buffers_.cache.free[static_cast<std::size_t>(piece(id).pool)];
  free.insert(std::upper_bound(free.begin(), free.end(), id,
                               [&](PieceId a, PieceId b) {
                                 return place_in_pool(piece(a)) < place_in_pool(piece(b));
                               }),
              id);
}

void CachingMemory::no_longer_free(PieceId id) {
  piece(id).free = false;
  std::vector<PieceId>& free = buffers_.cache.free[static_cast<std::size_t>(piece(id).pool)];
  free.erase(std::lower_bound(free.begin(), free.end(), id, [&](PieceId a, PieceId b) {
    return place_in_pool(piece(a)) < place_in_pool(piece(b));
  }));
}

/// Of the pieces that are large enough the smallest, which is then no longer free.
CachingMemory::PieceId CachingMemory::find_free(std::int16_t pool, std::int64_t bytes) {
  std::vector<PieceId>& free = buffers_.cache.free[static_cast<std::size_t>(pool)];
  const auto found =
      std::lower_bound(free.begin(), free.end(), bytes,
                       [&](PieceId id, std::int64_t wanted) { return piece(id).bytes < wanted; });
  if (found == free.end()) return kNone;
  const PieceId id = *found;
  free.erase(found);
  piece(id).free = false;
  return id;
}

CachingMemory::PieceId CachingMemory::add_segment(std::int16_t pool, std::int64_t bytes) {
  if (bytes > capacity_ - buffers_.cache.reserved) give_back_segments();
  if (bytes > capacity_ - buffers_.cache.reserved) return kNone;
  buffers_.cache.reserved += bytes;
  peak_ = std::max(peak_, buffers_.cache.reserved);
  return add_piece({.bytes = bytes, .segment = buffers_.cache.segments++, .pool = pool});
}

void CachingMemory::give_back_segments() {
  for (std::vector<PieceId>& pool : buffers_.cache.free) {
    std::erase_if(pool, [&](PieceId id) {
      if (!piece(id).is_segment()) return false;
      buffers_.cache.reserved -= piece(id).bytes;
      buffers_.unused_pieces.push_back(id);
      return true;
    });
  }
}

/// Of a piece that is about to be taken.
void CachingMemory::cut_off_rest(PieceId id, std::int64_t bytes) {
  const Piece whole = piece(id);
  if (!is_worth_cutting(whole.bytes - bytes, whole.pool)) return;
  const PieceId rest = add_piece({.bytes = whole.bytes - bytes,
                                  .segment = whole.segment,
                                  .offset = whole.offset + bytes,
                                  .before = id,
                                  .after = whole.after,
                                  .pool = whole.pool});
  piece(id).bytes = bytes;
  piece(id).after = rest;
  if (whole.after != kNone) piece(whole.after).before = rest;
  keep_free(rest);
}

/// Two neighbours that are in no pool become the first of them.
void CachingMemory::join(PieceId first, PieceId second) {
  piece(first).bytes += piece(second).bytes;
  piece(first).after = piece(second).after;
  if (piece(first).after != kNone) piece(piece(first).after).before = first;
  buffers_.unused_pieces.push_back(second);
}

}  // namespace ooc
