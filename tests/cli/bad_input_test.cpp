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

TEST_CASE("no command, an unknown command and an unknown top-level flag are usage errors") {
  check_refused(run_ooc_paleo({}), {"no command", "--help"});
  check_refused(run_ooc_paleo({"predcit"}), {"\"predcit\"", "did you mean predict?"});
  check_refused(run_ooc_paleo({"--versoin"}), {"--versoin", "did you mean --version?"});
}

TEST_CASE("an unknown flag names the nearest one") {
  check_refused(predict({"--bacth", "4"}), {"--bacth", "did you mean --batch?"});
  check_refused(predict({"--memroy=4GB"}), {"--memroy", "did you mean --memory?"});
  check_refused(run_ooc_paleo({"list", "networks", "--colour"}), {"--colour", "list"});
}

TEST_CASE("a flag without its value, given twice, or an argument too many is refused") {
  check_refused(predict({"--batch"}), {"--batch", "no value"});
  check_refused(predict({"--batch", "1", "--batch", "2"}), {"--batch", "2 times"});
  check_refused(predict({"vgg16"}), {"one argument too many", "vgg16"});
  // The next flag is no value.
  check_refused(predict({"--memory", "--batch", "3"}), {"--memory: found no value"});
  check_refused(predict({"-o", "--equations"}), {"--output: found no value"});
  check_refused(run_ooc_paleo({"predict", "--hardware", kMachine, "--", kNetwork, "--batch", "3"}),
                {"\"--batch\" behind \"--\"", "flags go before"});
}

TEST_CASE("a switch refuses a value, whatever it is") {
  for (const char* word :
       {"--equations=3", "--equations=true", "--quiet=1", "--quiet=banana", "--quiet="}) {
    const std::string name = std::string(word).substr(0, std::string(word).find('='));
    check_refused(predict({word}), {name + ": found the value", "expected no value"});
  }
  check_refused(predict({"--help=x"}), {"--help", "\"x\"", "schedules"});
}

TEST_CASE("what a command cannot do without is asked for by name") {
  check_refused(run_ooc_paleo({"predict", "--hardware", kMachine}), {"NETWORK"});
  check_refused(run_ooc_paleo({"predict", kNetwork}), {"--hardware"});
  check_refused(run_ooc_paleo({"sweep", "--hardware", kMachine}), {"NETWORK"});
}

TEST_CASE("a missing file and an unknown name list the known ones with the nearest") {
  check_refused(run_ooc_paleo({"predict", "no/such/file.json", "--hardware", kMachine}),
                {"NETWORK", "no/such/file.json", "not there"});
  check_refused(run_ooc_paleo({"predict", "vgg61", "--hardware", kMachine}),
                {"NETWORK", "\"vgg61\"", "alexnet", "did you mean vgg16?"});
  check_refused(run_ooc_paleo({"predict", kNetwork, "--hardware", "v100-16gb-pcie4"}),
                {"--hardware", "did you mean v100-16gb-pcie3?"});
  check_refused(run_ooc_paleo({"list", "netwroks"}), {"netwroks", "did you mean networks?"});
  check_refused(run_ooc_paleo({"schema", "netwrok"}), {"netwrok", "did you mean network?"});
}

TEST_CASE("a folder is no network") {
  check_refused(run_ooc_paleo({"predict", "/tmp", "--hardware", kMachine}),
                {"NETWORK", "\"/tmp\", which is a directory"});
  check_refused(run_ooc_paleo({"predict", kNetwork, "--hardware", "/tmp/"}),
                {"--hardware", "\"/tmp/\", which is a directory"});
}

TEST_CASE("an unfinished name lists those that begin so") {
  check_refused(run_ooc_paleo({"predict", kNetwork, "--hardware", "v100"}),
                {"did you mean v100-16gb-pcie3, v100-32gb-pcie3 or v100-nvlink2-power9?"});
  check_refused(predict({"--schedule", "vdn"}),
                {"mean vdnn-all, vdnn-conv, vdnn-dyn, vdnn-prefix, vdnn++ or vdnn-like?"});
  check_refused(predict({"--accounting", "live"}), {"did you mean liveness?"});
}

TEST_CASE("names with a change of direction in them are escaped") {
  check_refused(predict({"--schedule", "vd\u202enn"}), {"\"vd\\u202enn\""});
}

TEST_CASE("an unknown schedule lists the known ones with the nearest") {
  check_refused(predict({"--schedule", "vdnn-like2"}),
                {"--schedule", "in-core", "capacity", "did you mean vdnn-like?"});
  const Words compare{"compare", kNetwork, "--hardware", kMachine, "--schedules"};
  auto with = [&](const std::string& list) {
    Words arguments = compare;
    arguments.push_back(list);
    return run_ooc_paleo(arguments);
  };
  check_refused(with("in-core,capcity"), {"--schedules", "did you mean capacity?"});
  check_refused(with("in-core,in-core"), {"--schedules", "twice"});
  check_refused(with("in-core,"), {"--schedules", "empty"});
  check_refused(with("all,capacity"), {"\"all,capacity\", expected all alone, or names"});
}

