// `validate` as a user sees it: what is shipped, rows of his own, what is wrong with a row.
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// Rows about the worked example of docs/formats.md, 6: 600 ms in core, 950 ms under vdnn-like.
std::string figures(const std::string& rows, const std::string& id = "mine") {
  return R"({"format": "ooc-paleo/figures", "version": 1, "id": ")" + id +
         R"(", "title": "the worked example", "source": "by hand",
 "all": {"job": {"network": ")" +
         kData + R"(worked_example.json", "hardware": ")" + kData +
         R"(worked_example_machine.json", "schedule": "in-core"}, "metric": "iteration_time_ns", "kind": "predicted"},
 "rows": [)" +
         rows + "]}\n";
}

const std::string kGood = R"({"name": "in core", "unit": "ms", "published": 600, "tolerance": 0})";

struct Judged {
  Ran ran;
  std::string path;
};

Judged validate(const std::string& text, Words more = {}) {
  const ScratchFolder folder;
  const std::string path = folder.file("rows.json", text);
  return {run_ooc_paleo(Words{"validate", path} + more), path};
}

TEST_CASE("shipped rows are found by name from any directory") {
  const Ran ran = run_ooc_paleo({"validate", "M3", "M11"});
  CHECK(ran.err == "");
  CHECK(ran.exit_code == 0);
  CHECK(has(ran.out, "M3   VGG-16, batch 256: footprint [Rhu et al., MICRO 2016]\n"));
  CHECK(has(ran.out, "15.57 GB"));
  CHECK(has(ran.out, "\n10 rows: 10 hold\n"));
  CHECK(has(run_ooc_paleo({"list", "rows"}).out, "\nM2   "));
  CHECK(has(run_ooc_paleo({"schema", "row"}).out, "\"title\": \"OOC-Paleo published figures"));
}

TEST_CASE("a max-batch, an inspection, a ratio and a difference yield figures") {
  const Ran ran = validate(figures(R"(
      {"name": "most", "command": "max-batch", "metric": "max_batch", "between": [1, null]},
      {"name": "layers", "command": "inspect", "job": {"schedule": false}, "metric": "layers", "published": 4, "tolerance": 0},
      {"name": "slower", "job": {"schedule": "vdnn-like"}, "against": {"job": {"schedule": "in-core"}}, "unit": "% more", "between": [58.3, 58.4]},
      {"name": "added", "job": {"schedule": "vdnn-like"}, "minus": {"job": {"schedule": "in-core"}}, "unit": "ms", "published": 350, "tolerance": 0})"))
                      .ran;
  CHECK(ran.err == "");
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

std::string copy(const std::string& direction, const std::string& mode, const std::string& size) {
  return R"("command": "copy", "job": {"network": false, "schedule": false, "direction": ")" +
         direction + R"(", "mode": ")" + mode + R"(", "size": ")" + size + "\"}";
}

TEST_CASE("a layer, memory over time, a copy and a replay yield figures") {
  const ScratchFolder folder;
  folder.file("replay.json", R"({"format": "ooc-paleo/replay", "version": 1, "steps": [1],
"causes_ns": {"swap_in": {"predicted": 90, "measured": 100}}})");
  const std::string path = folder.file(
      "rows.json",
      R"({"format": "ooc-paleo/figures", "version": 1, "id": "x", "title": "t", "source": "s", "rows": [
{"name": "cause", "command": "replay", "kind": "order", "job": {"file": "./replay.json"}, "metric": "causes_ns.swap_in.predicted",
 "against": {"metric": "causes_ns.swap_in.measured"}, "published": 0.9, "tolerance": 0}]})");
  const Ran replayed = run_ooc_paleo({"validate", path});
  CHECK(replayed.err == "");
  CHECK_MESSAGE(replayed.exit_code == 0, replayed.out);
  // d's backward pass waits until the last output has left and come back, 250 ms; later copies take as long as a pass.
  // In core 2, 2, 3 and 4 GB live for 50 ms each, then 5, 5, 4 and 2 GB for 100 ms each.
  const Ran ran = validate(figures(R"(
      {"name": "b", "metric": "backward_ns of b", "unit": "ms", "published": 100, "tolerance": 0},
      {"name": "c", "job": {"schedule": "vdnn-like"}, "metric": "backward_span_ns of c", "unit": "ms", "published": 100, "tolerance": 0},
      {"name": "d", "job": {"schedule": "vdnn-like"}, "metric": "backward_span_ns of d", "unit": "ms", "published": 350, "tolerance": 0},
      {"name": "wait", "job": {"schedule": "vdnn-like"}, "metric": "backward_layers_delayed", "unit": "%", "published": 25, "tolerance": 0},
      {"name": "mean", "metric": "mean_dynamic_bytes", "unit": "GB", "published": 3.5833, "tolerance": "0.01 %"},
      {"name": "peak", "command": "inspect", "job": {"schedule": false}, "metric": "in_core_dynamic_bytes", "unit": "GB", "published": 5, "tolerance": 0},
      {"name": "copy", "metric": "time_ns", "unit": "ms", "published": 100, "tolerance": 0, )" +
                                   copy("to_far", "pinned", "1 GB") + "}"))
                      .ran;
  CHECK(ran.err == "");
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

