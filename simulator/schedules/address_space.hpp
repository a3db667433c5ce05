// Near memory as a planner sees it that decides where every block lies: a list of segments in the
// order of their addresses, each a block or a hole. A hole remembers what must have ended before its
// bytes are really free, so that whoever is put there waits for exactly that: two blocks that are
// planned to the same address can then never be near at once, whatever the timing, and the whole
// plan needs no more than the addresses it was planned on.
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

/// What has to have ended: so many steps of the compute queue and so many copies (in the order in
/// which they are planned), and when that is.
struct Since {
  std::int32_t computes = 0;
  std::int32_t copies = 0;
  Duration at{};

  void join(const Since& other) {
    computes = std::max(computes, other.computes);
    copies = std::max(copies, other.copies);
    at = std::max(at, other.at);
  }
};

struct Segment {
  enum class Holds : std::uint8_t { kNothing, kTensor, kWorkspace };
  Bytes bytes;
  Holds holds = Holds::kNothing;
  TensorId tensor;   ///< kTensor
  Since free_since;  ///< of a hole; of a block: of the hole it was put into
};

class AddressSpace {
 public:
  explicit AddressSpace(Bytes size);

  [[nodiscard]] const Segment& operator[](SegmentId id) const { return nodes_[id.at()].segment; }
  [[nodiscard]] std::optional<SegmentId> next(SegmentId id) const;
  [[nodiscard]] std::optional<SegmentId> previous(SegmentId id) const;
  [[nodiscard]] SegmentId first() const { return first_; }
  /// Where the last search for room ended; the next one starts there.
  [[nodiscard]] SegmentId rover() const { return rover_; }
  void set_rover(SegmentId id) { rover_ = id; }

  /// The smallest hole of at least so many bytes.
  [[nodiscard]] std::optional<SegmentId> find_hole(Bytes bytes) const;
  /// Puts a block at one end of a hole. Precondition: it is large enough, bytes > 0.
  enum class Side : std::uint8_t { kLow, kHigh };
  SegmentId take(SegmentId hole, Bytes bytes, Segment::Holds holds, TensorId tensor,
                 Side side = Side::kLow);
  /// Makes a hole of a block and joins it with the holes beside it; returns the joined hole.
  SegmentId free(SegmentId block, const Since& since);
  [[nodiscard]] Bytes free_bytes() const { return free_bytes_; }

 private:
  struct Node {
    Segment segment;
    std::optional<SegmentId> previous;
    std::optional<SegmentId> next;
    std::size_t hole = 0;  ///< its place in holes_, if it is one
  };

  Node& node(SegmentId id) { return nodes_[id.at()]; }
  SegmentId add_node();
  void add_hole(SegmentId id);
  void remove_hole(SegmentId id);
  /// `second` follows `first`; both are holes.
  void join(SegmentId first, SegmentId second);

  std::vector<Node> nodes_;
  std::vector<SegmentId> unused_;  ///< nodes
  std::vector<SegmentId> holes_;   ///< in no order
  SegmentId first_;
  SegmentId rover_;
  Bytes free_bytes_;
};

}  // namespace ooc
