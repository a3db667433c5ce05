// Tables of measured operations: read_operations throws SpecError or returns rows, and every price is a number above 0,
// however large or odd the sizes.
#include "cli/calibrate/operations.hpp"

#include <cmath>

#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

KernelPlatform card() {
  KernelPlatform card;
  card.machine.multiprocessors = 80;
  card.machine.near_rate = BytesPerSecond(900'000'000'000);
  card.machine.peak.fill({15e12});
  card.machine.sustained.fill(0.9);
  card.architecture.tensor.emplace();
  card.architecture.recurrent.step_seconds = 40e-6;
  return card;
}

}  // namespace

void consume(std::string_view text) {
  for (const MeasuredOperation& row : read_operations(text, "fuzz.csv")) {
    const double seconds = row.price(card());
    OOC_CHECK(std::isfinite(seconds) && seconds > 0, "prices are numbers");
  }
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/operations"}; }

}  // namespace ooc::fuzz
