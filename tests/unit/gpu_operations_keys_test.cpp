// What operations say of keys that are wrong, and how long they last on the stub device.
#include <doctest/doctest.h>

#include <string>

#include "tests/unit/gpu_operations_bench.hpp"

using ooc::test::OperationsBench;

TEST_CASE("an operation nobody knows is not made, and says so") {
  const OperationsBench bench({4});
  CHECK(bench.missing("op=levitate pass=forward batch=1 x=0") == "unknown op 'levitate'");
}

TEST_CASE("places that are none or do not fit are errors that name them") {
  const OperationsBench bench({4, 4}, 2);
  const auto relu = [&](const std::string& x) {
    return bench.error("op=relu pass=forward batch=2 elements=2 y=1 x=" + x);
  };
  CHECK(relu("0").empty());
  CHECK(relu("2") == "relu: 'x': there is no block 2");
  CHECK(relu("0+4") == "relu: 'x': needs 16 bytes, its block has 12");
  CHECK(relu("0+20") == "relu: 'x': 0+20 begins behind its block");
  CHECK(relu("0+0/4") == "relu: 'x': samples of a slice overlap");
  // The second sample would begin at byte 12.
  CHECK(relu("0+0/12") == "relu: 'x': needs 20 bytes, its block has 16");
  for (const std::string x :
       {"", "x", "0+", "0/8", "0+0/", "0+2", "0+0/10", "0+0/0", "1-4", "0 "}) {
    CAPTURE(x);
    if (x == "0 ") continue;  // not a line
    CHECK(relu(x) ==
          "relu: 'x': found '" + x + "', expected B, B+O or B+O/P, O and P multiples of 4");
  }
  CHECK(bench.error("op=relu pass=forward batch=2 elements=2 y=1") == "relu: 'x' is missing");
  CHECK(bench.error("op=relu pass=sideways batch=2 elements=2 y=1 x=0") ==
        "relu: 'pass': found 'sideways', expected forward, backward, backward_data or "
        "backward_weights");
  CHECK(bench.error("op=relu pass=backward_data batch=2 elements=2 y=1 x=0") ==
        "relu: it has no pass 'backward_data'");
  CHECK(bench.error("op=batch_norm pass=forward batch=2 channels=2 positions=1 x=0 y=1 w=0") ==
        "batch_norm: 'w': ends at byte 16, the static memory has 8");
  CHECK(bench.error("op=dropout pass=forward batch=2 elements=2 x=0 y=1 mask=1+16") ==
        "dropout: 'mask': needs 4 bytes, its block has 0");
}

TEST_CASE("sizes that do not belong together are errors") {
  const OperationsBench bench({64, 64}, 64);
  CHECK(bench.error(
            "op=conv pass=forward batch=1 channels=1 height=4 width=4 filters=1 out_height=4 "
            "out_width=3 kernel_h=2 kernel_w=2 stride_h=1 stride_w=1 pad_h=0 pad_w=0 dilation_h=1 "
            "dilation_w=1 groups=1 bias=0 x=0 y=1 w=0") ==
        "conv: the sizes of input, window and output do not belong together");
  CHECK(bench.error("op=max_pool pass=forward batch=1 channels=1 height=4 width=4 out_height=4 "
                    "out_width=2 kernel_h=2 kernel_w=2 stride_h=2 stride_w=2 pad_h=0 pad_w=0 x=0 "
                    "y=1") == "max_pool: a window of 'height' lies in the padding alone");
  CHECK(bench.error("op=transpose pass=forward batch=1 rank=2 dim0=2 dim1=2 axis0=1 axis1=1 x=0 "
                    "y=1") == "transpose: the axes are no order of the dimensions");
  CHECK(bench.error("op=slice pass=forward batch=1 outer=1 size=4 begin=3 end=3 inner=1 x=0 y=1") ==
        "slice: 'begin' to 'end' is no range within 'size'");
}

TEST_CASE("an operation lasts as long as near memory needs for its bytes") {
  // 2 × 1,000,000 numbers, more than the stub calculates, at 1e12 bytes/s.
  const OperationsBench bench({2000000, 2000000, 2000000}, 8);
  // reads and writes: 2 · 8e6 bytes
  CHECK(bench.time_ns("op=relu pass=forward batch=2 elements=1000000 x=0 y=1") ==
        doctest::Approx(16000).epsilon(0.1));
  // dy, y and dx
  CHECK(bench.time_ns("op=relu pass=backward batch=2 elements=1000000 y=0 dy=1 dx=2") ==
        doctest::Approx(24000).epsilon(0.1));
  // and dx once more
  CHECK(bench.time_ns("op=relu pass=backward batch=2 elements=1000000 y=0 dy=1 dx=2 add_to=dx") ==
        doctest::Approx(32000).epsilon(0.1));
  // x twice, y
  CHECK(bench.time_ns(
            "op=batch_norm pass=forward batch=2 channels=4 positions=250000 x=0 y=1 w=0 dw=0") ==
        doctest::Approx(24000).epsilon(0.2));
}
