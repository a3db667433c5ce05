// GPU memory for a planner that chooses the address of every block: a list of segments by address,
// each a block or a hole. A hole records what must end before its bytes are free, and a block
// placed there waits for exactly that. So two blocks planned to overlapping addresses are never in
// memory at once, whatever the timing. The plan needs no more bytes than the address range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/ids.hpp"
#include "model/base/units.hpp"

namespace ooc {

using SegmentId = Id<struct SegmentTag>;

/// Instant in a plan: number of compute steps and of copies (each in planning order) that have
/// ended, and the time.
struct Since {
  std::int32_t computes = 0;
  std::int32_t copies = 0;
  Duration at{};

  void join(const Since& other) {  ///< sets each member to the larger of both
    computes = std::max(computes, other.computes);
    copies = std::max(copies, other.copies);
    at = std::max(at, other.at);
  }
};

struct Segment {
  enum class Holds : std::uint8_t { kNothing, kTensor, kWorkspace };
  Bytes bytes;
  Holds holds = Holds::kNothing;
  TensorId tensor;   ///< tensor that the block holds, if kTensor
  Since free_since;  ///< when the bytes became free; of a block: before it was placed
};

class AddressSpace {
 public:
  explicit AddressSpace(Bytes size);

  [[nodiscard]] const Segment& operator[](SegmentId id) const { return nodes_[id.at()].segment; }
  [[nodiscard]] std::optional<SegmentId> next(SegmentId id) const;
  [[nodiscard]] std::optional<SegmentId> previous(SegmentId id) const;
  [[nodiscard]] SegmentId first() const { return first_; }
  /// Returns the segment at which ModnnMachine starts its next search for blocks to offload.
  [[nodiscard]] SegmentId rover() const { return rover_; }
  void set_rover(SegmentId id) { rover_ = id; }

  /// Returns the smallest hole of at least `bytes`; unset: none.
  [[nodiscard]] std::optional<SegmentId> find_hole(Bytes bytes) const;
  enum class Side : std::uint8_t { kLow, kHigh };
  /// Returns a new block at one end of the hole. Precondition: the hole is large enough, bytes > 0.
  SegmentId take(SegmentId hole, Bytes bytes, Segment::Holds holds, TensorId tensor,
                 Side side = Side::kLow);
  /// Frees a block whose last users ended at `since`. Returns the hole, joined with adjacent holes.
  SegmentId free(SegmentId block, const Since& since);
  [[nodiscard]] Bytes free_bytes() const { return free_bytes_; }

 private:
  struct Node {
    Segment segment;
    std::optional<SegmentId> previous;
    std::optional<SegmentId> next;
    std::size_t hole = 0;  ///< index in holes_, if the segment is a hole
  };

  Node& node(SegmentId id) { return nodes_[id.at()]; }
  SegmentId add_node();
  void add_hole(SegmentId id);
  void remove_hole(SegmentId id);
  /// Joins two holes. Precondition: `second` follows `first`.
  void join(SegmentId first, SegmentId second);

  std::vector<Node> nodes_;
  std::vector<SegmentId> unused_;  ///< nodes for reuse
  std::vector<SegmentId> holes_;   ///< segments that are holes, in any order
  SegmentId first_;
  SegmentId rover_;
  Bytes free_bytes_;
};

}  // namespace ooc
