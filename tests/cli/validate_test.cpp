// `validate` as a user sees it: what is shipped, a row of his own, what is wrong with a row.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/replay_support.hpp"
#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

using nlohmann::json;

/// A row about the worked example of docs/formats.md, 6: 600 ms in core, 950 ms under vdnn-like.
std::string row(const std::string& checks, const std::string& more_runs = "",
                const std::string& id = "mine") {
  const std::string job =
      kData + "worked_example.json --hardware " + kData + "worked_example_machine.json";
  return R"({"format": "ooc-paleo/validation-row", "version": 1, "id": ")" + id +
         R"(", "title": "the worked example", "source": "by hand", "use": "tight",
 "runs": {"base": "predict )" +
         job + R"( --schedule in-core", "swap": "predict )" + job + R"( --schedule vdnn-like")" +
         more_runs + R"(},
 "checks": [)" +
         checks + "]}\n";
}

const std::string kGood =
    R"({"name": "in core", "unit": "ms", "predicted": "base.iteration_time_ns", "published": 600, "tolerance": 0})";
const std::string kBad =
    R"({"name": "too fast", "unit": "ms", "predicted": "swap.iteration_time_ns", "published": 900, "tolerance": "5 %"})";

std::string with(std::string check, const std::string& member) {
  check.insert(1, member + ", ");
  return check;
}

struct Judged {
  Ran ran;
  std::string path;
};

Judged validate(const std::string& text, std::vector<std::string> more = {}) {
  const ScratchFolder folder;
  const std::string path = folder.file("row.json", text);
  std::vector<std::string> words{"validate", path};
  words.insert(words.end(), more.begin(), more.end());
  return {run_ooc_paleo(words), path};
}

TEST_CASE("shipped rows are found by name from any directory") {
  const Ran ran = run_ooc_paleo({"validate", "M3", "M11"});
  CHECK(ran.err == "");
  CHECK(ran.exit_code == 0);
  CHECK(has(ran.out, "M3   VGG-16, batch 256: footprint [Rhu et al., MICRO 2016]\n"));
  CHECK(has(ran.out, "15.57 GB"));
  CHECK(has(ran.out, "\n2 rows: 2 hold\n"));
  CHECK(has(run_ooc_paleo({"list", "rows"}).out, "\nM2   "));
  CHECK(
      has(run_ooc_paleo({"schema", "row"}).out, "\"title\": \"OOC-Paleo row of the validation\""));
}

TEST_CASE("a row of one's own holds or fails, and only tight and band figures make exit status 4") {
  CHECK(validate(row(kGood)).ran.exit_code == 0);
  CHECK(validate(row(kGood + "," + kBad)).ran.exit_code == 4);
  CHECK(validate(row(with(kBad, R"("use": "band")"))).ran.exit_code == 4);
  const Ran order = validate(row(with(kBad, R"("use": "order")"))).ran;
  CHECK(order.exit_code == 0);
  CHECK(has(order.out, "FAILS\n"));
  CHECK(has(order.out, "1 row: 0 hold, 1 FAILS in order only\n"));
  const Ran known = validate(row(with(kBad, R"("known": "copies of nothing")"))).ran;
  CHECK(known.exit_code == 0);
  CHECK(has(known.out, "fails (known)"));
  CHECK(has(known.out, "too fast: copies of nothing"));
  CHECK(has(known.out, "1 row: 0 hold, 1 fails as known\n"));
  const Ran marked = validate(row(with(kGood, R"("known": "long ago")"))).ran;
  CHECK(marked.exit_code == 0);
  CHECK(has(marked.out, "remove \"known\""));
  const Ran pending = validate(row(with(kGood, R"("pending": "no machine yet")"))).ran;
  CHECK(pending.exit_code == 0);
  CHECK(has(pending.out, "1 row: 0 hold, 1 not run\n"));
}

TEST_CASE("the table says what fails by how much") {
  const Ran ran = validate(row(kGood + "," + kBad)).ran;
  CHECK(has(ran.out, "    in core      600 ms     600 ms      0.0 %  exactly  predicted  holds\n"));
  CHECK(has(ran.out, "    too fast     950 ms     900 ms     +5.6 %  ± 5 %    predicted  FAILS\n"));
  CHECK(has(ran.out, "too fast: predicted 950 ms, reference 900 ms, ± 5 %\n"));
  CHECK(has(ran.out, "1 row: 0 hold, 1 FAILS\n"));
}

