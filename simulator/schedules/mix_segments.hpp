// Cuts of the forward pass into segments. Tensors used only within a segment are dropped: block
// checkpointing (Chen et al. 2016) on any graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulator/schedules/mix_decoder.hpp"
#include "simulator/schedules/mix_facts.hpp"

namespace ooc {

/// Cut of the forward pass. By forward task: last task of its segment; kNoSegment: in no segment.
using SegmentEnds = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kNoSegment = kNoIndex;

class MixSegments {
 public:
  /// `facts` must outlive the segments.
  explicit MixSegments(const MixFacts& facts);

  /// Price limit that admits every tensor. A tensor's price: time to recompute it / time of one copy of it.
  static constexpr double kAnyPrice = 1e30;

  /// Returns the cut with the fewest bytes across segment ends. Only tensors of a price up to `price` are dropped.
  /// A segment of several tasks drops at most `most` bytes; a segment of one task may drop more.
  [[nodiscard]] SegmentEnds cut(std::int64_t most, double price = kAnyPrice) const;
  /// Returns cut(limit) for each of `limits`, which descend. All limits above what any segment can drop share one
  /// cut. Takes little more time than one cut.
  [[nodiscard]] std::vector<SegmentEnds> cuts(std::vector<std::int64_t> limits) const;
  /// Returns a cut into at most `number` segments, whose largest drops about as few bytes as possible.
  [[nodiscard]] SegmentEnds cut_into(std::int64_t number) const;

  /// Returns decisions that drop tensors used only within their segment, at a price of at most `price`.
  /// Other tensors get `crossing`, or stay if no other segment reads them.
  [[nodiscard]] Decisions drop_within(const SegmentEnds& ends, double price = kAnyPrice,
                                      Treatment crossing = Treatment::kKeep) const;
  /// True if a segment other than the tensor's own reads it.
  [[nodiscard]] bool is_read_from_outside(const SegmentEnds& ends, TensorId tensor) const;

  /// Returns the bytes of all tensors in droppable().
  [[nodiscard]] std::int64_t droppable_bytes() const { return droppable_bytes_; }
  /// Returns gaps (indices in MixFacts::idle) from forward to backward of tensors that can be recomputed, by writer.
  [[nodiscard]] const std::vector<std::uint32_t>& droppable() const { return droppable_; }

 private:
  [[nodiscard]] std::vector<SegmentEnds> cuts_within(std::span<const std::int64_t> limits,
                                                     double price, std::size_t longest) const;
  [[nodiscard]] std::uint32_t defined(std::uint32_t idle) const;
  /// True if later forward tasks read the gap's tensor but backward does not. If a segment ends in between, such a
  /// tensor is a checkpoint.
  [[nodiscard]] bool is_unread_checkpoint(std::uint32_t idle) const;

  struct Ended {
    std::uint32_t defined = 0;
    std::int64_t bytes = 0;
    double price = 0;
  };

  const MixFacts& facts_;
  std::vector<std::uint32_t> droppable_;
  std::vector<double> price_;           ///< by gap of MixFacts::idle: price (see kAnyPrice)
  std::vector<std::int64_t> begun_at_;  ///< by forward task: droppable bytes that it writes first
  Lists<Ended> ended_at_;  ///< by forward task: tensors last read there, unread checkpoints last
  std::int64_t droppable_bytes_ = 0;
};

/// Changes drops to kKeep (late: kDropEach) where memory is exceeded. Returns false if the plan still does not fit.
[[nodiscard]] bool repair(const MixFacts& facts, MixDecoder& decoder, Decisions& decisions);

}  // namespace ooc
