// Tables of measured operations: read_operations throws SpecError or returns rows, and what it returns can be
// fitted: every price is a number, however large or odd the sizes.
#include <cmath>

#include "calibrate/fit/operations_report.hpp"
#include "model/base/errors.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

constexpr std::size_t kMostRows = 50;  // each is priced some hundred times

FitMachine card() {
  FitMachine machine{.architecture = "volta", .machine = {}};
  machine.machine.multiprocessors = 80;
  machine.machine.near_rate = BytesPerSecond(900'000'000'000);
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32, Dtype::kFloat16}) {
    machine.machine.peak[static_cast<std::size_t>(dtype)] = {15e12};
    machine.machine.sustained[static_cast<std::size_t>(dtype)] = 0.9;
  }
  return machine;
}

FitParameters numbers() {
  ArchitectureParameters volta;
  volta.tensor.emplace();
  volta.recurrent.step_seconds = 40e-6;
  return {{"volta", volta}};
}

}  // namespace

Verdict consume(std::string_view text) {
  try {
    std::vector<MeasuredOperation> rows = read_operations(text, "fuzz.csv");
    if (rows.size() > kMostRows) rows.resize(kMostRows);
    const FitMachines machines{{rows.front().gpu, card()}};
    const FitParameters before = numbers();
    const OperationsFit fit =
        fit_operations(rows, machines, before, {.starts = 1, .evaluations = 4});
    for (const StageFit& stage : fit.stages) {
      OOC_CHECK(std::isfinite(stage.after) && std::isfinite(stage.held_after),
                "losses are numbers");
    }
    OOC_CHECK(!operations_report({.fit = fit, .before = before, .table = "fuzz.csv"}).empty(),
              "a fit can be told");
  } catch (const SpecError&) {
    return Verdict::kRejected;
  }
  return Verdict::kAccepted;
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/operations"}; }

}  // namespace ooc::fuzz