TEST_CASE("JSON and CSV carry the same figures") {
  const Ran ran = validate(row(kGood + "," + kBad), {"--format", "json"}).ran;
  CHECK(ran.exit_code == 4);
  const json result = json::parse(ran.out);
  CHECK(result["format"] == "ooc-paleo/validation");
  CHECK(result["summary"]["rows"] == 1);
  CHECK(result["summary"]["fails"] == 1);
  const json& kinds = result["summary"]["kinds"];
  REQUIRE(kinds.size() == 1);
  CHECK(kinds[0]["kind"] == "predicted");
  CHECK(kinds[0]["of"] == "published figures");
  CHECK(kinds[0]["figures"] == 2);
  CHECK(kinds[0]["holds"] == 1);
  CHECK(kinds[0]["largest"].get<double>() == doctest::Approx(50.0 / 900));
  const json& bad = result["rows"][0]["checks"][1];
  CHECK(bad["points"][0]["predicted"][0] == 950.0);
  CHECK(bad["points"][0]["reference"] == 900.0);
  CHECK(bad["points"][0]["verdict"] == "fails");
  CHECK(bad["tolerance"] == 0.05);
  const Ran csv = validate(row(kGood + "," + kBad), {"--format", "csv"}).ran;
  CHECK(has(csv.out, "\nmine,too fast,,tight,tolerance,950000000,900000000,0.0555"));
}

TEST_CASE("a max-batch, an inspection and a copy yield figures") {
  const std::string machine = kData + "worked_example_machine.json";
  const std::string more = R"(, "most": "max-batch )" + kData + "worked_example.json --hardware " +
                           machine + R"( --schedule in-core", "look": "inspect )" + kData +
                           R"(worked_example.json", "copy": {"copy": {"hardware": ")" + machine +
                           R"(", "mode": "pinned", "direction": "to_far", "size": "1 GB"}})";
  const Ran ran = validate(row(R"({"predicted": "most.max_batch", "between": [1, null]},
      {"predicted": "look.layers", "published": 4, "tolerance": 0},
      {"predicted": "copy.time_ns", "unit": "ms", "published": 100, "tolerance": 0})",
                               more))
                      .ran;
  CHECK(ran.err == "");
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

/// A check over layers of the worked example under vdnn-like.
Judged by_layer(const std::string& layers, const std::string& check,
                std::vector<std::string> more = {}) {
  const std::string run = R"(, "part": {"layer": "{layer}", "run": "predict )" + kData +
                          "worked_example.json --hardware " + kData +
                          R"(worked_example_machine.json --schedule vdnn-like"})";
  std::string text =
      row(R"({"unit": "ms", "points": {"layer": [)" + layers + "]}, " + check + "}", run);
  text.insert(1, R"("axis": "layer by layer", )");
  return validate(text, std::move(more));
}

TEST_CASE("one layer of a run yields what it computes and waits for; JSON says what points are") {
  const std::string all = R"("a", "b", "c", "d")";
  const Ran computes = by_layer(all,
                                R"("predicted": "part.forward_ns + part.backward_ns",
                                   "published": 150, "tolerance": 0)",
                                {"--format", "json"})
                           .ran;
  CHECK(computes.err == "");
  CHECK_MESSAGE(computes.exit_code == 0, computes.out);
  const json result = json::parse(computes.out)["rows"][0];
  CHECK(result["axis"] == "layer by layer");
  CHECK(result["checks"][0]["over"]["layer"] == json::array({"a", "b", "c", "d"}));
  // Over all layers the waits are the iteration less what it computes: 950 - 600 ms.
  const Ran waits = by_layer(all,
                             R"x("predicted": "sum(part.forward_wait_ns + part.backward_wait_ns)",
                                "published": 350, "tolerance": 0)x")
                        .ran;
  CHECK_MESSAGE(waits.exit_code == 0, waits.out);
  const Ran none =
      by_layer(R"("a", "bb")", R"("predicted": "part.forward_ns", "between": [0, 1])").ran;
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "the layer \"bb\""));
}

TEST_CASE("a run takes the framework that its machine names, unless it says another") {
  const ScratchFolder folder;
  std::string machine = read_file(kData + "worked_example_machine.json");
  machine.insert(machine.find("\"compute\""), "\"framework\": \"cudnn-superneurons-modnn\", ");
  folder.file("worked_example_machine.json", machine);
  const std::string path = folder.file("row.json", R"({"format": "ooc-paleo/validation-row",
 "version": 1, "id": "x", "title": "t", "source": "s", "use": "tight",
 "runs": {"own": "inspect vgg16 --batch 1 --hardware ./worked_example_machine.json",
          "plain": "inspect vgg16 --batch 1 --hardware ./worked_example_machine.json --framework ideal"},
 "checks": [{"predicted": "own.saved_bytes / plain.saved_bytes", "between": [1.3, 2]}]})");
  const Ran ran = run_ooc_paleo({"validate", path});
  CHECK(ran.err == "");
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

