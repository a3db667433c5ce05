// Does `compare` treat schedules alike, and say what is not alike? Its rows are taken from outside and
// run again by `predict` with the options they name.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "simulator/schedules/schedule.hpp"
#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Of results in CSV without quoted fields.
std::vector<Row> rows_of(const std::string& csv) {
  std::vector<Row> rows;
  std::vector<std::string> titles;
  for (const std::string& line : split(csv, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split(line, ',');
    if (titles.empty()) {
      titles = fields;
      continue;
    }
    REQUIRE(fields.size() == titles.size());
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[titles[i]] = fields[i];
  }
  return rows;
}

/// Each job runs once, for all tests that ask about it.
const std::vector<Row>& compare_rows(const Words& job) {
  static std::map<Words, std::vector<Row>> known;
  const auto [rows, is_new] = known.try_emplace(job);
  if (is_new) {
    const bool all = std::find(job.begin(), job.end(), "--schedules") == job.end();
    const Words briefly = all ? Words{"--search", "40"} : Words{};
    rows->second = rows_of(
        run_ooc_paleo(Words{"compare"} + job + briefly + Words{"--format", "csv", "--quiet"}).out);
  }
  return rows->second;
}

/// The row of that schedule and with those options, or none.
const Row* find_row(const std::vector<Row>& rows, const std::string& schedule,
                    const std::string& options) {
  for (const Row& row : rows) {
    if (row.at("schedule") == schedule && row.at("schedule_options") == options) return &row;
  }
  return nullptr;
}

Row predict_again(const Words& job, const Row& row) {
  Words words = Words{"predict"} + job +
                Words{"--format", "csv", "--quiet", "--schedule", row.at("schedule")};
  for (const std::string& option : split(row.at("schedule_options"), ' ')) {
    if (option.empty()) continue;
    const std::size_t sign = option.find('=');
    words.push_back("--" + option.substr(0, sign));
    words.push_back(option.substr(sign + 1));
  }
  return rows_of(run_ooc_paleo(words).out).front();
}

// A machine whose convolutions need the workspaces that these tests are about, whatever shipped ones need.
const std::string kShares = std::string(OOC_SOURCE_DIR) + "/tests/data/machine_of_shares.json";
const Words kResnet{"resnet50", "--hardware", kShares, "--batch", "1024"};
const Words kVgg{"vgg16", "--hardware", kShares, "--batch", "256"};

/// Every schedule; those that run in rounds at once as well, and in-core in rounds beside them.
std::size_t rows_expected() {
  std::size_t rows = schedules().size() + 1;
  for (const Schedule* schedule : schedules()) {
    if (schedule->is(Trait::kSubBatches)) ++rows;
  }
  return rows;
}

TEST_CASE("predict with the options that a row of compare names gives the same figures" *
          doctest::test_suite("whole networks")) {
  for (const Words& job : {kResnet, kVgg}) {
    for (const Row& row : compare_rows(job)) {
      CAPTURE(row.at("schedule"));
      CAPTURE(row.at("schedule_options"));
      const Row again = predict_again(job, row);
      for (const char* column : {"feasible", "iteration_time_ns", "samples_per_s", "rounds",
                                 "peak_near_bytes", "to_far_bytes", "smallest_budget_bytes"}) {
        CAPTURE(column);
        CHECK(row.at(column) == again.at(column));
      }
    }
  }
}

TEST_CASE("of two rules for algorithms compare shows the one that is quicker and fits") {
  // ResNet-50's fastest convolutions fit everywhere; VGG-16's need workspaces that only some can spare.
  const std::vector<Row> resnet = compare_rows(kResnet);
  CHECK(find_row(resnet, "capacity", "algorithms=performance") != nullptr);
  CHECK(find_row(resnet, "capacity", "") == nullptr);
  const std::vector<Row> vgg = compare_rows(kVgg);
  const Row* capacity = find_row(vgg, "capacity", "");
  REQUIRE(capacity != nullptr);
  const Row fastest = rows_of(run_ooc_paleo(Words{"predict"} + kVgg +
                                            Words{"--format", "csv", "--algorithms", "performance"})
                                  .out)
                          .front();
  CHECK(fastest.at("feasible") == "false");
  CHECK(capacity->at("feasible") == "true");
}

TEST_CASE("all rows of compare at once are set against the same reference") {
  for (const Words& job : {kResnet, kVgg}) {
    const std::vector<Row> rows = compare_rows(job);
    for (const Row& row : rows) {
      CAPTURE(row.at("schedule"));
      CHECK(row.at("reference_time_ns") == rows.front().at("reference_time_ns"));
    }
  }
  // Where nobody may use other algorithms than the first, that is the reference.
  const Row by_memory =
      compare_rows(kVgg + Words{"--algorithms", "memory", "--schedules", "lms"})[0];
  CHECK(by_memory.at("reference_time_ns") == by_memory.at("compute_time_ns"));
}

TEST_CASE(
    "a schedule that runs in rounds is shown at once as well, and in-core in rounds beside it") {
  const std::vector<Row> rows = compare_rows(kVgg);
  CHECK(rows.size() == rows_expected());
  const Row* in_rounds = find_row(rows, "modnn", "");
  const Row* at_once = find_row(rows, "modnn", "sub-batch=off");
  const Row* in_core = find_row(rows, "in-core", "sub-batch=auto algorithms=performance");
  REQUIRE(in_rounds != nullptr);
  REQUIRE(at_once != nullptr);
  REQUIRE(in_core != nullptr);
  CHECK(std::stoi(in_rounds->at("rounds")) > 1);
  CHECK(at_once->at("rounds") == "1");
  CHECK(std::stoi(in_core->at("rounds")) > 1);
  for (const Row& row : rows) {
    if (&row != in_rounds && &row != in_core) CHECK(row.at("rounds") == "1");
  }
  // The yardstick of rounds is there for whoever has them, asked for or not.
  CHECK(compare_rows(kVgg + Words{"--schedules", "modnn"}).size() == 3);
}

TEST_CASE(
    "in-core in rounds is shown where in-core does not fit, and not where one round is best") {
  const std::vector<Row> short_of = compare_rows(kVgg + Words{"--schedules", "in-core,lms"});
  REQUIRE(short_of.size() == 3);
  CHECK(short_of[0].at("schedule_options") == "sub-batch=auto algorithms=performance");
  const std::vector<Row> other = compare_rows(kVgg + Words{"--schedules", "vdnn-all,lms"});
  CHECK(other.size() == 2);
  const std::vector<Row> fits = compare_rows(Words{"vgg16", "--hardware", "v100-16gb-pcie3",
                                                   "--batch", "8", "--schedules", "in-core,modnn"});
  CHECK(fits.size() == 2);
}

TEST_CASE("with --sub-batch every schedule gets it and there are no rows beside") {
  const std::vector<Row> rows =
      compare_rows(kVgg + Words{"--sub-batch", "64", "--schedules", "in-core,modnn,capacity"});
  REQUIRE(rows.size() == 3);
  for (const Row& row : rows) CHECK(row.at("rounds") == "4");
}

TEST_CASE("with --algorithms there is only that") {
  const std::vector<Row> rows =
      compare_rows(kResnet + Words{"--algorithms", "memory", "--schedules", "capacity,modnn"});
  CHECK(find_row(rows, "capacity", "") != nullptr);
  CHECK(find_row(rows, "capacity", "algorithms=performance") == nullptr);
}

TEST_CASE("the table of compare marks rows in rounds and says what is not alike") {
  const auto table = [](const Words& job) {
    const bool all = std::find(job.begin(), job.end(), "--schedules") == job.end();
    return run_ooc_paleo(Words{"compare"} + job + (all ? Words{"--search", "40"} : Words{})).out;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string resnet = table(kResnet);
  CHECK(has(resnet, "in-core, in rounds  performance"));
  CHECK(has(table(kVgg), "modnn, in rounds "));
  CHECK(has(resnet, "other work than at once"));
  CHECK(has(resnet, "batch norms take their statistics over a round"));
  CHECK(has(resnet, "more work than others: best, checkpoint"));
  CHECK(has(resnet, "superneurons (tasks that run again"));
  CHECK_FALSE(has(table(kVgg), "batch norms"));  // it has none
  const std::string one_round =
      table(Words{"vgg16", "--hardware", "v100-16gb-pcie3", "--batch", "8"});
  CHECK_FALSE(has(one_round, "rounds"));
  const std::string only_rounds = table(kVgg + Words{"--schedules", "in-core"});
  CHECK(has(only_rounds, "At once, in one round, nothing fits"));
  CHECK_FALSE(has(resnet, "At once, in one round, nothing fits"));
  CHECK_FALSE(has(table(kVgg + Words{"--schedules", "in-core,lms", "--sub-batch", "64"}),
                  "At once, in one round, nothing fits"));
}

TEST_CASE("rows in rounds that cannot be written out are left out with a remark") {
  const Ran ran = run_ooc_paleo({"compare", "resnet50", "--hardware", "v100-16gb-pcie3", "--batch",
                                 "20000000", "--schedules", "in-core,capacity"});
  CHECK(ran.exit_code == 3);
  CHECK(ran.err.find("remark: without in-core, in rounds: --sub-batch") != std::string::npos);
}

}  // namespace
}  // namespace ooc::test
