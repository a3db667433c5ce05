// Would a trace viewer read it, and does it show the run?
#include <nlohmann/json.hpp>

#include "reports/writers/trace.hpp"
#include "reports_example.hpp"
#include "tests/support/test.hpp"

using namespace ooc;
using namespace ooc::test;
using TraceJson = nlohmann::json;

namespace {

std::string trace_text(const Example& example) {
  std::string text;
  const ToolInfo tool{"1.2.3", {"ooc-paleo", "--trace", "out \"x\".json"}};
  write_trace(
      {example.inputs, tool, example.graph, example.costs, example.the_plan(), example.timeline()},
      [&](std::string_view piece) { text += piece; });
  return text;
}

std::vector<TraceJson> events_of(const TraceJson& trace, const std::string& phase) {
  std::vector<TraceJson> result;
  for (const TraceJson& event : trace["traceEvents"]) {
    if (event["ph"] == phase) result.push_back(event);
  }
  return result;
}

// A slice of the event's track that holds its instant (from its start, before its end).
bool inside_a_slice(const TraceJson& event, const std::vector<TraceJson>& slices) {
  for (const TraceJson& slice : slices) {
    if (slice["pid"] != event["pid"] || slice["tid"] != event["tid"]) continue;
    const double from = slice["ts"];
    const double until = from + slice["dur"].get<double>();
    const double at = event["ts"];
    if (at >= from && (at < until || at == from)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a trace has a slice per step and per stall at its exact time") {
  const TraceJson trace = TraceJson::parse(trace_text(Example()));
  CHECK(trace["displayTimeUnit"] == "ms");
  CHECK(trace["otherData"]["version"] == "1.2.3");
  CHECK(trace["otherData"]["budget_near_bytes"] == 4100);
  const auto slices = events_of(trace, "X");
  REQUIRE(slices.size() == 9);  // 8 steps, 1 stall
  std::map<std::string, TraceJson> by_name;
  for (const TraceJson& slice : slices) by_name[slice["name"]] = slice;
  CHECK(by_name["to_far a"]["ts"] == 50.0);
  CHECK(by_name["to_far a"]["dur"] == 200.0);
  CHECK(by_name["to_far a"]["args"]["bytes"] == 1000);
  CHECK(by_name["swap_in"]["ts"] == 350.0);
  CHECK(by_name["swap_in"]["dur"] == 100.0);
  CHECK(by_name["swap_in"]["args"]["before"] == "a.backward");
  CHECK(by_name["swap_in"]["args"]["because_of"] == "to_near a");
}

TEST_CASE("nanoseconds are kept: three decimals of a microsecond") {
  Example example;
  std::get<Timeline>(*example.outcome).spans[1].end = us(250) + Duration(7);
  CHECK(has(trace_text(example), "\"ts\":50.000,\"dur\":200.007"));
}

TEST_CASE("every arrow has one start and one end, each inside a slice, forwards in time") {
  const TraceJson trace = TraceJson::parse(trace_text(Example()));
  const auto slices = events_of(trace, "X");
  std::map<int, std::vector<TraceJson>> starts;
  std::map<int, std::vector<TraceJson>> ends;
  for (const TraceJson& event : events_of(trace, "s")) starts[event["id"]].push_back(event);
  for (const TraceJson& event : events_of(trace, "f")) ends[event["id"]].push_back(event);
  REQUIRE(starts.size() == 2);  // aF -> to_far a, to_near a -> aB
  REQUIRE(ends.size() == starts.size());
  for (const auto& [id, from] : starts) {
    REQUIRE(from.size() == 1);
    REQUIRE(ends[id].size() == 1);
    const TraceJson& to = ends[id].front();
    CHECK(to["bp"] == "e");
    CHECK(inside_a_slice(from.front(), slices));
    CHECK(inside_a_slice(to, slices));
    CHECK(from.front()["ts"].get<double>() <= to["ts"].get<double>());
  }
}

TEST_CASE("within a track events come in time order, and every track has a name and a place") {
  const TraceJson trace = TraceJson::parse(trace_text(Example()));
  // Counters are tracks of their own, by name.
  std::map<std::tuple<int, int, std::string>, double> latest;
  std::map<std::string, int> metadata;
  for (const TraceJson& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      ++metadata[event["name"]];
      continue;
    }
    const std::string counter = event["ph"] == "C" ? event["name"] : "";
    const std::tuple<int, int, std::string> track{event["pid"], event["tid"], counter};
    const double at = event["ts"];
    if (latest.contains(track)) CHECK(latest[track] <= at);
    latest[track] = at;
  }
  CHECK(metadata["process_name"] == 1);
  CHECK(metadata["thread_name"] == 4);
  CHECK(metadata["thread_sort_index"] == 4);
}

TEST_CASE("every category of near and far memory has a counter, and they add up") {
  const TraceJson trace = TraceJson::parse(trace_text(Example()));
  std::map<double, std::map<std::string, std::int64_t>> changes;
  for (const TraceJson& event : events_of(trace, "C")) {
    if (!event["args"].contains("bytes")) continue;
    changes[event["ts"]][event["name"]] = event["args"]["bytes"];
  }
  std::map<std::string, std::int64_t> now;
  for (const auto& change : changes) {
    CAPTURE(change.first);
    for (const auto& [name, bytes] : change.second) now[name] = bytes;
    std::int64_t sum = 0;
    for (const auto& [name, bytes] : now) {
      if (name.starts_with("near memory: ")) sum += bytes;
    }
    CHECK(sum == now["near memory"]);
  }
  CHECK(changes[250]["near memory: in_flight"] == 1000);
  CHECK(changes[250]["far memory: saved"] == 1000);
  CHECK(changes[450]["far memory: saved"] == 0);
  CHECK_FALSE(now.contains("near memory: workspace"));
}

TEST_CASE("the rate of either direction is a counter: 1000 B in 200 us") {
  std::map<std::string, std::vector<std::pair<double, double>>> rates;
  for (const TraceJson& event : events_of(TraceJson::parse(trace_text(Example())), "C")) {
    if (!event["args"].contains("GB/s")) continue;
    rates[event["name"]].emplace_back(event["ts"], event["args"]["GB/s"]);
  }
  using Rates = std::vector<std::pair<double, double>>;
  CHECK(rates["link to far"] == Rates{{50, 0.005}, {250, 0}});
  CHECK(rates["link to near"] == Rates{{250, 0.005}, {450, 0}});
}

TEST_CASE("names with quotes, line breaks and broken bytes stay valid JSON, and are cleaned") {
  Example example;
  example.inputs.network = "a\"b\n\xff";
  const TraceJson trace = TraceJson::parse(trace_text(example));
  CHECK(trace["otherData"]["network"] == "a\"b??");
}
