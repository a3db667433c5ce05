// What the program says of schedules that search: in words, in rounds, and where it runs them many times.
#include <regex>

#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

std::string best_predicted(const std::string& network, const Words& more) {
  const Words job = {"predict", network, "--hardware", "v100-16gb-pcie3",
                     "--batch", "256",   "--quiet"};
  return run_ooc_paleo(job + more).out;
}

long long time_in(const std::string& json) {
  std::smatch match;
  const bool found = std::regex_search(json, match, std::regex("\"iteration_time_ns\": ([0-9]+)"));
  return found ? std::stoll(match[1]) : -1;
}

TEST_CASE("in rounds best is no slower than what runs in rounds by itself, nor than at once") {
  const Words json = {"--format", "json"};
  const auto time = [&](const Words& schedule) {
    return time_in(best_predicted("vgg16", schedule + json));
  };
  const long long best = time({"--schedule", "best", "--search", "60", "--sub-batch", "auto"});
  CHECK(best > 0);
  CHECK(best <= time({"--schedule", "modnn"}));
  CHECK(best <=
        time({"--schedule", "in-core", "--sub-batch", "auto", "--algorithms", "performance"}));
  CHECK(best <= time({"--schedule", "best", "--search", "60"}));
}

TEST_CASE("only a schedule that optimizes says what becomes of outputs") {
  const std::string best = best_predicted("vgg16", {"--schedule", "best", "--search", "60"});
  CHECK(has(best, "What becomes of the layers' outputs"));
  const std::string capacity = best_predicted("vgg16", {"--schedule", "capacity"});
  CHECK_FALSE(has(capacity, "What becomes of"));
  const std::string small = best_predicted("alexnet", {"--schedule", "best", "--memory", "15GB"});
  CHECK(has(small, "all stay near"));
}

TEST_CASE("a search has the same answer whatever command asks") {
  const Words best = {"--schedule", "best"};
  const long long time = time_in(best_predicted("vgg16", best + Words{"--format", "json"}));
  const Words sweep = {"sweep",   "vgg16", "--hardware", "v100-16gb-pcie3",
                       "--batch", "256",   "--quiet"};
  const std::string rows = run_ooc_paleo(sweep + best).out;
  CHECK(has(rows, "," + std::to_string(time) + ","));
}

}  // namespace
}  // namespace ooc::test
