// One test per kind of bad input on the command line: exit 2, nothing on stdout, one line on stderr that
// names the flag, what was found and what would be right.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// `predict` on the worked example with more arguments.
Ran predict(Words more) {
  return run_ooc_paleo(Words{"predict", kNetwork, "--hardware", kMachine} + more);
}

TEST_CASE(
    "times of custom layers hold for the file's batch only, and where it states none that is "
    "said") {
  const ScratchFolder scratch;
  const auto network = [&](const std::string& head, const std::string& per) {
    return scratch.file("n.json", R"({"format": "ooc-paleo/network", "version": 1, "name": "n",)" +
                                      head +
                                      R"("inputs": [{"name": "data", "shape": [4]}], "layers": [
      {"name": "a", "type": "custom", "output_shape": [4], "forward_time": "1 ms", "backward_time": "2 ms")" +
                                      per + "}]}");
  };
  const auto run = [](const std::string& command, const std::string& file, Words more) {
    return run_ooc_paleo(Words{command, file, "--hardware", kMachine, "--format", "json"} + more);
  };
  const std::string two = network(R"("batch": 2,)", "");
  check_refused(run("predict", two, {"--batch", "3129"}),
                {"--batch: found 3129", "expected 2", "layer \"a\"", "\"per\": \"sample\""});
  check_refused(run("max-batch", two, {"--schedule", "in-core"}),
                {"layer \"a\": found times for batch 2", "any batch"});
  CHECK(run("predict", two, {}).err == "");

  const std::string unstated = network("", "");
  const Ran said = run("predict", unstated, {"--batch", "3"});
  check_ends(said, 0, {"remark: " + unstated + ": the times of layer \"a\" are taken for batch 3"});
  CHECK(has(said.out, "are taken for batch 3"));  // "remarks"

  const std::string each = network("", R"(, "per": "sample")");
  const Ran ran = run("predict", each, {"--batch", "1000"});
  CHECK(ran.err == "");
  CHECK(has(ran.out, "\"iteration_time_ns\": 3000000000,"));
  CHECK(run("max-batch", each, {"--schedule", "in-core"}).err == "");
}

TEST_CASE("a plan of too many copies of pages is refused and not made") {
  const ScratchFolder scratch;
  std::string profile = read_file(std::string(OOC_SOURCE_DIR) + "/hwprofiles/v100-16gb-pcie3.json");
  const std::string small = "\"512 GiB\"";
  profile.replace(profile.find(small), small.size(), "\"64 TiB\"");
  check_refused(run_ooc_paleo({"predict", "vgg16", "--hardware", scratch.file("far.json", profile),
                               "--batch", "65536", "--memory", "2GiB", "--schedule", "unified"}),
                {"--batch: found 65536", "uses of parts", "at most 4194304", "more memory"});
}

TEST_CASE("what is found out behind the readers still names the file, not what it calls itself") {
  const ScratchFolder scratch;
  std::string text = read_file(kNetwork);
  const auto replace = [&](const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    text.replace(at, old.size(), by);
  };
  replace("\"float32\"", "\"float16\"");
  const std::string half = scratch.file("half.json", text);
  check_refused(run_ooc_paleo({"predict", half, "--hardware", kMachine}),
                {"error: " + kMachine + ": /compute/peak/float16"});
  // Without --batch the file's own batch is what is too large.
  text = read_file(std::string(OOC_SOURCE_DIR) + "/networks/vgg16.json");
  replace("\"version\": 1,", "\"version\": 1, \"batch\": 2147483648,");
  const std::string large = scratch.file("large.json", text);
  check_refused(run_ooc_paleo({"predict", large, "--hardware", "v100-16gb-pcie3"}),
                {"error: " + large + ": /batch: found 2147483648 ("});
  const std::string fork = scratch.file("fork.json", R"({
    "format": "ooc-paleo/network", "version": 1, "name": "fork", "source": "made up",
    "dtype": "float32", "inputs": [{"name": "data", "shape": [4]}],
    "layers": [
      {"name": "a", "type": "linear", "units": 4},
      {"name": "r", "type": "relu", "inputs": ["a"], "in_place": true},
      {"name": "s", "type": "add", "inputs": ["a", "r"]}
    ]})");
  check_refused(
      run_ooc_paleo({"inspect", fork}),
      {"error: " + fork + ": /layers/1/in_place: found \"in_place\": true of layer \"r\", ",
       "(line 6, column 66, leave in_place out"});
}

TEST_CASE("accountings without lifetimes are for in-core and inspect only") {
  for (const char* rule : {"shared-gradients", "all-gradients"}) {
    check_refused(predict({"--accounting", rule}), {"--accounting", rule, "capacity", "in-core"});
    CHECK(predict({"--accounting", rule, "--schedule", "in-core"}).exit_code == 0);
    CHECK(run_ooc_paleo({"inspect", kNetwork, "--accounting", rule}).exit_code == 0);
    for (const char* command : {"compare", "sweep"}) {
      const Ran ran =
          run_ooc_paleo({command, kNetwork, "--hardware", kMachine, "--accounting", rule});
      CHECK(ran.exit_code == 0);
      CHECK(ran.err.find("without vdnn-all, ") != std::string::npos);
    }
  }
  CHECK(predict({"--accounting", "define-by-run"}).exit_code == 0);
}

TEST_CASE("--max-input above the memory of the machine is refused in every command") {
  const std::initializer_list<std::string> too_much{"--max-input: found \"60 PB\"",
                                                    "the memory of this machine"};
  check_refused(predict({"--max-input", "60 PB"}), too_much);
  check_refused(run_ooc_paleo({"validate", "--max-input", "60 PB"}), too_much);
  check_refused(run_ooc_paleo({"calibrate", "--from", kNetwork, "--max-input", "60 PB"}), too_much);
}

}  // namespace
}  // namespace ooc::test