TEST_CASE("the share of layers whose backward waits is that of the worked example") {
  // docs/formats.md, 6, under vdnn-like: a copy in takes as long as a backward task, so that only the
  // last of four layers waits, for its own; over half the link each waits.
  const std::string job =
      kData + "worked_example.json --hardware " + kData + "worked_example_machine.json";
  const std::string check =
      R"({"predicted": "base.backward_layers_delayed", "published": 0, "tolerance": 0},
         {"predicted": "swap.backward_layers_delayed", "published": 0.25, "tolerance": 0},
         {"predicted": "slow.backward_layers_delayed", "published": 1, "tolerance": 0})";
  const Ran ran = validate(row(check, R"(, "slow": "predict )" + job +
                                          R"( --schedule vdnn-like --link 5GB/s")"))
                      .ran;
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

TEST_CASE("paths in a row are seen from the row's file") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "inner");
  folder.file("inner/net.json", read_file(kData + "worked_example.json"));
  folder.file("inner/machine.json", read_file(kData + "worked_example_machine.json"));
  const std::string path = folder.file("inner/row.json", R"({"format": "ooc-paleo/validation-row",
 "version": 1, "id": "x", "title": "t", "source": "s", "use": "tight",
 "runs": {"a": "predict ./net.json --hardware machine.json --schedule in-core"},
 "checks": [{"unit": "ms", "predicted": "a.iteration_time_ns", "published": 600, "tolerance": 0}]})");
  const Ran ran = run_ooc_paleo({"validate", path});
  CHECK(ran.err == "");
  CHECK(ran.exit_code == 0);
}

struct Wrong {
  std::string text;
  std::vector<std::string> says;
};

TEST_CASE("a bad row exits 2 with one line that names file, place, line and column") {
  const std::string check = R"({"predicted": "a.iteration_time_ns", "between": [0, null]})";
  const auto run = [&](const std::string& text) { return row(check, ", \"a\": \"" + text + "\""); };
  const std::string job =
      kData + "worked_example.json --hardware " + kData + "worked_example_machine.json";
  const std::vector<Wrong> wrong{
      {"{", {"line 1"}},
      {row(check), {"/checks/0/predicted: found \"a\" at character 1", "one of base, swap"}},
      {row(R"({"predicted": "base.time", "between": [0, null]})"),
       {"/checks/0/predicted: found \"time\" of base", "iteration_time_ns", "line 3, column"}},
      {row(R"({"predicted": "base.batch +", "between": [0, null]})"), {"found the end of"}},
      {row(R"({"predicted": "base.batch"})"), {"/checks/0: found no rule"}},
      {run("predict " + job + " --bach 3"),
       {"/runs/a: found --bach: an unknown flag", "did you mean --batch"}},
      {run("predict " + job + " --batch x"), {"/runs/a: found --batch: \"x\"", "line 2, column"}},
      {run("predict nonesuch --hardware m40"), {"/runs/a: found NETWORK: \"nonesuch\""}},
      {run("predict " + job + " -o x.json"), {"/runs/a: found --output"}},
      {run("predict " + job + " --report x.html"), {"/runs/a: found --report"}},
      {run("max-batch " + job + " --plot x.svg"), {"/runs/a: found --plot"}},
      {run("sweep " + job), {"/runs/a: found \"sweep\"", "predict, max-batch, inspect"}},
      {run("predict " + job + " --help"), {"/runs/a: found --help"}},
      {run("predict"), {"/runs/a: found NETWORK: none"}},
      {run("predict vgg16"), {"/runs/a: found --hardware: none"}},
      {run("predict {base.batch"), {"\"{\" without \"}\""}},
      {row(check, R"(, "a": {"replays": "no/such/folder"})"), {"no/such/folder"}},
      {row(check,
           R"(, "a": {"copy": {"hardware": "m40", "mode": "magic", "direction": "to_far", "size": "1 MB"}})"),
       {"magic"}},
      {row(check,
           R"(, "a": {"copy": {"hardware": "m40", "mode": "pinned", "direction": "to_far", "size": "1"}})"),
       {"/runs/a: found size: \"1\""}},
  };
  for (const Wrong& each : wrong) {
    const Judged judged = validate(each.text);
    CAPTURE(each.text);
    CAPTURE(judged.ran.err);
    CHECK(judged.ran.exit_code == 2);
    CHECK(judged.ran.out == "");
    CHECK(std::count(judged.ran.err.begin(), judged.ran.err.end(), '\n') == 1);
    CHECK(has(judged.ran.err, judged.path));
    for (const std::string& part : each.says) CHECK(has(judged.ran.err, part));
  }
}

