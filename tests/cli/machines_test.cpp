// `compare` over several machines and links: each row is what `compare` says of that machine alone, best first,
// by price where there is one; and bad input.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

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

TEST_CASE("with prices what a unit of them buys decides the order") {
  const std::string machines = "k40m,p100-pcie3,v100-16gb-pcie3";
  for (const std::string prices :
       {"100,2000,9000", "v100-16gb-pcie3=9000,k40m=100,p100-pcie3=2000"}) {
    const std::vector<Fields> priced = rows({"--hardware", machines, "--price", prices});
    CHECK(names(priced) == "k40m p100-pcie3 v100-16gb-pcie3");
    for (const Fields& row : priced) {
      const double per_price = std::stod(row.at("samples_per_s")) / std::stod(row.at("price"));
      CHECK(std::stod(row.at("samples_per_s_per_price")) == doctest::Approx(per_price));
      CHECK(row.at("most_for_the_price") == (row.at("hardware") == "k40m" ? "true" : "false"));
      CHECK(row.at("fastest") == (row.at("hardware") == "v100-16gb-pcie3" ? "true" : "false"));
    }
  }
  const Ran table = compared({"--hardware", machines, "--price", "100,2000,9000"});
  CHECK(has(table.out, "samples/s per price"));
  CHECK(table.out.find("most for the price") < table.out.find("fastest"));
}

TEST_CASE("several links give a row each, priced by machine or by row") {
  const std::vector<Fields> links =
      rows({"--hardware", "k40m,m40", "--link", "1GB/s,64GB/s", "--memory", "1GiB", "--price",
            "k40m=1,m40=2", "--schedules=capacity"});
  REQUIRE(links.size() == 4);
  for (const Fields& row : links) {
    CHECK(row.at("price") == (row.at("hardware") == "k40m" ? "1" : "2"));
    const Fields alone =
        rows({"--hardware", row.at("hardware"), "--memory", "1GiB", "--schedules=capacity",
              "--link", row.at("link_bytes_per_s") == "64000000000" ? "64GB/s" : "1GB/s"})
            .front();
    CHECK(row.at("iteration_time_ns") == alone.at("iteration_time_ns"));
  }
  const std::vector<Fields> by_row =
      rows({"--hardware", "k40m", "--link", "1GB/s,64GB/s", "--memory", "1GiB", "--price", "3,5"});
  for (const Fields& row : by_row) {
    CHECK(row.at("price") == (row.at("link_bytes_per_s") == "1000000000" ? "3" : "5"));
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
  CHECK(csv.back().at("samples_per_s_per_price") == "");
  const Ran none = run_ooc_paleo(Words{"compare", "alexnet", "--quiet", "--memory=1GiB"} + job);
  CHECK(none.exit_code == 3);
  CHECK_FALSE(has(none.out, "samples/s"));
}

TEST_CASE("the JSON of several machines holds the comparison of each") {
  const Ran ran = compared({"--hardware", "k40m,m40", "--price", "2000,4000", "--format", "json"});
  for (const char* piece :
       {"\"format\": \"ooc-paleo/machines\"", "\"price\": 4000", "\"most_for_the_price\": true",
        "\"format\": \"ooc-paleo/result\"", "\"samples_per_s_per_price\": "}) {
    CAPTURE(piece);
    CHECK(has(ran.out, piece));
  }
}

TEST_CASE("of several machines memory at the peaks is shown, too") {
  const Ran wide = compared({"--hardware", "k40m,m40", "--wide"});
  CHECK(has(wide.out, "What memory holds at its peaks"));
  CHECK(has(wide.out, "k40m     in-core"));
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
                           "--schedule", "capacity"}).out, ",capacity,"));
  CHECK(has(run_ooc_paleo({"compare", "alexnet", "--hardware=dgx-spark"}).err, "without vdnn"));
  CHECK(has(run_ooc_paleo(job + Words{"--offload", "optimizer"}).err, "combined with dgx-spark"));
}

TEST_CASE("lists and prices that say nothing sensible are refused in one line") {
  const auto refused = [](const Words& words, const std::string& part) {
    check_refused(compared(words), {part});
  };
  const std::string two = "k40m,m40";
  refused({"--hardware", "k40m,"}, "--hardware");
  refused({"--hardware", "k40m,k40m"}, "\"k40m\" twice");
  refused({"--hardware", "k40m,m04"}, "m04");
  refused({"--hardware", two, "--price", "1"}, "1 price, expected 2, one for each machine");
  refused({"--hardware", two, "--price", "1,2,3"}, "3 prices");
  refused({"--hardware", two, "--price", "1,-2"}, "--price: found \"-2\"");
  refused({"--hardware", two, "--price", "1,0"}, "greater than 0");
  refused({"--hardware", two, "--price", "1,nan"}, "greater than 0");
  refused({"--hardware", two, "--price", "1,1e999"}, "greater than 0");
  refused({"--hardware", two, "--price", "1,$2"}, "any unit");
  refused({"--hardware", two, "--price", "k40m=1"}, "none for \"m40\"");
  refused({"--hardware", two, "--price", "k40m=1,m40=2,k40m=3"}, "\"k40m\" twice");
  refused({"--hardware", two, "--price", "k40m=1,m4=2"}, "did you mean m40?");
  refused({"--hardware", two, "--price", "k40m=1,2"}, "among prices with names");
  refused({"--hardware", two, "--link", "1GB/s,2GB/s", "--price", "1,2,3"}, "or 4");
  refused({"--hardware", two, "--link", "1GB/s:2GB/s:+1kB/s"}, "at most");
  refused({"--hardware", two, "--layer-times", "times.csv"}, "cannot be combined with 2 machines");
}

}  // namespace
}  // namespace ooc::test
