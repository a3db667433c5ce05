// Which framework a command runs under: --framework, else the machine's, else ideal.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

/// The worked example's machine, under another name, with a framework.
std::string machine_with(const std::string& framework, const std::string& name) {
  std::string text = read_file(kMachine);
  const std::size_t at = text.find("\"compute\"");
  text.insert(at, "\"framework\": \"" + framework + "\", ");
  const std::size_t begin = text.find("\"name\": \"") + 9;
  text.replace(begin, text.find('"', begin) - begin, name);
  return text;
}

bool says(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_CASE(
    "predict says that gradients keep their memory where freed ones leave no plan that runs") {
  const ScratchFolder folder;
  std::string layers;
  for (const char* units : {"2048", "4096", "256", "16"}) {
    layers += std::string(R"({"name": "l)") + units + R"(", "type": "linear", "units": )" + units +
              R"(}, {"name": "r)" + units + R"(", "type": "relu"}, )";
  }
  folder.file("lines.json",
              R"({"format": "ooc-paleo/network", "version": 1, "name": "lines", "dtype": "float32",
"inputs": [{"name": "data", "shape": [512]}], "layers": [)" +
                  layers + R"({"name": "loss", "type": "softmax_cross_entropy"}]})");
  const auto said = [&](const std::string& memory) {
    return run_ooc_paleo(
               {"predict", "./lines.json", "--batch", "1", "--hardware", "rtx-3090", "--framework",
                "pytorch-2", "--schedule", "recompute", "--memory", memory},
               {folder.path(), {}})
        .err;
  };
  CHECK(says(said("97769331 B"), "set_to_none=False"));
  CHECK_FALSE(says(said("1GB"), "set_to_none"));
}

TEST_CASE("inspect says of memory what predict says, with a machine and without") {
  const auto numbers = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--batch", "4", "--format", "json", "--quiet"});
    const auto json = nlohmann::json::parse(run_ooc_paleo(words).out);
    return std::pair{json["static_bytes"].get<std::int64_t>(),
                     json["in_core_peak_bytes"].get<std::int64_t>()};
  };
  for (const std::string network : {"vgg16", "gpt2"}) {
    for (const std::string framework : {"ideal", "pytorch-2", "deepspeed-zero-2", "tensorflow-1"}) {
      CAPTURE(network);
      CAPTURE(framework);
      const std::vector<std::string> job{network, "--framework", framework};
      const std::vector<std::string> on{"--hardware", "h100-sxm"};
      const auto predicted =
          numbers(Words{"predict"} + job + on + Words{"--schedule", "in-core", "--memory", "60GB"});
      CHECK(numbers(Words{"inspect"} + job + on) == predicted);
      CHECK(numbers(Words{"inspect"} + job) == predicted);
    }
  }
}

TEST_CASE("--framework, else the profile's, else ideal; every result says which") {
  const ScratchFolder folder;
  folder.file("named.json", machine_with("chainer-5", "named"));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"predict", kNetwork, "--memory", "4GB", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return run_ooc_paleo(all, {folder.path(), {}}).out;
  };
  CHECK(says(run({"--hardware", kMachine}), "framework ideal"));
  CHECK(says(run({"--hardware", "./named.json"}), "framework chainer-5"));
  CHECK(says(run({"--hardware", "./named.json", "--framework", "ideal"}), "framework ideal"));
  CHECK(says(run({"--hardware", kMachine, "--framework", "tensorflow-1", "--format", "json"}),
             "\"framework\": \"tensorflow-1\""));
  CHECK(says(run({"--hardware", kMachine, "--format", "csv"}), "framework"));
}

TEST_CASE("inspect counts what a framework holds with a machine and without one alike") {
  const auto peak = [](std::vector<std::string> more) {
    std::vector<std::string> command{"inspect", "vgg16", "--batch", "2", "--format", "json"};
    command.insert(command.end(), more.begin(), more.end());
    const std::string out = run_ooc_paleo(command).out;
    const std::size_t at = out.find("\"in_core_peak_bytes\": ");
    REQUIRE(at != std::string::npos);
    return std::stoll(out.substr(at + 22));
  };
  const auto freed = peak({"--framework", "pytorch-2"});
  CHECK(freed == peak({"--framework", "pytorch-2", "--hardware", "v100-16gb-pcie3"}));
  CHECK(freed < peak({"--framework", "pytorch-1"}));
}

TEST_CASE("machines that name different frameworks are not compared unasked") {
  const ScratchFolder folder;
  folder.file("one.json", machine_with("chainer-5", "one"));
  folder.file("two.json", machine_with("tensorflow-1", "two"));
  const auto sweep = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"sweep",      kNetwork,   "--hardware", "./one.json",
                                 "./two.json", "--memory", "4GB",        "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return run_ooc_paleo(of_one_schedule(all), {folder.path(), {}});
  };
  const Ran refused = sweep({});
  CHECK(refused.exit_code == 2);
  CHECK(says(refused.err, "/framework"));
  CHECK(says(refused.err, "--framework"));
  const Ran asked = sweep({"--framework", "tensorflow-1"});
  CHECK(asked.exit_code == 0);
  CHECK(says(asked.out, "tensorflow-1"));
  CHECK_FALSE(says(asked.out, "chainer-5"));
}

TEST_CASE("a framework that is not there, and one that says what --accounting says") {
  const Ran unknown =
      run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework", "pytorch2"});
  CHECK(unknown.exit_code == 2);
  CHECK(says(unknown.err, "did you mean pytorch-2?"));
  const Ran both = run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework",
                                  "pytorch-2", "--accounting", "define-by-run"});
  CHECK(both.exit_code == 2);
  CHECK(says(both.err, "--accounting"));
}

}  // namespace
}  // namespace ooc::test