TEST_CASE("a folder of replays that cannot be read to its end is an error of the row") {
  // Processes that end while it is read, or far too many files.
  const Judged judged = validate(
      row(R"({"predicted": "a.error", "between": [0, null]})", R"(, "a": {"replays": "/proc"})"));
  CAPTURE(judged.ran.err);
  CHECK(judged.ran.exit_code == 2);
  CHECK(has(judged.ran.err, "/runs/a"));
}

TEST_CASE("no run gets the network of another run") {
  const ScratchFolder folder;
  const std::string pytorch = read_file(kSource + "/hwprofiles/software/pytorch-2.json");
  std::string tensorflow = read_file(kSource + "/hwprofiles/software/tensorflow-1.json");
  tensorflow.replace(tensorflow.find("\"tensorflow-1\""), 14, "\"pytorch-2\"");
  folder.file("fw1.json", pytorch);
  folder.file("fw2.json", tensorflow);
  folder.file("config.json", read_file(kSource + "/tests/fuzz/seeds/config/valid_llama.json"));
  const std::string gpt2 = "gpt2 --hardware h100-sxm --batch 1 --precision bf16";
  const std::string lora = gpt2 + " --lora 8";
  const std::string llama =
      "./config.json --hardware h100-sxm --batch 1 --precision bf16 --kernels ";
  const std::string resnet =
      "resnet50 --hardware m40 --batch 16 --schedule in-core --framework ./fw";
  const std::vector<std::string> jobs{gpt2,
                                      gpt2 + " --grad-dtype fp32",
                                      lora,
                                      lora + " --lora-dtype float32",
                                      llama + "eager",
                                      llama + "fused",
                                      resnet + "1.json",
                                      resnet + "2.json"};
  std::string runs;
  std::string checks;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string name = "r" + std::to_string(i);
    runs += (i > 0 ? ", " : "") + ("\"" + name + "\": \"predict " + jobs[i] + "\"");
    checks += (i > 0 ? ", " : "") +
              (R"({"predicted": ")" + name +
               R"(.peak_near_bytes", "published": 1, "use": "order", "tolerance": 0})");
  }
  folder.file("row.json", R"({"format": "ooc-paleo/validation-row", "version": 1, "id": "x",
 "title": "t", "source": "s", "use": "order", "runs": {)" +
                              runs + "}, \"checks\": [" + checks + "]}");
  const Ran ran =
      run_ooc_paleo({"validate", "./row.json", "--format", "json"}, {folder.path(), {}});
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const json judged = json::parse(ran.out)["rows"][0]["checks"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CAPTURE(jobs[i]);
    const Ran alone =
        run_shell("ooc-paleo predict " + jobs[i] + " --format json --quiet", {folder.path(), {}});
    CHECK(judged[i]["points"][0]["predicted"][0] == json::parse(alone.out)["peak_near_bytes"]);
    if (i % 2 == 1) {
      CHECK(judged[i]["points"][0]["predicted"][0] != judged[i - 1]["points"][0]["predicted"][0]);
    }
  }
}

TEST_CASE("unknown rows, equal ids and outputs over inputs are refused") {
  const Ran unknown = run_ooc_paleo({"validate", "M33"});
  CHECK(unknown.exit_code == 2);
  CHECK(has(unknown.err, "ROWS: found \"M33\""));
  // Measured figures are judged under the software of their source, not under one for all.
  CHECK(run_ooc_paleo({"validate", "M3", "--framework", "ideal"}).exit_code == 2);
  const ScratchFolder folder;
  const std::string first = folder.file("a.json", row(kGood));
  const std::string second = folder.file("b.json", row(kGood));
  const Ran twice = run_ooc_paleo({"validate", first, second});
  CHECK(twice.exit_code == 2);
  CHECK(has(twice.err, "/id: found \"mine\", as in " + first));
  const Ran over = run_ooc_paleo({"validate", first, "-o", first});
  CHECK(over.exit_code == 2);
  CHECK(folder.read("a.json") == row(kGood));
  CHECK(run_ooc_paleo({"validate", first, "-o", (folder.path() / "r.json").string()}).exit_code ==
        0);
  CHECK(json::parse(folder.read("r.json"))["summary"]["holds"] == 1);
}

