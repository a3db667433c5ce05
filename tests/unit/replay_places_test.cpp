// Addresses of blocks in the arena and of parameters in the static memory.
#include <doctest/doctest.h>

#include <limits>

#include "simulator/replay/place_blocks.hpp"
#include "simulator/replay/static_places.hpp"
#include "tests/support/random_networks.hpp"
#include "tests/support/tiny_specs.hpp"

namespace ooc {
namespace {

/// Taken when `taken` compute steps have ended, free when `freed` have.
PlacedBlock block(int bytes, int taken, int freed) {
  return {.bytes = Bytes(bytes),
          .initial = false,
          .ended = {taken, 0, 0},
          .free_when = {freed, 0, 0},
          .taken = static_cast<std::size_t>(taken),
          .freed = static_cast<std::size_t>(freed)};
}

TEST_CASE("blocks that cannot be resident together share addresses, others do not") {
  // 0 |----|        1000 bytes: 1024
  // 1    |-----|     512
  // 2      |---|    1000: in the place of 0
  const Placement placement =
      place_blocks({block(1000, 0, 2), block(512, 1, 4), block(1000, 2, 4)}, Bytes(1512));
  CHECK(placement.extent == Bytes(1536));
  CHECK(placement.offsets[0] == placement.offsets[2]);
  CHECK(placement.offsets[1] != placement.offsets[0]);
}

TEST_CASE("offsets are multiples of 512 and an empty block takes no place") {
  const Placement placement =
      place_blocks({block(1, 0, 3), block(0, 0, 3), block(513, 0, 3)}, Bytes(0));
  CHECK(placement.extent == Bytes(512 + 1024));
  for (const Bytes offset : placement.offsets) CHECK(offset.count() % 512 == 0);
  CHECK(place_blocks({}, Bytes(0)).extent == Bytes(0));
}

TEST_CASE("what is resident from the start follows nothing, even if nothing need have ended") {
  PlacedBlock initial = block(512, 0, 1);
  initial.initial = true;
  PlacedBlock never_used =
      block(512, 0, 0);  // free when nothing has ended: before anything is taken
  never_used.initial = true;
  CHECK(place_blocks({initial, never_used}, Bytes(0)).extent == Bytes(1024));
  CHECK(place_blocks({initial, block(512, 1, 2)}, Bytes(0)).extent == Bytes(512));
}

TEST_CASE("a block that is never freed keeps its place") {
  constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
  PlacedBlock kept = block(512, 0, 0);
  kept.free_when = {kNever, kNever, kNever};
  CHECK(place_blocks({kept, block(512, 5, 6)}, Bytes(0)).extent == Bytes(1024));
}

TEST_CASE(
    "weights, gradients and state fill the static memory without gaps, aligned by their size") {
  test::Workload workload = test::workload_of_text(
      tiny::network(R"({"name": "c", "type": "conv", "filters": 4, "kernel": [1, 1]},
                       {"name": "n", "type": "batch_norm"})"),
      1);
  // c: 2 x 4 + 4 = 12 parameters, 48 bytes = 16 x 3; n: 8 parameters, 32 bytes.
  StaticLayout layout = place_static_memory(workload.graph);
  CHECK(layout.bytes == 2 * (48 + 32));
  CHECK(layout.of_layer[1].weights == 0);
  CHECK(layout.of_layer[1].gradients == 32);
  CHECK(layout.of_layer[0].weights == 64);
  CHECK(layout.of_layer[0].gradients == 112);
  workload.graph.optimizer = Optimizer::kAdam;  // 8 bytes of state a parameter: 96 and 64
  layout = place_static_memory(workload.graph);
  CHECK(layout.bytes == 4 * (48 + 32));
  CHECK(layout.of_layer[1].state == 0);
  CHECK(layout.of_layer[0].state == 64);  // 96 = 32 x 3
}

}  // namespace
}  // namespace ooc
