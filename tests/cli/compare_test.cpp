// Does `compare` treat schedules alike, and say what is not alike? Its rows are taken from outside and
// run again by `predict` with the options they name.
#include "simulator/schedules/schedule.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// Each job runs once, for all tests that ask about it.
const std::vector<CsvRow>& compare_rows(const Words& job) {
  static std::map<Words, std::vector<CsvRow>> known;
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
const CsvRow* find_row(const std::vector<CsvRow>& rows, const std::string& schedule,
                       const std::string& options) {
  for (const CsvRow& row : rows) {
    if (row.at("schedule") == schedule && row.at("schedule_options") == options) return &row;
  }
  return nullptr;
}

CsvRow predict_again(const Words& job, const CsvRow& row) {
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
    for (const CsvRow& row : compare_rows(job)) {
      CAPTURE(row.at("schedule"));
      CAPTURE(row.at("schedule_options"));
      const CsvRow again = predict_again(job, row);
      for (const char* column : {"feasible", "iteration_time_ns", "samples_per_s", "rounds",
                                 "peak_near_bytes", "to_far_bytes", "smallest_budget_bytes"}) {
        CAPTURE(column);
        CHECK(row.at(column) == again.at(column));
      }
    }
  }
}

TEST_CASE("what the fastest algorithms leave no room for runs with others") {
  const CsvRow* capacity = find_row(compare_rows(kVgg), "capacity", "");
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
  const std::vector<CsvRow> by_memory =
      compare_rows(kVgg + Words{"--algorithms", "memory", "--schedules", "lms"});
  for (const Words& job : {kResnet, kVgg}) {
    const std::vector<CsvRow> rows = compare_rows(job);
    for (const CsvRow& row : rows) {
      CAPTURE(row.at("schedule"));
      CHECK(row.at("reference_time_ns") == rows.front().at("reference_time_ns"));
    }
  }
  CHECK(by_memory[0].at("reference_time_ns") == compare_rows(kVgg)[0].at("reference_time_ns"));
}

TEST_CASE("a schedule that runs in rounds does so, and in-core in rounds stands beside it") {
  const std::vector<CsvRow> rows = compare_rows(kVgg);
  CHECK(rows.size() == schedules().size() + 1);
  const CsvRow* in_core = find_row(rows, "in-core", "sub-batch=auto");
  REQUIRE(in_core != nullptr);
  CHECK(std::stoi(in_core->at("rounds")) > 1);
  for (const CsvRow& row : rows) {
    if (row.at("schedule") != "modnn" && &row != in_core) CHECK(row.at("rounds") == "1");
  }
  // The yardstick of rounds is there for whoever has them, asked for or not.
  CHECK(compare_rows(kVgg + Words{"--schedules", "modnn"}).size() == 2);
}

TEST_CASE(
    "in-core in rounds is shown where in-core does not fit, and not where one round is best") {
  const std::vector<CsvRow> short_of = compare_rows(kVgg + Words{"--schedules", "in-core,lms"});
  REQUIRE(short_of.size() == 3);
  CHECK(short_of[0].at("schedule_options") == "sub-batch=auto");
  const std::vector<CsvRow> other = compare_rows(kVgg + Words{"--schedules", "vdnn-all,lms"});
  CHECK(other.size() == 2);
  const std::vector<CsvRow> fits = compare_rows(Words{
      "vgg16", "--hardware", "v100-16gb-pcie3", "--batch", "8", "--schedules", "in-core,modnn"});
  CHECK(fits.size() == 2);
}

TEST_CASE("with --sub-batch every schedule gets it and there are no rows beside") {
  const std::vector<CsvRow> rows =
      compare_rows(kVgg + Words{"--sub-batch", "64", "--schedules", "in-core,modnn,capacity"});
  REQUIRE(rows.size() == 3);
  for (const CsvRow& row : rows) CHECK(row.at("rounds") == "4");
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
  check_ends(run_ooc_paleo({"compare", "resnet50", "--hardware", "v100-16gb-pcie3", "--batch",
                            "20000000", "--schedules", "in-core,capacity"}),
             3, {": without in-core, in rounds: --sub-batch"});
}

// What the program says of schedules that search: in words, in rounds, and where it runs them many times.

std::string best_predicted(const std::string& network, const Words& more) {
  const Words job = {"predict", network, "--hardware", "v100-16gb-pcie3",
                     "--batch", "256",   "--quiet"};
  return run_ooc_paleo(job + more).out;
}

TEST_CASE("in rounds best is no slower than what runs in rounds by itself, nor than at once") {
  const Words json = {"--format", "json"};
  const auto time = [&](const Words& schedule) {
    return json_number(best_predicted("vgg16", schedule + json), "iteration_time_ns");
  };
  const long long best = time({"--schedule", "best", "--search", "60", "--sub-batch", "auto"});
  CHECK(best > 0);
  CHECK(best <= time({"--schedule", "modnn"}));
  CHECK(best <=
        time({"--schedule", "in-core", "--sub-batch", "auto", "--algorithms", "performance"}));
  CHECK(best <= time({"--schedule", "best", "--search", "60"}));
}

