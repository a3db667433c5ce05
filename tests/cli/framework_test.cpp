// Is what a framework makes of memory one answer? (Which framework a command runs under: tests/golden/cases/inputs.md.)
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

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

}  // namespace
}  // namespace ooc::test
