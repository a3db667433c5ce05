// Around the fit: tables of machines, what a fit leaves in architectures, and its report.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "calibrate/fit/fit_machines.hpp"
#include "calibrate/fit/fit_provenance.hpp"
#include "calibrate/fit/operations_report.hpp"
#include "model/base/errors.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"
#include "tests/support/text.hpp"

using namespace ooc;
using doctest::Approx;

namespace {

const std::string kMachinesFolder = OOC_SOURCE_DIR "/hwprofiles/architectures/";

std::string machines_error(const std::string& rows) {
  try {
    (void)read_machines("name,architecture,multiprocessors,near_gb_per_s,float32\n" + rows,
                        "m.csv");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

const Provenance& entry_of(const Architecture& architecture, const std::string& fields) {
  const auto found = std::find_if(architecture.provenance.begin(), architecture.provenance.end(),
                                  [&](const Provenance& entry) { return entry.fields == fields; });
  REQUIRE(found != architecture.provenance.end());
  return *found;
}

Architectures some(std::initializer_list<const char*> names) {
  Architectures architectures;
  for (const char* name : names) {
    architectures[name] = read_architecture_file(kMachinesFolder + name + ".json");
  }
  return architectures;
}

/// As if wide tiles of Volta had come out at 0.5.
OperationsFit made_up_fit(const Architectures& architectures) {
  OperationsFit fit;
  for (const auto& [name, architecture] : architectures) {
    fit.architectures[name] = architecture.parameters;
  }
  fit.architectures.at("volta").simt.wide_tiles = 0.5;
  StageFit& stage = fit.stages.emplace_back();
  stage.name = "conv float32";
  stage.rows = 40;
  stage.after = 0.12345;
  stage.numbers.push_back({.path = "simt.wide_tiles",
                           .architectures = {"volta"},
                           .told = {"volta"},
                           .rows = 17,
                           .error = 0.0567});
  const OperationGroup group{OperationKind::kConvolution, Dtype::kFloat32, OperationPass::kForward,
                             ""};
  stage.errors.push_back({group, {32, 0.4}, {32, 0.05}, {8, 0.10}, {8, 0.25}});
  return fit;
}

}  // namespace

TEST_CASE("the shipped table of machines is read, with peaks and shares by type") {
  const FitMachines machines = read_machines(
      "# TFLOP/s and GB/s\n"
      "name,architecture,multiprocessors,near_gb_per_s,float32,float16,sustained_float16\n"
      "V100-16 SXM2,volta,80,900,15.7,125,0.9\n",
      "m.csv");
  const FitMachine& v100 = machines.at("V100-16 SXM2");
  CHECK(v100.architecture == "volta");
  CHECK(v100.machine.multiprocessors == 80);
  CHECK(v100.machine.near_rate == BytesPerSecond(900'000'000'000));
  CHECK(v100.machine.peak[static_cast<std::size_t>(Dtype::kFloat32)].per_second == Approx(15.7e12));
  CHECK(v100.machine.sustained[static_cast<std::size_t>(Dtype::kFloat16)] == 0.9);
  CHECK(v100.machine.sustained[static_cast<std::size_t>(Dtype::kFloat32)] == 0);
}

TEST_CASE("errors of tables of machines name line and column") {
  CHECK(machines_error("a,volta,80,900,15.7\na,volta,80,900,15.7\n") ==
        "m.csv: line 3, name: found \"a\", expected each GPU once");
  CHECK(machines_error("a,,80,900,15.7\n") ==
        "m.csv: line 2, architecture: found nothing, expected a name such as pascal");
  CHECK(machines_error("a,volta,80.5,900,15.7\n") ==
        "m.csv: line 2, multiprocessors: found \"80.5\", expected a whole number from 1 to 10^9");
  CHECK(machines_error("a,volta,80,9e11,15.7\n") ==
        "m.csv: line 2, near_gb_per_s: found \"9e11\", expected GB/s or TFLOP/s");
}

TEST_CASE("a profile that names no architecture is told what to add") {
  const HardwareProfile profile =
      read_profile_file(OOC_SOURCE_DIR "/tests/data/worked_example_machine.json");
  try {
    (void)fit_machine(profile);
    FAIL("no error");
  } catch (const SpecError& error) {
    CHECK(error.parts().place == "/compute");
    CHECK(has(error.what(), "\"multiprocessors\""));
    CHECK(has(error.what(), "\"architecture\": \"pascal\""));
  }
}

TEST_CASE("each fitted number gets an entry of its own, all others keep theirs") {
  Architectures all = some({"volta"});
  const OperationsFit fit = made_up_fit(all);
  Architecture& volta = all.at("volta");
  const std::size_t before = volta.provenance.size();
  take_over(fit, {.table = "ops.csv", .date = "2025-01-31"}, FitNote::kPerNumber, volta);
  CHECK(volta.parameters.simt.wide_tiles == 0.5);
  CHECK(volta.provenance.size() == before + 1);
  const Provenance& entry = entry_of(volta, "simt.wide_tiles");
  CHECK(entry.kind == ProvenanceKind::kFitted);
  CHECK(entry.source == "conv float32 rows of ops.csv");
  CHECK(entry.date == "2025-01-31");
  CHECK(entry.rows == 17);
  CHECK(entry.error == 0.057);
  CHECK(entry_of(volta, "simt").rows != 17);
  const std::string text = write_architecture(volta);
  CHECK(read_architecture_text(text, "again").parameters.simt.wide_tiles == 0.5);
}

TEST_CASE("an entry that says fitted keeps its words and gets the rows of the new fit") {
  Architectures all = some({"volta"});
  const std::string words = entry_of(all.at("volta"), "simt").source;
  take_over(made_up_fit(all), {.table = "ops.csv"}, FitNote::kInPlace, all.at("volta"));
  const Provenance& entry = entry_of(all.at("volta"), "simt");
  CHECK(entry.source == words);
  CHECK(entry.rows == 40);
  CHECK(entry.error == 0.123);
}

TEST_CASE(
    "who inherits follows: sections but for numbers with entries of their own, single numbers") {
  Architectures all = some({"maxwell", "pascal", "volta", "ampere", "hopper"});
  all.at("volta").parameters.simt.wide_tiles = 0.5;
  all.at("volta").parameters.simt.depthwise = 0.125;  // Hopper says its own is assumed
  all.at("volta").parameters.recurrent.step_seconds = 1e-6;
  all.at("pascal").parameters.simt.generation = 0.625;
  inherit_numbers(all);
  const ArchitectureParameters& hopper = all.at("hopper").parameters;
  CHECK(hopper.simt.wide_tiles == 0.5);
  CHECK(hopper.simt.depthwise == 0.25);
  CHECK(hopper.recurrent.step_seconds == 1e-6);
  // "inherits": "pascal.simt.generation"
  CHECK(all.at("volta").parameters.simt.early_library == 0.625);
  Architectures alone = some({"hopper"});
  CHECK_THROWS_AS(inherit_numbers(alone), SpecError);
}

TEST_CASE("the report says where held-out rows got worse, and what was not told") {
  const Architectures all = some({"volta"});
  const FitParameters before{{"volta", all.at("volta").parameters}};
  OperationsFit fit = made_up_fit(all);
  const std::string report = operations_report({.fit = fit, .before = before, .table = "ops.csv"});
  CHECK(has(report, "ops.csv: 32 rows fit, 8 are held out"));
  CHECK(has(report, "32    40.0 %     5.0 %          8    10.0 %    25.0 %"));
  CHECK(has(report, "worse on held-out rows: conv forward float32 (10.0 % -> 25.0 %)"));
  CHECK(has(report, "no row tells about these, they stay: near_share, simt.small_tiles"));
  fit.stages.front().errors.front().held_after = {8, 0.08};
  CHECK_FALSE(has(operations_report({.fit = fit, .before = before, .table = "ops.csv"}), "worse"));
  fit.stages.front().errors.front().held_after = {};
  CHECK(has(operations_report({.fit = fit, .before = before, .table = "ops.csv"}),
            "no row is held out, nothing judges the fit: conv forward float32"));
}