TEST_CASE("a quantity without a unit, or with that of something else, says what to write") {
  check_refused(predict({"--memory", "16"}), {"--memory", "16", "GiB"});
  check_refused(predict({"--memory", "16 GB/s"}), {"--memory", "GiB"});
  check_refused(predict({"--memory", "-1 GB"}), {"--memory"});
  check_refused(predict({"--memory", "nan GB"}), {"--memory"});
  check_refused(predict({"--memory", "1e30 GB"}), {"--memory"});
  check_refused(predict({"--link", "12 GB"}), {"--link", "GB/s"});
  check_refused(predict({"--link", "4Gb/s"}), {"\"4 GB/s\" (bytes) or \"4 Gbit/s\" (bits)"});
  check_refused(predict({"--memory", "12  GiB"}), {"at most one blank", "write \"12 GiB\""});
  check_refused(predict({"--link", "0 GB/s"}), {"--link"});
  check_refused(predict({"--link", "nan GB/s"}), {"--link"});
  check_refused(predict({"--far-throughput", "x"}), {"--far-throughput"});
  check_refused(predict({"--latency", "5"}), {"--latency", "us"});
  check_refused(predict({"--max-input", "lots"}), {"--max-input"});
}

TEST_CASE("a threshold of a schedule is a size with a unit or a whole number from 0 on") {
  check_refused(predict({"--schedule", "swap-in-out", "--keep-bytes", "4"}),
                {"--keep-bytes", "\"4\"", "GiB"});
  check_refused(predict({"--schedule", "lms", "--bytes-min", "-1 MB"}), {"--bytes-min"});
  for (const char* count : {"-1", "1.5", "x", "", "2147483649"}) {
    check_refused(predict({"--schedule", "lms", "--slack-min", count}),
                  {"--slack-min", "a whole number from 0 to 2147483648"});
    check_refused(predict({"--schedule", "lms", "--max-swaps", count}),
                  {"--max-swaps", "a whole number from 0 to 2147483648"});
  }
  check_refused(predict({"--schedule", "capacity", "--max-swaps", "3"}), {"--max-swaps", "lms"});
}

TEST_CASE("a batch is a whole number from 1 to 2^31") {
  for (const char* batch : {"0", "-4", "1.5", "1e3", "nan", "", " ", "8 8", "0x10", "2147483649",
                            "1000000000000", "99999999999999999999"}) {
    check_refused(predict({"--batch", batch}), {"--batch", "from 1 to 2147483648"});
  }
}

TEST_CASE("a batch that makes tensors too large is refused before anything is built") {
  // 1 GB x 2^31 leaves 2^48 bytes a tensor.
  check_refused(
      run_ooc_paleo({"predict", "vgg16", "--hardware", "v100-16gb-pcie3", "--batch", "2147483648"}),
      {"error: --batch: found 2147483648 (", "expected"});
  check_refused(run_ooc_paleo({"sweep", "vgg16", "--hardware", "v100-16gb-pcie3", "--batch",
                               "1000000000,1100000000"}),
                {"error: --batch: found 1000000000 (", "expected"});
}

TEST_CASE("inspect without a machine keeps the limits too, and names what is too large") {
  const std::string value = "602112000000000 bytes in tensor data";  // 3 x 224 x 224 x 4 x 10^9
  check_refused(run_ooc_paleo({"inspect", "vgg16", "--batch", "1000000000"}),
                {"error: --batch: found 1000000000 (" + value, "below 2^48 bytes"});
  check_refused(run_ooc_paleo({"inspect", "resnet152", "--batch", "2147483648"}),
                {"error: --batch: found 2147483648 ("});
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

TEST_CASE("an unknown word of a choice lists the choices") {
  check_refused(predict({"--format", "jsno"}), {"--format", "table, json, csv", "json?"});
  check_refused(predict({"--mode", "pined"}), {"--mode", "pinned, pageable", "pinned?"});
  check_refused(predict({"--compute", "nativ"}), {"--compute", "native, paleo"});
  check_refused(predict({"--optimizer", "adamw"}), {"--optimizer", "adam?"});
  check_refused(predict({"--allocator", "firstfit"}), {"--allocator", "first-fit?"});
  check_refused(predict({"--accounting", "live"}), {"--accounting", "define-by-run"});
}

TEST_CASE("a mode that the profile lacks is refused") {
  check_refused(predict({"--mode", "pageable"}),
                {"error: " + kMachine + ": /connection/modes/pageable", "pinned"});
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
    check_refused(
        run_ooc_paleo({"compare", kNetwork, "--hardware", kMachine, "--accounting", rule}),
        {"--accounting"});
    check_refused(run_ooc_paleo({"sweep", kNetwork, "--hardware", kMachine, "--accounting", rule}),
                  {"--accounting"});
  }
  CHECK(predict({"--accounting", "define-by-run"}).exit_code == 0);
}