TEST_CASE(
    "a job takes the framework that its machine names, unless it says another; paths are seen from "
    "the file") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "inner");
  std::string machine = read_file(kData + "worked_example_machine.json");
  machine.insert(machine.find("\"compute\""), "\"framework\": \"cudnn-superneurons-modnn\", ");
  folder.file("inner/machine.json", machine);
  const std::string path =
      folder.file("inner/rows.json", R"({"format": "ooc-paleo/figures", "version": 1,
 "id": "x", "title": "t", "source": "s", "rows": [{"name": "n", "command": "inspect", "kind": "predicted",
 "job": {"network": "vgg16", "batch": 1, "hardware": "machine.json"}, "metric": "saved_bytes",
 "against": {"job": {"framework": "ideal"}}, "between": [1.3, 2]}]})");
  const Ran ran = run_ooc_paleo({"validate", path});
  CHECK(ran.err == "");
  CHECK_MESSAGE(ran.exit_code == 0, ran.out);
}

TEST_CASE("no job gets the network of another job") {
  const ScratchFolder folder;
  std::string tensorflow = read_file(kSource + "/hwprofiles/software/tensorflow-1.json");
  tensorflow.replace(tensorflow.find("\"tensorflow-1\""), 14, "\"pytorch-2\"");
  folder.file("fw1.json", read_file(kSource + "/hwprofiles/software/pytorch-2.json"));
  folder.file("fw2.json", tensorflow);
  folder.file("config.json", read_file(kSource + "/tests/fuzz/seeds/config/valid_llama.json"));
  const std::string gpt2 = "gpt2 --hardware h100-sxm --batch 1 --precision bf16";
  const std::string lora = gpt2 + " --lora 8";
  const std::string llama =
      "./config.json --hardware h100-sxm --batch 1 --precision bf16 --kernels ";
  const std::string resnet =
      "resnet50 --hardware m40 --batch 16 --schedule in-core --framework ./fw";
  const Words jobs{gpt2,
                   gpt2 + " --grad-dtype fp32",
                   lora,
                   lora + " --lora-dtype float32",
                   llama + "eager",
                   llama + "fused",
                   resnet + "1.json",
                   resnet + "2.json"};
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& line : jobs) {
    std::istringstream words(line);
    nlohmann::json job;
    std::string flag = "network";
    for (std::string word; words >> word;) {
      if (!word.starts_with("--")) {
        job[flag] = word;
        continue;
      }
      flag = word.substr(2);
      std::replace(flag.begin(), flag.end(), '-', '_');
    }
    rows.push_back(
        {{"name", line}, {"job", job}, {"metric", "peak_near_bytes"}, {"kind", "order"}});
  }
  folder.file("rows.json", nlohmann::json{{"format", "ooc-paleo/figures"},
                                          {"version", 1},
                                          {"id", "x"},
                                          {"title", "t"},
                                          {"source", "s"},
                                          {"rows", rows}}
                               .dump());
  const Ran ran = run_ooc_paleo({"validate", "./rows.json", "--format", "json"}, in(folder));
  REQUIRE_MESSAGE(ran.exit_code == 0, ran.err);
  const nlohmann::json judged = nlohmann::json::parse(ran.out)["rows"];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CAPTURE(jobs[i]);
    const Ran alone =
        run_shell("ooc-paleo predict " + jobs[i] + " --format json --quiet", in(folder));
    CHECK(judged[i]["predicted"] == nlohmann::json::parse(alone.out)["peak_near_bytes"]);
    if (i % 2 == 1) CHECK(judged[i]["predicted"] != judged[i - 1]["predicted"]);
  }
}

TEST_CASE("unknown rows, equal ids and outputs over inputs are refused") {
  check_ends(run_ooc_paleo({"validate", "M33"}), 2, {"ROWS: found \"M33\""});
  const ScratchFolder folder;
  const std::string first = folder.file("a.json", figures(kGood));
  const std::string second = folder.file("b.json", figures(kGood));
  check_ends(run_ooc_paleo({"validate", first, second}), 2,
             {"/id: found \"mine\", as in " + first});
  const Ran over = run_ooc_paleo({"validate", first, "-o", first});
  CHECK(over.exit_code == 2);
  CHECK(folder.read("a.json") == figures(kGood));
  CHECK(run_ooc_paleo({"validate", first, "-o", (folder.path() / "r.json").string()}).exit_code ==
        0);
  CHECK(nlohmann::json::parse(folder.read("r.json"))["summary"]["holds"] == 1);
}

TEST_CASE("a measured batch that no memory holds is timed, one that cannot be counted is refused") {
  const auto batch = [](const std::string& count) {
    return validate(R"({"format": "ooc-paleo/measured-networks", "version": 1, "id": "x",
 "title": "t", "source": "s", "role": "held out",
 "software": {"p": {"framework": "pytorch-1-channels-last"}},
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
  "software": {"gpu": {"framework": "pytorch-2"}, "cpu": {"framework": "pytorch-2", "far_parameters": true}},
  "all": {"network": "alexnet", "hardware": "p100-pcie3", "batch": 32, "dtype": "float32",
          "measured": "training"},
  "rows": [{"time": "50 ms", "software": "gpu"}, {"time": "50 ms", "software": "cpu"},
           {"time": "9 ms", "measured": "inference", "software": "gpu"},
           {"time": "9 ms", "measured": "inference", "software": "cpu"}]
})");
  const Ran ran = run_ooc_paleo({"validate", path, "--format", "json", "--quiet"});
  REQUIRE(ran.err.empty());
  const auto rows = nlohmann::json::parse(ran.out)["measured_networks"][0]["rows"];
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
