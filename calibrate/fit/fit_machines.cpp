#include "calibrate/fit/fit_machines.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "calibrate/fit/csv_table.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kLargestRate = 1e6;  // GB/s or TFLOP/s: far above any machine

constexpr std::array<std::string_view, 15> kMachineColumns{"name",
                                                           "architecture",
                                                           "multiprocessors",
                                                           "near_gb_per_s",
                                                           "float64",
                                                           "float32",
                                                           "tf32",
                                                           "float16",
                                                           "bfloat16",
                                                           "sustained_float64",
                                                           "note",
                                                           "sustained_float32",
                                                           "sustained_tf32",
                                                           "sustained_float16",
                                                           "sustained_bfloat16"};
constexpr std::array<std::string_view, 4> kNeededOfMachines{"name", "architecture",
                                                            "multiprocessors", "near_gb_per_s"};

double rate_of(const CsvRow& row, std::string_view column) {
  const double value = row.number(column);
  if (value > kLargestRate) row.fail(column, "GB/s or TFLOP/s");
  return value;
}

void read_dtype(const CsvRow& row, Dtype dtype, KernelMachine& machine) {
  const std::string name(dtype_info(dtype).name);
  const auto i = static_cast<std::size_t>(dtype);
  if (row.has(name)) machine.peak[i] = {rate_of(row, name) * kTera};
  const std::string share = "sustained_" + name;
  if (!row.has(share)) return;
  machine.sustained[i] = row.number(share);
  if (machine.sustained[i] > 1) row.fail(share, "a share up to 1");
}

}  // namespace

FitMachine fit_machine(const HardwareProfile& profile) {
  if (!profile.kernels) {
    throw SpecError({.file = profile.file,
                     .place = "/compute",
                     .found = "no \"architecture\"",
                     .expected = "\"architecture\" and \"multiprocessors\"",
                     .hint = "in place of \"efficiency\" and \"kernel_launch\", for example "
                             "\"architecture\": \"pascal\", \"multiprocessors\": 28"});
  }
  FitMachine machine{.architecture = profile.kernels->architecture->name, .machine = {}};
  for (const auto& [dtype, rate] : profile.peak) {
    machine.machine.peak[static_cast<std::size_t>(dtype)] = rate;
  }
  for (const auto& [dtype, share] : profile.kernels->sustained) {
    machine.machine.sustained[static_cast<std::size_t>(dtype)] = share;
  }
  machine.machine.multiprocessors = profile.kernels->multiprocessors;
  machine.machine.near_rate = profile.near_memory.throughput;
  return machine;
}

FitMachines read_machines(std::string_view text, const std::string& file) {
  FitMachines machines;
  const CsvColumns columns{
      .known = kMachineColumns,
      .needed = kNeededOfMachines,
      .hint = "docs/calibration.md, \"Tables of operations\", lists the columns"};
  read_csv(text, file, columns, [&](const CsvRow& row) {
    FitMachine entry{.architecture = std::string(row.text("architecture")), .machine = {}};
    if (entry.architecture.empty()) row.fail("architecture", "a name such as pascal");
    entry.machine.multiprocessors = static_cast<int>(row.count("multiprocessors"));
    entry.machine.near_rate = BytesPerSecond(std::llround(rate_of(row, "near_gb_per_s") * kGiga));
    for (const DtypeInfo& info : kDtypes) read_dtype(row, info.dtype, entry.machine);
    const std::string name(row.text("name"));
    if (name.empty()) row.fail("name", "the name of a GPU");
    if (!machines.emplace(name, std::move(entry)).second) row.fail("name", "each GPU once");
  });
  return machines;
}

}  // namespace ooc
