// Is what other programs read complete, stable and well-formed?
#include <nlohmann/json.hpp>

#include "reports/writers/csv.hpp"
#include "reports/writers/trace.hpp"
#include "reports/writers/writer.hpp"
#include "reports_example.hpp"
#include "simulator/summary/metrics.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

using Json = nlohmann::ordered_json;

const WriteOptions kOptions{.tool = {"1.2.3", {"ooc-paleo", "predict", "chain"}}};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  CHECK(begin == text.size());  // the last line is ended
  return lines;
}

TEST_CASE("JSON lists tensors that move; what they have not is null") {
  RunReport report = Example().report();
  report.moved = {{.tensor = "a",
                   .bytes = Bytes(1000),
                   .out = us(50),
                   .back = us(450),
                   .wait = us(100),
                   .cause = StallCause::kSwapIn,
                   .hides_at = BytesPerSecond(4'000'000)},
                  {.tensor = "data",
                   .bytes = Bytes(1000),
                   .out = {},
                   .back = us(450),
                   .wait = us(0),
                   .cause = {},
                   .hides_at = {}}};
  const Json json = Json::parse(find_writer("json")->prediction(report, kOptions));
  CHECK(json["moved"] == Json::parse(R"([
      {"tensor": "a", "bytes": 1000, "out_ns": 50000, "back_ns": 450000, "wait_ns": 100000,
       "cause": "swap_in", "hides_at_bytes_per_s": 4000000},
      {"tensor": "data", "bytes": 1000, "out_ns": null, "back_ns": 450000, "wait_ns": 0,
       "cause": null, "hides_at_bytes_per_s": null}])"));
}

TEST_CASE("a job that does not fit says so in JSON, and what is not known is null") {
  const Json json =
      Json::parse(find_writer("json")->prediction(refused_example().report(), kOptions));
  CHECK(json["feasible"] == false);
  CHECK(json["out_of_memory"] == Json::parse(R"({"step": "c.backward", "wanted_bytes": 1000,
      "free_bytes": 900, "largest_hole_bytes": 900, "smallest_budget_bytes": 3100, "tier": "near",
      "least_budget_bytes": null, "far_taken_bytes": null, "holders": [{"name": "b", "bytes": 1000},
                  {"name": "c", "bytes": 1000}, {"name": "weights", "bytes": 100}]})"));
  CHECK(json["iteration_time_ns"].is_null());
  CHECK(json["layers"][0]["action"].is_null());
  CHECK(json.at("peak_near_during").is_null());
  CHECK(json["reference_time_ns"] == 450'000);
  RunReport both = refused_example().report();
  both.out_of_memory->least_budget = Bytes(3100);
  both.out_of_memory->far_taken = Bytes(7);
  both.out_of_memory->holders[0].powers_of_two = true;  // names of JSON stay what they are
  const Json lacks = Json::parse(find_writer("json")->prediction(both, kOptions))["out_of_memory"];
  CHECK(lacks["least_budget_bytes"] == 3100);
  CHECK(lacks["far_taken_bytes"] == 7);
  CHECK(lacks["holders"][0]["name"] == "b");
  CHECK(has(find_writer("table")->prediction(both, kOptions), "b, in blocks of powers of two"));
}

TEST_CASE("an inspection has unrounded times exactly when there is hardware") {
  const Example example;
  const Json bare = Json::parse(
      find_writer("json")->inspection(summarize_network({.graph = example.graph}), kOptions));
  CHECK(bare["format"] == "ooc-paleo/inspection");
  CHECK(bare["inputs"]["hardware"].is_null());
  CHECK_FALSE(bare["layers"][0].contains("forward_s"));
  const Iteration job = iteration_of(example.graph, example.costs);
  const Json timed = Json::parse(find_writer("json")->inspection(
      summarize_network({.graph = example.graph, .inputs = example.inputs, .job = &job}),
      kOptions));
  CHECK(timed["layers"][0]["forward_s"] == 50e-6);
}

TEST_CASE("names that are no UTF-8 do not stop the JSON writer") {
  Example example;
  example.inputs.network =
      "ch\xff"
      "ain \"q\"";
  const Json json = Json::parse(find_writer("json")->prediction(example.report(), kOptions));
  CHECK(json["inputs"]["network"] ==
        "ch\xef\xbf\xbd"
        "ain \"q\"");
}

TEST_CASE("CSV fields are quoted where RFC 4180 asks for it") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"so\"") == "\"say \"\"so\"\"\"");
  CHECK(csv_field("two\r\nlines") == "two\\u000d\\u000alines");  // a row stays a line
  CHECK(csv_field("tab\there") == "tab\there");
}

