// Ranges, the order of a grid and the knee, from inside.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "cli/sweep/grid.hpp"
#include "cli/sweep/inputs.hpp"
#include "cli/sweep/progress.hpp"
#include "cli/sweep/ranges.hpp"
#include "cli/sweep/sha256.hpp"
#include "model/base/errors.hpp"
#include "simulator/predict/knee.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {
namespace {

using namespace std::chrono_literals;
using Counts = std::vector<std::int64_t>;

TEST_CASE("a range multiplies or adds up to and including its end") {
  CHECK(batch_range("32:512:x2", "--batch") == Counts{32, 64, 128, 256, 512});
  CHECK(batch_range("32:511:x2", "--batch") == Counts{32, 64, 128, 256});
  CHECK(batch_range("1:10:+3", "--batch") == Counts{1, 4, 7, 10});
  CHECK(batch_range("1:9:+3", "--batch") == Counts{1, 4, 7});
  CHECK(batch_range("5:5:x2", "--batch") == Counts{5});
  CHECK(batch_range("5:6:+2147483648", "--batch") == Counts{5});
  // 15, 22.5, 33.75: rounded only for show, so errors do not add up.
  CHECK(batch_range("10:40:x1.5", "--batch") == Counts{10, 15, 23, 34});
  CHECK(batch_range("8,1:4:x2,16", "--batch") == Counts{8, 1, 2, 4, 16});
}

TEST_CASE("ranges of sizes and rates have units at both ends and in an added step") {
  const auto sizes = bytes_range("8GiB:16GiB:+4GiB", "--memory");
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[1].count() == 12LL << 30);
  const auto rates = rate_range("4GB/s:512GB/s:x2,inf", "--link");
  REQUIRE(rates.size() == 9);
  CHECK(rates[7] == BytesPerSecond(512'000'000'000));
  CHECK(rates[8] == kInfiniteRate);
}

TEST_CASE("points of a range that round to the same number come once") {
  // 1, 1.5, 2.25, 3.375, 5.0625, 7.59: 2 twice.
  CHECK(batch_range("1:10:x1.5", "--batch") == Counts{1, 2, 3, 5, 8});
  CHECK(batch_range("10:12:x1.1", "--batch") == Counts{10, 11, 12});
  const Counts fine = batch_range("1:100:x1.001", "--batch");
  CHECK(fine.size() == 100);
  CHECK(fine.back() == 100);
}

TEST_CASE("factors are plain decimals from above 1 to 1000") {
  for (const char* bad :
       {"1:9:x", "1:9:x1", "1:9:x0.5", "1:9:x-2", "1:9:x1e1", "1:9:xnan", "1:9:x1.", "1:9:x.5",
        "1:9:x1.0000001", "1:9:x1001", "1:9:x1.2.3", "1:9:x99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(static_cast<void>(batch_range(bad, "--batch")), SpecError);
  }
  CHECK(batch_range("1:1000:x1000", "--batch") == Counts{1, 1000});
}

TEST_CASE("the grid counts in the order network, machine, batch, memory, far memory, schedule") {
  SweepGrid grid;
  grid.networks = {"a", "b"};
  grid.hardware = {"x"};
  grid.batches = {1, 2, 3};
  grid.memories = {std::nullopt, std::nullopt};
  grid.schedules = {nullptr, nullptr};
  grid.links = {std::nullopt, std::nullopt, std::nullopt};
  CHECK(grid.units() == 24);
  CHECK(grid.rows() == 72);
  const SweepUnit unit = unit_at(grid, 19);  // 19 = ((1 x 3 + 1) x 2 + 1) x 2 + 1
  CHECK(unit.network == 1);
  CHECK(unit.hardware == 0);
  CHECK(unit.batch == 1);
  CHECK(unit.memory == 1);
  CHECK(unit.schedule == 1);
  CHECK(unit.costs == 4);  // network 1, batch 1 of 3
  grid.far_memories = {Bytes(1), Bytes(2), Bytes(3)};
  CHECK(grid.units() == 72);
  const SweepUnit far = unit_at(grid, 19);  // 19 = ((1 x 2 + 1) x 3 + 0) x 2 + 1
  CHECK(far.batch == 1);
  CHECK(far.memory == 1);
  CHECK(far.far_memory == 0);
  CHECK(far.schedule == 1);
  CHECK(far.costs == 1);
}

const std::vector<std::optional<BytesPerSecond>> kFourLinks{BytesPerSecond(30), BytesPerSecond(10),
                                                            BytesPerSecond(20), kInfiniteRate};

LinkTime takes(std::int64_t time, std::int64_t compute = 1000) {
  LinkTime made;
  made.worked_out = made.feasible = true;
  made.iteration_time = Duration(time);
  made.compute_time = Duration(compute);
  return made;
}

Knee knee_of(std::vector<LinkTime> times, std::optional<LinkTime> at_infinite_link = {}) {
  return find_knee({.unit = 7,
                    .links = Links(kFourLinks).first(times.size()),
                    .times = times,
                    .at_infinite_link = at_infinite_link});
}

TEST_CASE("the knee is the slowest link within the limit, one nanosecond decides") {
  const Knee at_limit = knee_of({takes(1010), takes(1050), takes(1050), takes(1000)});
  CHECK(at_limit.unit == 7);
  CHECK(at_limit.within_1_percent == 0);
  CHECK(at_limit.within_5_percent == 1);
  CHECK(at_limit.not_within_1_percent == NoKnee::kNone);
  const Knee above = knee_of({takes(1011), takes(1051), takes(1050), takes(1000)});
  CHECK(above.within_1_percent == 3);
  CHECK(above.within_5_percent == 2);
}

TEST_CASE("without a knee the cause is the first that alone takes the time") {
  CHECK(knee_of({LinkTime()}).not_within_5_percent == NoKnee::kNotWorkedOut);
  LinkTime too_large;
  too_large.worked_out = true;
  const Knee none = knee_of({too_large, LinkTime()});
  CHECK(!none.within_5_percent);
  CHECK(none.not_within_1_percent == NoKnee::kDoesNotFit);

  const std::vector<LinkTime> slow{takes(2000), takes(3000)};
  CHECK(knee_of(slow, takes(1050)).not_within_5_percent == NoKnee::kBeyondList);
  LinkTime far = takes(1050);
  far.far_memory_binds = true;
  CHECK(knee_of(slow, far).not_within_5_percent == NoKnee::kBeyondList);
  CHECK(knee_of(slow, far).not_within_1_percent == NoKnee::kFarMemory);
  far.recompute_time = Duration(10);
  CHECK(knee_of(slow, far).not_within_1_percent == NoKnee::kFarMemory);
  far.fault_time = Duration(1);
  CHECK(knee_of(slow, far).not_within_1_percent == NoKnee::kPageFaults);
  far.recompute_time = Duration(11);
  CHECK(knee_of(slow, far).not_within_1_percent == NoKnee::kRecomputes);
  CHECK(knee_of(slow, takes(1051)).not_within_5_percent == NoKnee::kOtherWaits);
  // An infinite link in the list is its own witness.
  LinkTime near = takes(1051);
  near.near_memory_binds = true;
  CHECK(knee_of({takes(2000), takes(2000), takes(2000), near}).not_within_5_percent ==
        NoKnee::kNearMemory);
}

TEST_CASE("sha256 is that of FIPS 180-4, around the ends of its blocks too") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // 56 bytes: the length has no room in the first block.
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("progress: rows, share, rate of this run alone, time left") {
  using std::chrono::seconds;
  CHECK(advance_text({.done = 50, .added = 50, .all = 200, .spent = seconds(1)}) ==
        "50 of 200 rows, 25 %, 50 rows/s, 3 s left");
  CHECK(advance_text({.done = 150, .added = 10, .all = 200, .spent = seconds(20)}) ==
        "150 of 200 rows, 75 %, 0.5 rows/s, 100 s left");
  CHECK(advance_text({.done = 1, .added = 1, .all = 61, .spent = seconds(60)}) ==
        "1 of 61 rows, 1 %, 1.0 rows/min, 60 min left");
  CHECK(advance_text({.done = 1, .added = 1, .all = 26, .spent = seconds(360)}) ==
        "1 of 26 rows, 3 %, 0.2 rows/min, 2 h 30 min left");
  CHECK(advance_text({.done = 150, .added = 0, .all = 200, .spent = seconds(9)}) ==
        "150 of 200 rows, 75 %");
  CHECK(advance_bar({.done = 1, .added = 1, .all = 4}, 8) == "[##------]");
}

/// The rows of a range of a grid of 2 units of 150 links, as their numbers.
std::string numbers_of(RowRange range, SweepSummary before, std::vector<Knee>& knees) {
  static const RowFormat format{
      .row =
          [](std::string& out, const RunReport& report) {
            const auto links = report.inputs.link->count() / 1'000'000'000 - 1;
            out += std::to_string((report.inputs.batch - 1) * 150 + links);
          },
      .failure = nullptr,
      .between = " "};
  const std::string data = std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example";
  SweepGrid grid;
  grid.networks = {data + ".json"};
  grid.hardware = {data + "_machine.json"};
  grid.batches = {1, 2};
  grid.memories = {std::nullopt};
  for (std::int64_t i = 1; i <= 150; ++i)
    grid.links.emplace_back(BytesPerSecond(i * 1'000'000'000));
  grid.schedules = {find_schedule("capacity")};
  CaseOptions options;
  const SweepInputs inputs = load_sweep(grid, options);
  std::string written;
  const SweepSummary summary =
      run_sweep({.grid = grid,
                 .inputs = inputs,
                 .options = options,
                 .format = format,
                 .threads = 2,
                 .range = range,
                 .before = std::move(before)},
                {.write = [&](std::string_view text, const SweepSummary&) { written += text; },
                 .stop = [] { return false; }});
  CHECK(summary.rows == range.size());
  knees = summary.knees;
  return written;
}

TEST_CASE("a part of a sweep, and one that goes on, has the rows and knees of the whole") {
  std::vector<Knee> knees;
  std::string all;
  for (int i = 0; i < 300; ++i) all += (i > 0 ? " " : "") + std::to_string(i);
  CHECK(numbers_of({.begin = 0, .end = 300}, {}, knees) == all);
  REQUIRE(knees.size() == 2);
  const std::vector<Knee> whole = knees;
  CHECK(numbers_of({.begin = 148, .end = 151}, {}, knees) == "148 149 150");
  REQUIRE(knees.size() == 1);
  CHECK(knees[0].unit == 0);
  CHECK(knees[0].within_5_percent == whole[0].within_5_percent);
  CHECK(knees[0].not_within_1_percent == whole[0].not_within_1_percent);
  SweepSummary before;
  before.rows = before.fitting = 297;
  before.knees = {whole[0]};
  CHECK(numbers_of({.begin = 0, .end = 300}, before, knees) == " 297 298 299");
  REQUIRE(knees.size() == 2);
  CHECK(knees[1].within_5_percent == whole[1].within_5_percent);
  before.rows = 300;
  before.knees = whole;
  CHECK(numbers_of({.begin = 0, .end = 300}, before, knees) == "");
}

std::atomic<bool> go_on{false};  // NOLINT: a format's functions have no other way to know

TEST_CASE("a stop does not wait for a slow row, and what is finished around it is written") {
  // One row of five takes 10 s; its format is what takes so long. Nothing of this is given up: threads
  // that were left behind use it.
  static const RowFormat format{.row =
                                    [](std::string& out, const RunReport& report) {
                                      for (int i = 0;
                                           i < 10'000 && report.inputs.batch == 2 && !go_on; ++i) {
                                        std::this_thread::sleep_for(1ms);
                                      }
                                      out += std::to_string(report.inputs.batch);
                                    },
                                .failure = nullptr,
                                .between = " "};
  static const std::string data = std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example";
  static SweepGrid& grid = *new SweepGrid;
  grid.networks = {data + ".json"};
  grid.hardware = {data + "_machine.json"};
  grid.batches = {1, 2, 3, 4, 5};
  grid.memories = {std::nullopt};
  grid.links = {std::nullopt};
  grid.schedules = {find_schedule("in-core")};
  static CaseOptions& options = *new CaseOptions;
  static const SweepInputs& inputs = *new SweepInputs(load_sweep(grid, options));
  std::string written;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::steady_clock::now() - begin; };
  const SweepSummary summary =
      run_sweep({.grid = grid,
                 .inputs = inputs,
                 .options = options,
                 .format = format,
                 .threads = 2,
                 .range = {.begin = 0, .end = grid.rows()}},
                {.write = [&](std::string_view text, const SweepSummary&) { written += text; },
                 .stop = [&] { return spent() > 300ms; }});
  CHECK(spent() < 5s);
  CHECK(summary.stopped);
  CHECK(summary.rows == 4);
  CHECK(written == "1 3 4 5");
  go_on = true;
}

}  // namespace
}  // namespace ooc
