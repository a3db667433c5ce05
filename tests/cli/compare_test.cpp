// Does `compare` treat schedules alike, and say what is not alike? Its rows are taken from outside and
// run again by `predict` with the options they name.
#include "simulator/schedules/schedule.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

using Row = CsvRow;

/// Each job runs once, for all tests that ask about it.
const std::vector<Row>& compare_rows(const Words& job) {
  static std::map<Words, std::vector<Row>> known;
  const auto [rows, is_new] = known.try_emplace(job);
  if (is_new) {
    const bool all = std::find(job.begin(), job.end(), "--schedules") == job.end();
    const Words briefly = all ? Words{"--search", "40"} : Words{};
    rows->second = csv_rows(
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
  std::istringstream options(row.at("schedule_options"));
  for (std::string option; options >> option;) {
    const std::size_t sign = option.find('=');
    words.push_back("--" + option.substr(0, sign));
    words.push_back(option.substr(sign + 1));
  }
  return csv_rows(run_ooc_paleo(words).out).front();
}

// A machine whose convolutions need the workspaces that these tests are about, whatever shipped ones need.
const std::string kShares = std::string(OOC_SOURCE_DIR) + "/tests/data/machine_of_shares.json";
const Words kResnet{"resnet50", "--hardware", kShares, "--batch", "1024"};
const Words kVgg{"vgg16", "--hardware", kShares, "--batch", "256"};

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

TEST_CASE("what the fastest algorithms leave no room for runs with others") {
  const Row* capacity = find_row(compare_rows(kVgg), "capacity", "");
  REQUIRE(capacity != nullptr);
  const auto by_rule = [&](const char* rule) {
    return csv_rows(run_ooc_paleo(Words{"predict"} + kVgg +
                                  Words{"--format", "csv", "--algorithms", rule})
                        .out)
        .front();
  };
  CHECK(by_rule("performance").at("feasible") == "false");
  CHECK(std::stoll(capacity->at("iteration_time_ns")) <
        std::stoll(by_rule("memory").at("iteration_time_ns")));
}

TEST_CASE("all rows of compare are set against the same reference, whatever the rule") {
  const std::vector<Row> by_memory =
      compare_rows(kVgg + Words{"--algorithms", "memory", "--schedules", "lms"});
  for (const Words& job : {kResnet, kVgg}) {
    const std::vector<Row> rows = compare_rows(job);
    for (const Row& row : rows) {
      CAPTURE(row.at("schedule"));
      CHECK(row.at("reference_time_ns") == rows.front().at("reference_time_ns"));
    }
  }
  CHECK(by_memory[0].at("reference_time_ns") == compare_rows(kVgg)[0].at("reference_time_ns"));
}

TEST_CASE("a schedule that runs in rounds does so, and in-core in rounds stands beside it") {
  const std::vector<Row> rows = compare_rows(kVgg);
  CHECK(rows.size() == schedules().size() + 1);
  const Row* in_core = find_row(rows, "in-core", "sub-batch=auto");
  REQUIRE(in_core != nullptr);
  CHECK(std::stoi(in_core->at("rounds")) > 1);
  for (const Row& row : rows) {
    if (row.at("schedule") != "modnn" && &row != in_core) CHECK(row.at("rounds") == "1");
  }
  // The yardstick of rounds is there for whoever has them, asked for or not.
  CHECK(compare_rows(kVgg + Words{"--schedules", "modnn"}).size() == 2);
}

TEST_CASE(
    "in-core in rounds is shown where in-core does not fit, and not where one round is best") {
  const std::vector<Row> short_of = compare_rows(kVgg + Words{"--schedules", "in-core,lms"});
  REQUIRE(short_of.size() == 3);
  CHECK(short_of[0].at("schedule_options") == "sub-batch=auto");
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

TEST_CASE("the table of compare marks rows in rounds and says what is not alike") {
  const auto table = [](const Words& job) {
    const bool all = std::find(job.begin(), job.end(), "--schedules") == job.end();
    return run_ooc_paleo(Words{"compare"} + job + (all ? Words{"--search", "40"} : Words{})).out;
  };
  const std::string resnet = table(kResnet);
  CHECK(has(resnet, "in-core, in rounds "));
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
  CHECK(has(ran.err, ": without in-core, in rounds: --sub-batch"));
}

}  // namespace
}  // namespace ooc::test
