// A doubly linked list in one array, so that taking and freeing a segment cost the same however many there are, and
// beside it the holes alone, for the search: there are few of them, because holes join as soon as they touch.
#include "simulator/schedules/address_space.hpp"

#include "model/base/errors.hpp"

namespace ooc {

AddressSpace::AddressSpace(Bytes size) {
  first_ = add_node();
  rover_ = first_;
  node(first_).segment.bytes = size;
  add_hole(first_);
}

SegmentId AddressSpace::add_node() {
  if (!unused_.empty()) {
    const SegmentId id = unused_.back();
    unused_.pop_back();
    node(id) = {};
    return id;
  }
  nodes_.emplace_back();
  return make_id<SegmentId>(nodes_.size() - 1);
}

void AddressSpace::add_hole(SegmentId id) {
  node(id).hole = holes_.size();
  holes_.push_back(id);
  free_bytes_ += node(id).segment.bytes;
}

void AddressSpace::remove_hole(SegmentId id) {
  const std::size_t place = node(id).hole;
  holes_[place] = holes_.back();
  node(holes_[place]).hole = place;
  holes_.pop_back();
  free_bytes_ -= node(id).segment.bytes;
}

std::optional<SegmentId> AddressSpace::next(SegmentId id) const { return nodes_[id.at()].next; }

std::optional<SegmentId> AddressSpace::previous(SegmentId id) const {
  return nodes_[id.at()].previous;
}

std::optional<SegmentId> AddressSpace::find_hole(Bytes bytes) const {
  std::optional<SegmentId> best;
  for (const SegmentId id : holes_) {
    const Bytes size = nodes_[id.at()].segment.bytes;
    if (size >= bytes && (!best || size < nodes_[best->at()].segment.bytes)) best = id;
  }
  return best;
}

SegmentId AddressSpace::take(SegmentId hole, Bytes bytes, Segment::Holds holds, TensorId tensor,
                             Side side) {
  OOC_CHECK(node(hole).segment.bytes >= bytes && bytes.count() > 0, "the hole is large enough");
  remove_hole(hole);
  SegmentId taken = hole;
  const Bytes left_over = node(hole).segment.bytes - bytes;
  if (left_over.count() > 0) {
    const SegmentId behind = add_node();
    Node& left = node(hole);
    Node& right = node(behind);
    right.segment.free_since = left.segment.free_since;
    right.previous = hole;
    right.next = left.next;
    if (left.next) node(*left.next).previous = behind;
    left.next = behind;
    taken = side == Side::kLow ? hole : behind;
    const SegmentId rest = side == Side::kLow ? behind : hole;
    node(rest).segment.bytes = left_over;
    add_hole(rest);
  }
  Segment& block = node(taken).segment;
  block.bytes = bytes;
  block.holds = holds;
  block.tensor = tensor;
  return taken;
}

SegmentId AddressSpace::free(SegmentId block, const Since& since) {
  Segment& segment = node(block).segment;
  OOC_CHECK(segment.holds != Segment::Holds::kNothing, "only a block is freed");
  segment.holds = Segment::Holds::kNothing;
  segment.free_since = since;
  add_hole(block);
  const auto is_hole = [&](const std::optional<SegmentId>& id) {
    return id && node(*id).segment.holds == Segment::Holds::kNothing;
  };
  if (const auto after = node(block).next; is_hole(after)) join(block, *after);
  const auto before = node(block).previous;
  if (!is_hole(before)) return block;
  join(*before, block);
  return *before;
}

void AddressSpace::join(SegmentId first, SegmentId second) {
  remove_hole(first);
  remove_hole(second);
  Node& left = node(first);
  const Node& right = node(second);
  left.segment.bytes += right.segment.bytes;
  left.segment.free_since.join(right.segment.free_since);
  left.next = right.next;
  if (right.next) node(*right.next).previous = first;
  if (rover_ == second) rover_ = first;
  unused_.push_back(second);
  add_hole(first);
}

}  // namespace ooc
