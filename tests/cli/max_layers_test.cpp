// The deepest network: the border found is the one that `predict` sees in files with as many copies written
// out, and bad input.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

const std::string kMaxMachine =
    std::string(OOC_SOURCE_DIR) + "/tests/data/worked_example_machine.json";

std::string repeat(int times, const std::string& scale) {
  return R"({ "name": "deep)" + scale.substr(0, 1) + R"(", "type": "repeat", "times": )" +
         std::to_string(times) + (scale.empty() ? "" : R"(, "scale": )" + scale) +
         R"(, "layers": [ { "name": "a", "type": "custom", "output_shape": [250000000],
            "forward_time": "50 ms", "backward_time": "100 ms" } ] })";
}

/// Layers of 1 GB, as those of docs/formats.md, 6.
std::string network(const std::string& layers) {
  return R"({ "format": "ooc-paleo/network", "version": 1, "name": "chain",
    "inputs": [ { "name": "data", "shape": [250000000] } ], "layers": [ )" +
         layers + R"( ], "expect": { "parameters": 0 } })";
}

Ran max_layers(const std::string& file, const Words& more) {
  return run_ooc_paleo(Words{"max", "--of", "layers", file, "--hardware", kMaxMachine} + more);
}

TEST_CASE("as many copies as are found fit, and one more does not, as predict says") {
  const ScratchFolder folder;
  const std::string file = folder.file("chain.json", network(repeat(4, "true")));
  // In core each copy keeps its output beside the network's input: 1 + n GB.
  const Ran in_core = max_layers(
      file, {"--memory", "8.5GB", "--schedule", "in-core", "--format", "csv", "--quiet"});
  CHECK(in_core.exit_code == 0);
  CHECK(has(in_core.out, ",7,8,near_memory,"));
  // What is swapped waits in far memory, all but what can stay.
  const Ran capacity = max_layers(file, {"--memory", "8.5GB", "--schedule", "capacity", "--format",
                                         "csv", "--quiet", "--far-memory", "20GB"});
  const std::string row = capacity.out.substr(capacity.out.find('\n'));
  CHECK(has(row, ",far_memory,"));
  const std::size_t end = row.rfind(',', row.find(",far_memory,") - 1);
  const int most = std::stoi(row.substr(row.rfind(',', end - 1) + 1));
  CHECK(most > 20);
  for (const int copies : {most, most + 1}) {
    const std::string other = folder.file("other.json", network(repeat(copies, "true")));
    CHECK(run_ooc_paleo({"predict", other, "--hardware", kMaxMachine, "--memory", "8.5GB",
                         "--far-memory", "20GB", "--quiet"})
              .exit_code == (copies == most ? 0 : 3));
  }
}

TEST_CASE("the most layers come as table, JSON and CSV, with what they gain over in-core") {
  const ScratchFolder folder;
  const std::string file = folder.file("chain.json", network(repeat(4, "true")));
  const Words job{"--memory", "8.5GB", "--schedules", "in-core,vdnn-like",
                  "--limit",  "70",    "--quiet"};
  const Ran table = max_layers(file, job);
  CHECK(has(table.out, "copies of deept, of which its file has 4"));
  CHECK(has(table.out, "gain: over in-core"));
  Words as_json = job;
  as_json.insert(as_json.end(), {"--format", "json"});
  const Ran json = max_layers(file, as_json);
  for (const char* piece : {"\"format\": \"ooc-paleo/max-layers\"", "\"copies\": 4",
                            "\"limit\": 70", "\"value\": 7", "\"gain\": 1"}) {
    CAPTURE(piece);
    CHECK(has(json.out, piece));
  }
}

TEST_CASE("a network without one repeat that scales is refused") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& layers, const std::string& words) {
    check_refused(max_layers(folder.file("net.json", network(layers)), {"--quiet"}), {words});
  };
  refused(repeat(4, ""), "no repeat that scales");
  refused(repeat(4, "false"), "no repeat that scales");
  std::string second = repeat(2, "true");
  second.replace(second.find("deept"), 5, "more");
  refused(repeat(4, "true") + "," + second, "2 repeats that scale: deept, more");
  refused(repeat(4, "3"), "/layers/0/scale");
}

TEST_CASE("flags of max that do not go together are refused") {
  const auto refused = [](const Words& more, const std::string& words) {
    check_refused(run_ooc_paleo(Words{"max", "resnet50", "--hardware", "m40", "--quiet"} + more),
                  {words});
  };
  refused({"--of", "layer"}, "did you mean layers?");
  refused({"--of", "batch", "--batch", "4"}, "--limit");
  refused({"--of", "layers", "--max-batch-limit", "4"}, "--limit");
  refused({"--limit", "4", "--max-batch-limit", "4"}, "use one of them");
  refused({"--of", "layers", "--limit", "0"}, "--limit");
  refused({"--of", "layers", "--limit", "100001"}, "at most 100000");
}

}  // namespace
}  // namespace ooc::test
