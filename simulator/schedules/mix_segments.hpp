// Cuts of the forward pass into segments whose tensors are dropped, all but those that are used behind the segment:
// block checkpointing (Chen et al. 2016), on any graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/schedules/mix_decoder.hpp"
#include "simulator/schedules/mix_facts.hpp"

namespace ooc {

/// By forward task: the last task of its segment, or that it is in none.
using SegmentEnds = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kNoSegment = kNoIndex;

class MixSegments {
 public:
  /// `facts` must outlive it.
  explicit MixSegments(const MixFacts& facts);

  /// What is dearer than its copies is not dropped, where the price is not "whatever it costs".
  static constexpr double kAnyPrice = 1e30;

  /// The cut with least bytes that cross the segments' ends, of those that drop at most `most` bytes in a segment at a
  /// price of at most `price` times its copy.
  [[nodiscard]] SegmentEnds cut(std::int64_t most, double price = kAnyPrice) const;
  /// The same at any price for several limits, the largest first, in little more time than for the first; those beyond
  /// what a segment can drop count as one.
  [[nodiscard]] std::vector<SegmentEnds> cuts(std::vector<std::int64_t> limits) const;
  /// At most so many segments, the largest of which drops about as little as that allows.
  [[nodiscard]] SegmentEnds cut_into(std::int64_t number) const;

  /// What is used within its segment only is dropped if it is worth the price; the rest gets `crossing`, but what
  /// no other segment reads stays.
  [[nodiscard]] Decisions drop_within(const SegmentEnds& ends, double price = kAnyPrice,
                                      Treatment crossing = Treatment::kKeep) const;
  /// Whether a segment reads what it has not written itself.
  [[nodiscard]] bool is_read_from_outside(const SegmentEnds& ends, TensorId tensor) const;
  /// What is worth the price is dropped, in runs of at most `most` bytes between which one stays.
  [[nodiscard]] Decisions drop_by_price(std::int64_t most, double price) const;

  /// Sum of what can be dropped.
  [[nodiscard]] std::int64_t droppable_bytes() const { return droppable_bytes_; }
  /// Idle times between forward and backward that can be dropped in, by the definition of their tensors.
  [[nodiscard]] const std::vector<std::uint32_t>& droppable() const { return droppable_; }

 private:
  [[nodiscard]] std::vector<SegmentEnds> cuts_within(std::span<const std::int64_t> limits,
                                                     double price, std::size_t longest) const;
  [[nodiscard]] std::uint32_t defined(std::uint32_t idle) const;
  /// Backward does not read the tensor, but later forward tasks do: where a segment ends between, what the next one
  /// is computed from again.
  [[nodiscard]] bool is_unread_checkpoint(std::uint32_t idle) const;

  struct Ended {
    std::uint32_t defined = 0;
    std::int64_t bytes = 0;
    double price = 0;
  };

  const MixFacts& facts_;
  std::vector<std::uint32_t> droppable_;
  std::vector<double> price_;  ///< by idle time: time to compute it again over that of its copy
  std::vector<std::int64_t> begun_at_;  ///< by forward task: bytes that it is the first to write
  Lists<Ended> ended_at_;  ///< by forward task: those last used there, unread checkpoints last
  std::int64_t droppable_bytes_ = 0;
};

/// Where too much is near, what is computed again and in the way is kept instead, or moved. False where that does
/// not make it fit.
[[nodiscard]] bool repair(const MixFacts& facts, MixDecoder& decoder, Decisions& decisions);

}  // namespace ooc