TEST_CASE("a larger input than --max-input is refused") {
  check_refused(predict({"--max-input", "100 B"}), {kMachine, "--max-input"});
}

TEST_CASE("--max-input above the memory of the machine is refused in every command") {
  const std::initializer_list<std::string> too_much{"--max-input: found \"60 PB\"",
                                                    "the memory of this machine"};
  check_refused(predict({"--max-input", "60 PB"}), too_much);
  check_refused(run_ooc_paleo({"validate", "--max-input", "60 PB"}), too_much);
  check_refused(run_ooc_paleo({"calibrate", "--from", kNetwork, "--max-input", "60 PB"}), too_much);
}

TEST_CASE("layer times name file and line of what is wrong") {
  const ScratchFolder scratch;
  const auto with = [&](const std::string& text) {
    return predict({"--layer-times", scratch.file("times.csv", text)});
  };
  const std::string header = "layer,forward_ms,backward_ms\n";
  check_refused(predict({"--layer-times", "/no/such.csv"}), {"--layer-times", "/no/such.csv"});
  check_refused(predict({"--layer-times", "/tmp"}),
                {"--layer-times: found \"/tmp\", which is a directory"});
  check_refused(with(""), {"times.csv", "line 1", "layer,forward_ms,backward_ms"});
  check_refused(with("a,1,2\n"), {"line 1", "layer,forward_ms,backward_ms"});
  check_refused(with(header + "a,1\n"), {"line 2", "2 columns"});
  check_refused(with(header + "a,1,2\n\naa,1,2\n"), {"line 4", "\"aa\"", "did you mean a?"});
  check_refused(with(header + "a,1,2\na,1,2\n"), {"line 3", "again"});
  for (const char* number : {"nan", "inf", "-1", "1e300", "", "1 ms"}) {
    check_refused(with(header + "a,1," + number + "\n"), {"line 2", "backward_ms"});
  }
  check_refused(with(header + "\"a,1,2\n"), {"line 2", "quote"});
  check_refused(run_ooc_paleo({"inspect", kNetwork, "--layer-times",
                               scratch.file("good.csv", header + "a,1,2\n")}),
                {"--layer-times", "--hardware"});
}

TEST_CASE("bad ranges of a sweep say what is wrong with them") {
  const auto sweep = [&](Words more) {
    return run_ooc_paleo(Words{"sweep", kNetwork, "--hardware", kMachine} + more);
  };
  check_refused(sweep({"--batch", "4:1:x2"}), {"--batch", "empty"});
  check_refused(sweep({"--batch", "1:4:x1"}), {"--batch", "greater than 1"});
  check_refused(sweep({"--batch", "4:100:x1.0000001"}), {"--batch", "at least 1.000001"});
  check_refused(sweep({"--batch", "1:4:+0"}), {"--batch"});
  check_refused(sweep({"--batch", "1:4"}), {"--batch", "FROM:TO:xFACTOR"});
  check_refused(sweep({"--batch", "1:4:2"}), {"--batch", "begins with x or +"});
  check_refused(sweep({"--batch", "1,2,1"}), {"--batch", "twice"});
  check_refused(sweep({"--batch", "1,,2"}), {"--batch", "empty"});
  check_refused(sweep({"--batch", "1:1000001:+1"}), {"--batch", "at most 1000000 values"});
  check_refused(sweep({"--batch", "1:10000:+1", "--memory", "1GB:2GB:+1MB"}),
                {"configurations", "10000000"});
  check_refused(sweep({"--memory", "4GB:8GB:+1"}), {"--memory", "GiB"});
  check_refused(sweep({"--link", "4GB/s:inf:x2"}), {"--link"});
  check_refused(sweep({"--link", "4GB/s,4000MB/s"}), {"--link", "in which 4 GB/s comes twice"});
  check_refused(sweep({"--link", "inf,inf"}), {"--link", "in which inf comes twice"});
  check_refused(sweep({"--memory", "4GiB,4096MiB"}), {"--memory", "in which 4 GiB comes twice"});
  check_refused(sweep({"--jobs", "0"}), {"--jobs"});
  check_refused(sweep({"--hardware", kMachine}), {"--hardware", "twice"});
  check_refused(run_ooc_paleo({"sweep", kNetwork, kNetwork, "--hardware", kMachine}), {"twice"});
  check_refused(sweep({"--format", "table"}), {"--format", "csv, json"});
}

}  // namespace
}  // namespace ooc::test
