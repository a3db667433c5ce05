// Ranges, the order of a grid and the knee, from inside.
#include <atomic>
#include <chrono>
#include <thread>

#include "cli/sweep/grid.hpp"
#include "cli/sweep/progress.hpp"
#include "model/base/errors.hpp"
#include "model/base/text_file.hpp"
#include "simulator/predict/ranges.hpp"
#include "simulator/predict/sweep.hpp"
#include "tests/support/test.hpp"

namespace ooc {
namespace {

using namespace std::chrono_literals;
using Counts = std::vector<std::int64_t>;

Counts values(const char* axis, const std::string& text) {
  return axis_values(axis_kinds()[axis_place(axis)], text);
}

TEST_CASE("a range multiplies or adds up to and including its end") {
  CHECK(values("--batch", "32:512:x2") == Counts{32, 64, 128, 256, 512});
  CHECK(values("--batch", "32:511:x2") == Counts{32, 64, 128, 256});
  CHECK(values("--batch", "1:10:+3") == Counts{1, 4, 7, 10});
  CHECK(values("--batch", "1:9:+3") == Counts{1, 4, 7});
  CHECK(values("--batch", "5:5:x2") == Counts{5});
  CHECK(values("--batch", "5:6:+2147483648") == Counts{5});
  // 15, 22.5, 33.75: rounded only for show, so errors do not add up.
  CHECK(values("--batch", "10:40:x1.5") == Counts{10, 15, 23, 34});
  CHECK(values("--batch", "8,1:4:x2,16") == Counts{8, 1, 2, 4, 16});
}

TEST_CASE("ranges of sizes and rates have units at both ends and in an added step") {
  const Counts sizes = values("--memory", "8GiB:16GiB:+4GiB");
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[1] == 12LL << 30);
  const Counts rates = values("--link", "4GB/s:512GB/s:x2,inf");
  REQUIRE(rates.size() == 9);
  CHECK(rates[7] == 512'000'000'000);
  CHECK(rates[8] == kInfiniteRate.count());
  CHECK(values("--latency", "0us:10us:+5us") == Counts{0, 5'000, 10'000});
  CHECK(values("--duplex", "0.5:1:+25%") == Counts{500'000'000, 750'000'000, 1'000'000'000});
  CHECK(values("--compute-scale", "0.5:2:x2") == Counts{500'000'000, 1'000'000'000, 2'000'000'000});
  CHECK(values("--devices", "1:8:x2") == Counts{1, 2, 4, 8});
}

TEST_CASE("a range may have a million values") {
  const Counts range = values("--batch", "5:1000000:+1");
  CHECK(range.size() == 999'996);
  CHECK(range[123'456] == 123'461);
  CHECK(range.back() == 1'000'000);
}

TEST_CASE("every axis reads what it shows") {
  for (const Option& axis : axis_kinds()) {
    if (axis.values.parse == nullptr) continue;
    CAPTURE(axis.flag);
    // Half of what megatron-hybrid moves; a half, a quarter and gradients.
    constexpr std::int64_t kHalf = 500'000'000;
    const std::int64_t value = axis.flag == "--duplex"    ? 750'000'000
                               : axis.flag == "--state"   ? (std::int64_t{5} << 30U) + kHalf
                               : axis.flag == "--offload" ? ((kHalf << 30U) + kHalf / 2) * 2 + 1
                               : axis.flag == "--devices" ? 4
                               : axis.flag == "--host-threads"    ? 4
                               : axis.flag == "--expert-parallel" ? 4
                               : !axis.steps                      ? 3
                                                                  : 2'000'000'000;
    CHECK(axis.values.parse(axis.values.show(value), axis.flag) == value);
  }
}

TEST_CASE("docs/formats.md has the axes in their order") {
  std::string list = "networks";
  for (const Option& each : axis_kinds().subspan(1)) list += ", `" + std::string(each.flag) + "`";
  const std::string page = read_text_file(OOC_SOURCE_DIR "/docs/formats.md", "docs", {});
  CHECK_MESSAGE(test::has(page, list + ". Every combination"), list);
}

TEST_CASE("points of a range that round to the same number come once") {
  // 1, 1.5, 2.25, 3.375, 5.0625, 7.59: 2 twice.
  CHECK(values("--batch", "1:10:x1.5") == Counts{1, 2, 3, 5, 8});
  CHECK(values("--batch", "10:12:x1.1") == Counts{10, 11, 12});
  const Counts fine = values("--batch", "1:100:x1.001");
  CHECK(fine.size() == 100);
  CHECK(fine.back() == 100);
}

TEST_CASE("factors are plain decimals from above 1 to 1000") {
  for (const char* bad :
       {"1:9:x", "1:9:x1", "1:9:x0.5", "1:9:x-2", "1:9:x1e1", "1:9:xnan", "1:9:x1.", "1:9:x.5",
        "1:9:x1.0000001", "1:9:x1001", "1:9:x1.2.3", "1:9:x99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(static_cast<void>(values("--batch", bad)), SpecError);
  }
  CHECK(values("--batch", "1:1000:x1000") == Counts{1, 1000});
}

/// Lists of so many values, in the order of the axes.
SweepLists lists_of(const std::vector<std::pair<const char*, int>>& lengths) {
  SweepLists lists;
  for (const auto& [flag, length] : lengths) {
    for (int i = 0; i < length; ++i) lists.of(flag).push_back(i);
  }
  return lists;
}

TEST_CASE(
    "rows count in the order of the axes, and share what lies before the first that differs") {
  const SweepGrid grid(lists_of({{"NETWORK", 2},
                                 {"--hardware", 1},
                                 {"--batch", 3},
                                 {"--memory", 2},
                                 {"--schedule", 2},
                                 {"--latency", 2},
                                 {"--link", 3}}));
  CHECK(grid.rows() == 2 * 3 * 2 * 2 * 2 * 3);
  CHECK(grid.rows_sharing(AxisLevel::kGraph) == 72);
  CHECK(grid.rows_sharing(AxisLevel::kCosts) == 24);
  CHECK(grid.rows_of_unit() == 6);
  CHECK(grid.units() == 24);
  CHECK(grid.rows_of_line() == 3);
  // 101 = ((((1 x 3 + 1) x 2 + 0) x 2 + 0) x 2 + 1) x 3 + 2
  const SweepPlace place = grid.place_at(101);
  CHECK(place[axis_place("NETWORK")] == 1);
  CHECK(place[axis_place("--hardware")] == 0);
  CHECK(place[axis_place("--batch")] == 1);
  CHECK(place[axis_place("--memory")] == 0);
  CHECK(place[axis_place("--schedule")] == 0);
  CHECK(place[axis_place("--latency")] == 1);
  CHECK(place[axis_place("--link")] == 2);
}

TEST_CASE("levels of the axes never fall, so that rows that share stand side by side") {
  const auto kinds = axis_kinds();
  for (std::size_t i = 1; i < kinds.size(); ++i) CHECK(kinds[i - 1].level <= kinds[i].level);
}

TEST_CASE("zipped lists step together, and share what the first of them leaves") {
  SweepLists lists = lists_of({{"NETWORK", 1}, {"--batch", 1}, {"--memory", 3}, {"--link", 3}});
  lists.zip = true;
  const SweepGrid grid(lists);
  CHECK(grid.rows() == 3);
  CHECK(grid.rows_sharing(AxisLevel::kCosts) == 3);
  CHECK(grid.rows_of_unit() == 1);
  CHECK(grid.rows_of_line() == 1);
  CHECK(grid.place_at(2)[axis_place("--memory")] == 2);
  CHECK(grid.place_at(2)[axis_place("--link")] == 2);
  CHECK(grid.place_at(2)[axis_place("--batch")] == 0);
  lists.of("--memory").push_back(3);
  CHECK_THROWS_WITH_AS(SweepGrid{lists},
                       "--zip: found 4 values of --memory and 3 of --link, expected lists of one "
                       "length, or of one value (without --zip every combination is a row)",
                       SpecError);
}

TEST_CASE("a share above the reference is exact: one nanosecond decides") {
  RunReport report;
  report.reference_time = Duration(1000);
  const auto within = [&](std::int64_t time, int percent) {
    report.iteration_time = Duration(time);
    return is_within(report, percent);
  };
  CHECK_FALSE(within(1000, 1));  // it does not fit
  report.feasible = true;
  CHECK(within(1010, 1));
  CHECK_FALSE(within(1011, 1));
  CHECK(within(1050, 5));
  CHECK_FALSE(within(1051, 5));
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
        "1 of 26 rows, 3 %, 0.2 rows/min, 2.5 h left");
  CHECK(advance_text({.done = 150, .added = 0, .all = 200, .spent = seconds(9)}) ==
        "150 of 200 rows, 75 %");
}

/// A sweep of 2 lines of 150 links, whose rows are their numbers.
class NumberedRows {
 public:
  NumberedRows() {
    const std::string data = std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example";
    SweepLists lists;
    lists.networks = {data + ".json"};
    lists.hardware = {data + "_machine.json"};
    lists.schedules = {find_schedule("capacity")};
    // At 3 GB two tensors move, at 5 GB none.
    lists.of("--memory") = {3'000'000'000, 5'000'000'000};
    for (std::int64_t i = 1; i <= 150; ++i) lists.of("--link").push_back(i * 1'000'000'000);
    grid_.emplace(std::move(lists));
    inputs_ = load_sweep(*grid_, {});
  }

  /// Its rows, and what they amount to.
  [[nodiscard]] std::pair<std::string, SweepSummary> run(RowRange range) const {
    const RowFormat format{
        .row =
            [](std::string& out, const RunReport& report, std::optional<std::string_view>) {
              const std::int64_t line = report.inputs.memory.count() / 4'000'000'000;
              const std::int64_t link = report.inputs.transfers.link->count() / 1'000'000'000 - 1;
              out += std::to_string(150 * line + link);
            },
        .between = " "};
    std::string text;
    const SweepSummary summary = run_sweep(
        {.grid = *grid_, .inputs = inputs_, .format = format, .threads = 2, .range = range},
        {.write = [&](std::string_view piece, const SweepSummary&) { text += piece; },
         .stop = [] { return false; }});
    CHECK(summary.rows == range.size());
    return {text, summary};
  }

 private:
  std::optional<SweepGrid> grid_;
  SweepInputs inputs_;
};

std::string numbers(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += (i > begin ? " " : "") + std::to_string(i);
  return text;
}

void check_equal(const std::vector<Knee>& knees, const std::vector<Knee>& expected) {
  REQUIRE(knees.size() == expected.size());
  for (std::size_t i = 0; i < knees.size(); ++i) {
    CHECK(knees[i].row == expected[i].row);
    CHECK(knees[i].within_1_percent == expected[i].within_1_percent);
    CHECK(knees[i].within_5_percent == expected[i].within_5_percent);
  }
}

TEST_CASE("a part of a sweep has its rows, and the knees of the lines that it has whole") {
  const NumberedRows rows;
  const auto [all, whole] = rows.run({.begin = 0, .end = 300});
  CHECK(all == numbers(0, 300));
  REQUIRE(whole.knees.size() == 2);
  CHECK_FALSE(whole.knees[0].within_1_percent);
  CHECK(whole.knees[0].within_5_percent.has_value());
  for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{
           {148, 151}, {0, 1}, {299, 300}, {7, 7}, {63, 65}}) {
    const auto [text, part] = rows.run({.begin = begin, .end = end});
    CHECK(text == numbers(static_cast<int>(begin), static_cast<int>(end)));
    CHECK(part.knees.empty());
  }
  check_equal(rows.run({.begin = 100, .end = 300}).second.knees, {whole.knees[1]});
  check_equal(rows.run({.begin = 0, .end = 200}).second.knees, {whole.knees[0]});
}

std::atomic<bool> go_on{false};  // NOLINT: a format's functions have no other way to know

TEST_CASE("a stop does not wait for a slow row, and what is finished before it is written") {
  // One row of five takes 10 s; its format is what takes so long. Nothing of this is given up: threads
  // that were left behind use it.
  static const RowFormat kFormat{
      .row =
          [](std::string& out, const RunReport& report, std::optional<std::string_view>) {
            for (int i = 0; i < 10'000 && report.inputs.batch == 2 && !go_on; ++i) {
              std::this_thread::sleep_for(1ms);
            }
            out += std::to_string(report.inputs.batch);
          },
      .between = " "};
  static const std::string kData = std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example";
  static const SweepGrid& grid = *new SweepGrid([] {
    SweepLists lists;
    lists.networks = {kData + ".json"};
    lists.hardware = {kData + "_machine.json"};
    lists.schedules = {find_schedule("in-core")};
    lists.of("--batch") = {1, 2, 3, 4, 5};
    return lists;
  }());
  static const SweepInputs& inputs = *new SweepInputs(load_sweep(grid, {}));
  std::string written;
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::steady_clock::now() - begin; };
  const SweepSummary summary =
      run_sweep({.grid = grid,
                 .inputs = inputs,
                 .format = kFormat,
                 .threads = 2,
                 .range = {.begin = 0, .end = grid.rows()}},
                {.write = [&](std::string_view text, const SweepSummary&) { written += text; },
                 .stop = [&] { return spent() > 300ms; }});
  CHECK(spent() < 5s);
  CHECK(summary.stopped);
  CHECK(summary.rows == 1);
  CHECK(written == "1");
  go_on = true;
}

}  // namespace
}  // namespace ooc
