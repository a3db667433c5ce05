// Which framework a command runs under: --framework, else the machine's, else ideal.
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

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

TEST_CASE("inspect says of memory what predict says, with a machine and without") {
  const auto numbers = [](Words words) {
    words.insert(words.end(), {"--batch", "4", "--format", "json", "--quiet"});
    const auto json = nlohmann::json::parse(run_ooc_paleo(words).out);
    return std::pair{json["static_bytes"].get<std::int64_t>(),
                     json["in_core_peak_bytes"].get<std::int64_t>()};
  };
  for (const std::string network : {"vgg16", "gpt2"}) {
    for (const std::string framework : {"ideal", "pytorch-2", "deepspeed-zero-2", "tensorflow-1"}) {
      CAPTURE(network);
      CAPTURE(framework);
      const Words job{network, "--framework", framework};
      const Words on{"--hardware", "h100-sxm"};
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
  const auto run = [&](Words more) {
    return run_ooc_paleo(Words{"predict", kNetwork, "--memory", "4GB", "--quiet"} + more,
                         in(folder))
        .out;
  };
  CHECK(has(run({"--hardware", kMachine}), "framework ideal"));
  CHECK(has(run({"--hardware", "./named.json"}), "framework chainer-5"));
  CHECK(has(run({"--hardware", "./named.json", "--framework", "ideal"}), "framework ideal"));
  CHECK(has(run({"--hardware", kMachine, "--framework", "tensorflow-1", "--format", "json"}),
            "\"framework\": \"tensorflow-1\""));
  CHECK(has(run({"--hardware", kMachine, "--format", "csv"}), "framework"));
}

TEST_CASE("inspect counts what a framework holds with a machine and without one alike") {
  const auto peak = [](Words more) {
    Words command = Words{"inspect", "vgg16", "--batch", "2", "--format", "json"} + more;
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
  const auto sweep = [&](Words more) {
    return run_ooc_paleo(of_one_schedule(Words{"sweep", kNetwork, "--hardware", "./one.json",
                                               "./two.json", "--memory", "4GB", "--quiet"} +
                                         more),
                         in(folder));
  };
  const Ran refused = sweep({});
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "/framework"));
  CHECK(has(refused.err, "--framework"));
  const Ran asked = sweep({"--framework", "tensorflow-1"});
  CHECK(asked.exit_code == 0);
  CHECK(has(asked.out, "tensorflow-1"));
  CHECK_FALSE(has(asked.out, "chainer-5"));
}

TEST_CASE("a framework that is not there, and one that says what --accounting says") {
  const Ran unknown =
      run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework", "pytorch2"});
  CHECK(unknown.exit_code == 2);
  CHECK(has(unknown.err, "did you mean pytorch-2?"));
  const Ran both = run_ooc_paleo({"predict", kNetwork, "--hardware", kMachine, "--framework",
                                  "pytorch-2", "--accounting", "define-by-run"});
  CHECK(both.exit_code == 2);
  CHECK(has(both.err, "--accounting"));
}

}  // namespace
}  // namespace ooc::test