TEST_CASE("control characters in names do not reach a terminal through CSV") {
  CHECK(csv_field("a\x1b[31mb\x7f\b") == "a\\u001b[31mb\\u007f\\u0008");
  CHECK(csv_field("a\x1b,b") == "\"a\\u001b,b\"");
  CHECK(csv_field("a\u202eb,\tc") == "\"a\\u202eb,\tc\"");
  CHECK(csv_field("a\xff") == "a\\xff");
  Example example;
  example.network.layers[0].name = "a\x1b[2J";
  const std::string text =
      find_writer("csv")->inspection(summarize_network({.graph = example.graph}), kOptions);
  CHECK_FALSE(has(text, "\x1b"));
  CHECK(has(text, "\na\\u001b[2J,custom,"));
}

TEST_CASE("two names stay two names in CSV") {
  // Pairs that a careless rule makes one: replaced, unescaped backslashes, an unguarded guard.
  const std::pair<const char*, const char*> pairs[] = {
      {"a\x1b", "a\x02"}, {"a\x1b", "a\\u001b"}, {"=a", "'=a"}, {"a\xff", "a\\xff"}};
  for (const auto& [one, other] : pairs) CHECK(csv_field(one) != csv_field(other));
}

TEST_CASE("a spreadsheet runs no name as a formula, and takes numbers for numbers") {
  for (const std::string name :
       {"=1+1", "+x", "-x", "@SUM(A1)", "\tx", "'x", "\uff1d1+1", "\uff20x"}) {
    CHECK(has(csv_field(name), "'" + name));
  }
  CHECK(csv_field("a=b") == "a=b");
  Example example;
  example.inputs.network = "=HYPERLINK(1)";
  RunReport report = example.report();
  report.iteration_time = Duration(0) - Duration(5);  // no run has one, but the column is a number
  const std::string row = csv_row(report);
  CHECK(row.starts_with("'=HYPERLINK(1),"));
  CHECK(has(row, ",-5,"));
}

TEST_CASE("JSON escapes what terminals obey, and stays the same text") {
  Example example;
  example.inputs.network = "a\u009b2Jb\u202ec\x7f";
  const std::string text = find_writer("json")->prediction(example.report(), kOptions);
  CHECK(has(text, "a\\u009b2Jb\\u202ec\\u007f"));
  CHECK(nlohmann::json::parse(text)["inputs"]["network"] == example.inputs.network);
}

TEST_CASE("CSV has one row per result with as many fields as the header") {
  const std::vector<RunReport> reports = {refused_example().report(), Example().report()};
  const auto lines = lines_of(find_writer("csv")->rows(comparison_rows(reports, {}), kOptions));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("network,hardware,batch,schedule,memory_bytes,"));
  CHECK(lines[1].starts_with("chain,by-hand,1,\"one, moved\",4100,true,liveness,"));
  CHECK(has(lines[1], ",true,550000,"));
  CHECK(has(lines[2], ",false,,,,450000,"));
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  CHECK(commas(lines[1]) == commas(lines[0]) + 1);  // one stands in the quoted schedule
  CHECK(commas(lines[2]) == commas(lines[0]) + 1);
}

TEST_CASE("an infinite link is inf, in CSV a number, and unknown numbers are empty") {
  Example example;
  example.inputs.transfers.link = kInfiniteRate;
  for (const Metric& column : metrics()) {
    if (column.name != "link_bytes_per_s") continue;
    CHECK(metric_text(column.read(example.report())) == "inf");
    CHECK(metric_text(column.read(Example().report())).empty());
  }
  CHECK(has(csv_row(example.report()), ",1e308,"));
  CHECK_FALSE(has(csv_row(example.report()), "inf"));
  CHECK(metric_text(MetricValue(0.1)) == "0.1");
  CHECK(metric_text(MetricValue(std::int64_t{1234567})) == "1234567");
}

TEST_CASE("an inspected network is one CSV row per layer") {
  const Example example;
  const auto lines = lines_of(
      find_writer("csv")->inspection(summarize_network({.graph = example.graph}), kOptions));
  REQUIRE(lines.size() == 4);
  CHECK(lines[1] == "a,custom,250,0,0,0,0,1000,,,");
}

// Would a trace viewer read it, and does it show the run?

using TraceJson = nlohmann::json;

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

TEST_CASE("names with quotes, line breaks and broken bytes stay valid JSON, and are cleaned") {
  Example example;
  example.inputs.network = "a\"b\n\xff";
  const TraceJson trace = TraceJson::parse(trace_text(example));
  CHECK(trace["otherData"]["network"] == "a\"b??");
}

}  // namespace
}  // namespace ooc::test