TEST_CASE("replays of a folder are judged one by one and together, none left out") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "measured");
  for (const char* schedule : {"in-core", "vdnn-all"}) {
    const std::string file = (folder.path() / "measured" / schedule).string() + ".json";
    const Ran ran = replay(folder, {"--schedule", schedule, "-o", file});
    REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  }
  const std::string path = folder.file("row.json", R"~({"format": "ooc-paleo/validation-row",
 "version": 1, "id": "replays", "title": "t", "source": "fake device", "use": "tight",
 "runs": {"spin": {"replays": "measured"}},
 "checks": [
   {"name": "time", "unit": "us", "predicted": "spin.predicted_ns", "measured": "spin.measured_ns", "tolerance": "10 %"},
   {"name": "mean", "unit": "%", "predicted": "mean(abs(spin.error))", "between": [0, 5]},
   {"name": "median", "unit": "%", "predicted": "median(abs(spin.error))", "between": [0, 5]},
   {"name": "largest", "unit": "%", "predicted": "max(abs(spin.error))", "between": [0, 10]}]})~");
  const Ran ran = run_ooc_paleo({"validate", path, "--format", "json"});
  CHECK_MESSAGE(ran.exit_code == 0, (ran.out + ran.err));
  const json checks = json::parse(ran.out)["rows"][0]["checks"];
  REQUIRE(checks[0]["points"].size() == 2);
  CHECK(has(checks[0]["points"][0]["point"], "example_skip 64 in-core"));
  CHECK(has(checks[0]["points"][1]["point"], "example_skip 64 vdnn-all"));
  CHECK(checks[3]["points"][0]["predicted"][0] > 0);
  // A file that is none makes the row unreadable, not shorter.
  folder.file("measured/zzz.json", "{}");
  const Ran broken = run_ooc_paleo({"validate", path});
  CHECK(broken.exit_code == 2);
  CHECK(has(broken.err, "zzz.json"));
}

TEST_CASE("a measured batch that no memory holds is timed, one that cannot be counted is refused") {
  const auto batch = [](const std::string& count) {
    return validate(R"({"format": "ooc-paleo/measured-networks", "version": 1, "id": "x",
 "title": "t", "source": "s", "role": "held out",
 "software": {"p": {"cudnn": "8.0", "layout": "channels_last"}},
 "all": {"dtype": "float32", "hardware": "v100-16gb-pcie3", "measured": "inference", "software": "p"},
 "rows": [{"network": "resnet50", "batch": )" +
                    count + R"(, "samples_per_s": 1}]})");
  };
  CHECK_MESSAGE(batch("20000000").ran.exit_code == 0, batch("20000000").ran.err);
  const Ran refused = batch("2000000000").ran;
  CHECK(refused.exit_code == 2);
  CHECK_MESSAGE(has(refused.err, "/rows/0: found "), refused.err);
}

TEST_CASE("parameters that lie in far memory come and their gradients go in each iteration") {
  const ScratchFolder folder;
  const std::string path = folder.file("set.json", R"({
  "format": "ooc-paleo/measured-networks", "version": 1,
  "id": "mine", "title": "parameters", "source": "a test", "role": "held out",
  "software": {"gpu": {"issue": "20 us"}, "cpu": {"issue": "20 us", "far_parameters": true}},
  "all": {"network": "alexnet", "hardware": "p100-pcie3", "batch": 32, "dtype": "float32",
          "measured": "training"},
  "rows": [{"time": "50 ms", "software": "gpu"}, {"time": "50 ms", "software": "cpu"},
           {"time": "9 ms", "measured": "inference", "software": "gpu"},
           {"time": "9 ms", "measured": "inference", "software": "cpu"}]
})");
  const Ran ran = run_ooc_paleo({"validate", path, "--format", "json", "--quiet"});
  REQUIRE(ran.err.empty());
  const auto rows = json::parse(ran.out)["measured_networks"][0]["rows"];
  const auto more = [&](std::size_t beside) {
    return rows[beside + 1]["predicted_s"].get<double>() -
           rows[beside]["predicted_s"].get<double>();
  };
  // 61,100,840 words of 4 bytes at 11.048 GB/s in and 12.399 out; 8 layers, 22 us to begin both ways.
  CHECK(
      more(0) ==
      doctest::Approx(244'403'360 / 11.048e9 + 244'403'360 / 12.399e9 + 8 * 22e-6).epsilon(0.001));
  CHECK(more(2) == doctest::Approx(244'403'360 / 11.048e9 + 8 * 11e-6).epsilon(0.001));
}

}  // namespace
}  // namespace ooc::test