TEST_CASE("only a schedule that optimizes says what becomes of outputs") {
  const std::string best = best_predicted("vgg16", {"--schedule", "best", "--search", "60"});
  CHECK(has(best, "What becomes of the layers' outputs"));
  const std::string capacity = best_predicted("vgg16", {"--schedule", "capacity"});
  CHECK_FALSE(has(capacity, "What becomes of"));
  const std::string small = best_predicted("alexnet", {"--schedule", "best", "--memory", "15GB"});
  CHECK(has(small, "all stay near"));
}

// `compare` over several machines and links: each row is what `compare` says of that machine alone, best first; and
// bad input.

using Fields = CsvRow;

Ran compared(const Words& more) {
  const bool chosen = std::find(more.begin(), more.end(), "--schedules=capacity") != more.end();
  const Words words{"compare", "alexnet", "--batch", "512", "--quiet"};
  const Words some{"--schedules", "in-core,capacity,vdnn-all"};
  return run_ooc_paleo(words + (chosen ? Words{} : some) + more);
}

std::vector<Fields> rows(const Words& more) {
  return csv_rows(compared(more + Words{"--format", "csv"}).out);
}

std::string names(const std::vector<Fields>& rows) {
  std::string text;
  for (const Fields& row : rows) text += (text.empty() ? "" : " ") + row.at("hardware");
  return text;
}

TEST_CASE("machines come by samples a second") {
  CHECK(names(rows({"--hardware", "k40m,p100-pcie3,v100-16gb-pcie3"})) ==
        "v100-16gb-pcie3 p100-pcie3 k40m");
}

TEST_CASE("several links give a row each") {
  const std::vector<Fields> links =
      rows({"--hardware", "k40m,m40", "--link", "1GB/s,64GB/s", "--memory", "1GiB",
            "--schedules=capacity"});
  REQUIRE(links.size() == 4);
  for (const Fields& row : links) {
    const Fields alone =
        rows({"--hardware", row.at("hardware"), "--memory", "1GiB", "--schedules=capacity",
              "--link", row.at("link_bytes_per_s") == "64000000000" ? "64GB/s" : "1GB/s"})
            .front();
    CHECK(row.at("iteration_time_ns") == alone.at("iteration_time_ns"));
  }
  CHECK(has(compared({"--hardware", "k40m", "--link", "1GB/s,inf"}).out, "infinite"));
}

TEST_CASE("a machine that the job does not fit is a row that says so") {
  const Words job{"--hardware",  "k40m,rtx-3090", "--schedules=in-core",
                  "--sub-batch", "off",           "--batch=4096"};
  const Ran table = run_ooc_paleo(Words{"compare", "alexnet", "--quiet"} + job);
  CHECK(table.exit_code == 0);
  CHECK(has(table.out, "Does not fit"));
  CHECK(has(table.out, "k40m     in-core"));
  const std::vector<Fields> csv =
      csv_rows(run_ooc_paleo(Words{"compare", "alexnet", "--format=csv", "--quiet"} + job).out);
  CHECK(csv.back().at("hardware") == "k40m");
  CHECK(csv.back().at("feasible") == "false");
  const Ran none = run_ooc_paleo(Words{"compare", "alexnet", "--quiet", "--memory=1GiB"} + job);
  CHECK(none.exit_code == 3);
  CHECK_FALSE(has(none.out, "samples/s"));
}

TEST_CASE("the JSON of several machines holds the comparison of each") {
  const Ran ran = compared({"--hardware", "k40m,m40", "--format", "json"});
  CHECK(has(ran.out, "\"format\": \"ooc-paleo/machines\""));
  CHECK(has(ran.out, "\"format\": \"ooc-paleo/result\""));
}

TEST_CASE("with one pool of memory schedules that move keep everything, and state cannot move") {
  const Words job{"predict", "alexnet", "--hardware", "dgx-spark", "--batch", "512"};
  const auto time_of = [&](const char* schedule) {
    return csv_rows(run_ooc_paleo(job + Words{"--schedule", schedule, "--format", "csv"}).out)
        .front()
        .at("iteration_time_ns");
  };
  for (const char* schedule : {"capacity", "vdnn-dyn", "modnn", "unified"}) {
    CHECK(time_of(schedule) == time_of("in-core"));
  }
  CHECK(has(run_ooc_paleo(job).err, "moving gains nothing here"));
  CHECK(has(run_ooc_paleo({"sweep", "alexnet", "--hardware", "dgx-spark", "--batch", "8",
                           "--schedule", "capacity"})
                .out,
            ",capacity,"));
  CHECK(has(run_ooc_paleo({"compare", "alexnet", "--hardware=dgx-spark"}).err, "without vdnn"));
  CHECK(has(run_ooc_paleo(job + Words{"--offload", "optimizer"}).err, "combined with dgx-spark"));
}

}  // namespace
}  // namespace ooc::test
