// Are blocks where they were put, and holes whole again when what parted them has gone?
#include "simulator/schedules/address_space.hpp"

#include "tests/support/test.hpp"

namespace ooc {
namespace {

using Holds = Segment::Holds;
using Side = AddressSpace::Side;

TEST_CASE("a block is taken from either end of a hole") {
  // 10 bytes: low [0, 3), high [6, 10), between them a hole of 3.
  AddressSpace space(Bytes(10));
  const SegmentId low =
      space.take(*space.find_hole(Bytes(3)), Bytes(3), Holds::kTensor, TensorId{0});
  const SegmentId high =
      space.take(*space.find_hole(Bytes(4)), Bytes(4), Holds::kTensor, TensorId{1}, Side::kHigh);
  REQUIRE(space.first() == low);
  const auto hole = space.next(low);
  REQUIRE(hole.has_value());
  CHECK(space[*hole].holds == Holds::kNothing);
  CHECK(space[*hole].bytes == Bytes(3));
  CHECK(space.next(*hole) == high);
  CHECK(space.previous(high) == hole);
  CHECK(space.free_bytes() == Bytes(3));
  CHECK_FALSE(space.find_hole(Bytes(4)).has_value());
  // Without the high block 7 bytes are free in one piece, without the low one all 10.
  space.free(high, {});
  CHECK(space.find_hole(Bytes(7)).has_value());
  space.free(low, {});
  CHECK(space.find_hole(Bytes(10)).has_value());
}

TEST_CASE("a hole that fits exactly is taken whole from either end") {
  AddressSpace space(Bytes(5));
  const SegmentId all =
      space.take(space.first(), Bytes(5), Holds::kTensor, TensorId{0}, Side::kHigh);
  CHECK(all == space.first());
  CHECK_FALSE(space.next(all).has_value());
  CHECK(space.free_bytes() == Bytes(0));
}

}  // namespace
}  // namespace ooc
