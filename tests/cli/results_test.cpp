// What the commands say about jobs that are in order: exit codes, help, the numbers of the worked
// example of docs/formats.md, 6, and the flags that change a prediction.
#include <doctest/doctest.h>

#include <regex>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

Ran result_predict(std::vector<std::string> more) {
  return run_ooc_paleo(Words{"predict", kNetwork, "--hardware", kMachine, "--format", "json"} +
                       more);
}

TEST_CASE("--far-memory stands in for the capacity of the profile") {
  // Two tensors of 1 GB move at 3 GB.
  const Ran enough = result_predict({"--memory", "3GB", "--far-memory", "2GB"});
  CHECK(enough.exit_code == 0);
  CHECK(json_number(enough.out, "far_memory_bytes") == 2'000'000'000);
  CHECK(json_number(enough.out, "peak_far_bytes") == 2'000'000'000);
  CHECK(json_number(result_predict({"--memory", "3GB"}).out, "far_memory_bytes") == 64'000'000'000);
  for (const char* command : {"predict", "replay", "compare", "max-batch"}) {
    CAPTURE(command);
    const Ran ran =
        run_ooc_paleo({command, kNetwork, "--hardware", kMachine, "--memory", "3GB", "--schedule",
                       "capacity", "--far-memory", "1999999999 B", "--format", "json", "--quiet"});
    CHECK(ran.exit_code == 3);
    CHECK(json_number(ran.out, "far_memory_bytes") == 1'999'999'999);
  }
  const Ran little = result_predict({"--memory", "3GB", "--far-memory", "1999999999 B"});
  CHECK(has(little.out, "\"tier\": \"far\""));
  CHECK(json_number(little.out, "smallest_budget_bytes") == 2'000'000'000);
  CHECK(result_predict({"--far-memory", "16"}).exit_code == 2);
}

TEST_CASE("compare says what far memory every row needs") {
  const auto compare_with = [](std::vector<std::string> more) {
    return run_ooc_paleo(Words{"compare", kNetwork, "--hardware", kMachine, "--memory", "3GB",
                               "--schedules", "capacity", "--quiet"} +
                         more)
        .out;
  };
  const std::string usual = compare_with({});
  CHECK(has(usual, " far "));
  CHECK(has(usual, "3.000 GB  2.000 GB  4.000 GB"));  // peak, far, copied
  const std::string json = compare_with({"--format", "json"});
  // First reached at 100 ms: a, which leaves till 150, b, and c, which is being written.
  CHECK(json_number(json.substr(json.find("peak_near_by_category")), "saved") == 3'000'000'000);
  // At 150 ms: a is there, b leaves.
  const std::string far = json.substr(json.find("peak_far_by_category"));
  CHECK(json_number(far, "saved") == 1'000'000'000);
  CHECK(json_number(far, "in_flight") == 1'000'000'000);
  CHECK_FALSE(has(json, "\"moved\""));
  const std::string most = run_ooc_paleo({"max-batch", kNetwork, "--hardware", kMachine, "--memory",
                                          "3GB", "--schedules", "capacity", "--format", "json"})
                               .out;
  CHECK(json_number(most.substr(most.find("peak_near_by_category")), "saved") == 3'000'000'000);
  CHECK(json_number(most.substr(most.find("peak_far_by_category")), "in_flight") == 1'000'000'000);
}

TEST_CASE("link, latency and far throughput change the copies") {
  const auto time = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--schedule", "vdnn-like"});
    return json_number(result_predict(std::move(more)).out, "iteration_time_ns");
  };
  // Copies of 50 ms: 50 + 3 x 50 + 50 + 50 + 3 x 100 + 100.
  CHECK(time({"--link", "20 GB/s"}) == 700'000'000);
  // Near and far memory bind at 1000 GB/s, 1 ms a copy: 50 + 3 x 50 + 1 + 1 + 3 x 100 + 100.
  CHECK(time({"--link", "inf"}) == 602'000'000);
  // Copies of 200 ms: 50 + 3 x 200 + 200 + 200 + 3 x 200 + 100.
  CHECK(time({"--far-throughput", "5 GB/s"}) == 1'750'000'000);
  // Copies of 101 ms: 50 + 3 x 101 + 101 + 101 + 3 x 101 + 100.
  CHECK(time({"--latency", "1 ms"}) == 958'000'000);
}

TEST_CASE("measured layer times replace the model's, and the report says how many") {
  const ScratchFolder scratch;
  const std::string times = scratch.file(
      "times.csv", "layer,forward_ms,backward_ms\r\na,10,20\r\n\"b\",0.000001,1e1\r\n");
  const Ran ran = result_predict({"--schedule", "in-core", "--layer-times", times});
  // a: 10 + 20, b: 1 ns + 10, c and d: 150 each.
  CHECK(json_number(ran.out, "iteration_time_ns") == 340'000'001);
  CHECK(json_number(ran.out, "timed_layers") == 2);
}

TEST_CASE("every command's help begins with examples and goes to stdout") {
  for (const char* command : {"predict", "compare", "sweep", "inspect", "list", "schema"}) {
    const Ran ran = run_ooc_paleo({command, "--help"});
    CAPTURE(command);
    CHECK(ran.exit_code == 0);
    CHECK(ran.err == "");
    CHECK(ran.out.rfind("Examples:\n  ooc-paleo " + std::string(command), 0) == 0);
  }
  const std::string result_predict = run_ooc_paleo({"predict", "--help"}).out;
  CHECK(result_predict.find("--batch N") < result_predict.find("--help schedules"));
  CHECK(has(run_ooc_paleo({"predict", "--help", "schedules"}).out, "--algorithms RULE"));
  const Ran top = run_ooc_paleo({"--help"});
  CHECK(top.exit_code == 0);
  CHECK(top.out.rfind("Examples:\n", 0) == 0);
  CHECK(std::regex_match(run_ooc_paleo({"--version"}).out,
                         std::regex("ooc-paleo [0-9]+\\.[0-9]+\\.[0-9]+\ndata: /.*\n")));
}

TEST_CASE("list shows few parameters as few") {
  const std::string networks = run_ooc_paleo({"list", "networks"}).out;
  CHECK_FALSE(has(networks, "0.00 M"));
  CHECK(has(networks, "138.36 M parameters"));
}

TEST_CASE("schemas are printed as they are shipped") {
  CHECK(run_ooc_paleo({"schema", "network"}).out ==
        read_file(std::string(OOC_SOURCE_DIR) + "/networks/network.schema.json"));
  CHECK(run_ooc_paleo({"schema", "hwprofile"}).out ==
        read_file(std::string(OOC_SOURCE_DIR) + "/hwprofiles/hwprofile.schema.json"));
}

}  // namespace
}  // namespace ooc::test
