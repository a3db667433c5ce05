// The formats of a replay: every number of the report arrives, and the trace shows both timelines.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "reports/writers/trace.hpp"
#include "tests/support/text.hpp"
#include "tests/unit/replay_example.hpp"

using namespace ooc;
using namespace ooc::test;

namespace {

std::string written(const char* format, const ReplayReport& report) {
  return find_writer(format)->replay(report, {.tool = {.version = "1", .command = {"ooc-paleo"}}});
}

nlohmann::json both(std::int64_t predicted, std::int64_t measured) {
  return {{"predicted", predicted}, {"measured", measured}, {"difference", measured - predicted}};
}

std::string trace_of(const MeasuredExample& example) {
  const Timeline measured = example.timeline();
  std::string text;
  write_trace({.inputs = example.example.inputs,
               .tool = {},
               .graph = example.example.graph,
               .costs = example.example.costs,
               .plan = example.example.the_plan(),
               .timeline = example.example.timeline(),
               .measured = &measured},
              [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

TEST_CASE("replay JSON holds both sides of every number") {
  const nlohmann::json result =
      nlohmann::json::parse(written("json", MeasuredExample{}.report(0.05)));
  CHECK(result["format"] == "ooc-paleo/replay");
  CHECK(result["version"] == 1);
  CHECK(result["inputs"]["network"] == "chain");
  CHECK(result["inputs"]["memory_bytes"] == 4100);
  CHECK(result["run"]["mode"] == "spin");
  CHECK(result["run"]["device"] == "Hand, \"made\"");
  CHECK(result["iteration_time_ns"]["predicted"] == 550'000);
  CHECK(result["iteration_time_ns"]["measured"] == 573'000);
  CHECK(result["iteration_time_ns"]["all"] == nlohmann::json({573'000, 590'000, 570'000}));
  CHECK(result["causes_ns"]["busy"] == both(450'000, 452'000));
  CHECK(result["causes_ns"]["swap_in"] == both(100'000, 116'000));
  CHECK(result["causes_ns"]["launch"] == both(0, 5'000));
  CHECK(result["causes_ns"]["iteration"] == both(550'000, 573'000));
  CHECK(result["work"]["to_near"]["bytes"] == 1000);
  CHECK(result["work"]["to_near"]["predicted_bytes_per_s"] == 5'000'000);
  CHECK(result["work"]["to_near"]["measured_bytes_per_s"] == 4'807'692);  // 1000 B in 208 us
  CHECK(result["memory"]["peak_near_bytes"] == both(4100, 4100));
  CHECK(result["memory"]["near_pool_bytes"] == 4200);
  CHECK(result["within_tolerance"] == true);
  CHECK(result["deviations"].size() == 3);
  CHECK_FALSE(result.contains("steps"));
  CHECK(nlohmann::json::parse(written("json", MeasuredExample{}.report()))["tolerance"].is_null());
}

TEST_CASE("--steps adds every step to the JSON") {
  const nlohmann::json result =
      nlohmann::json::parse(written("json", MeasuredExample{}.report({}, true)));
  REQUIRE(result["steps"].size() == 8);
  const nlohmann::json& copy = result["steps"][5];
  CHECK(copy["name"] == "to_near a");
  CHECK(copy["predicted_start_ns"] == 250'000);
  CHECK(copy["measured_start_ns"] == 262'000);
  CHECK(copy["measured_end_ns"] == 470'000);
  CHECK(copy["deviation_ns"] == 8'000);
  CHECK(copy["min_ns"] == 207'000);
}

TEST_CASE("replay CSV has one row per step") {
  const std::string text = written("csv", MeasuredExample{}.report());
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
  CHECK(text.starts_with("step,queue,kind,name,bytes,predicted_start_ns,"));
  CHECK(has(
      text,
      "\n1,to_far,to_far,to_far a,1000,50000,250000,52000,262000,210000,209000,211000,10000\n"));
}

TEST_CASE("the table says how far off, why, and where most") {
  const std::string text = written("table", MeasuredExample{}.report(0.03));
  CHECK(has(text, "predicted  550.0 us"));
  CHECK(has(text, "-4.0 %  predicted too fast; more than 3.0 %"));
  CHECK(has(text, "waiting for copies to near memory"));
  CHECK(has(text, "+16.00 us"));
  CHECK(has(text, "Steps furthest off (3 of 8)"));
  CHECK_FALSE(has(text, "Steps\n"));
  CHECK_FALSE(has(text, "stub"));
  MeasuredExample stub;
  ReplayReport report = stub.report({}, true);
  report.run.backend = "stub";
  report.run.notes = {"a note"};
  const std::string more = written("table", report);
  CHECK(has(more, "not times of a real machine"));
  CHECK(has(more, "measured start"));
  CHECK(has(more, "a note"));
}

TEST_CASE("the trace shows both timelines, each on tracks of its own") {
  const nlohmann::json trace = nlohmann::json::parse(trace_of(MeasuredExample{}));
  CHECK(trace["otherData"]["iteration_time_ns"] == 550'000);
  CHECK(trace["otherData"]["measured_iteration_time_ns"] == 573'000);
  std::vector<std::string> names;
  std::set<std::string> flows;
  std::size_t arrows = 0;
  std::vector<std::size_t> slices{0, 0, 0};
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
    if (event["ph"] == "s") {
      ++arrows;
      flows.insert(event["id"].dump());
    }
    if (event["ph"] == "X" && event["cat"] != "stall") ++slices.at(event["pid"].get<std::size_t>());
  }
  REQUIRE(names.size() == 2);
  CHECK(names[0].starts_with("predicted: chain"));
  CHECK(names[1].starts_with("measured: chain"));
  CHECK(slices == std::vector<std::size_t>{0, 8, 8});
  CHECK(arrows == 4);  // aF to the copy out, the copy in to aB, twice
  CHECK(flows.size() == arrows);
}
