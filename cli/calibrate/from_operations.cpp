// Each kind of kernel has one number that its rate goes with. It becomes the one at which half of the kind's rows are
// predicted too slow and half too fast. All other numbers (tiles, tails, transforms) stay the architecture's: a table would
// need many shapes for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/fit/transfer_fit.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/calibrate/operations.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {
namespace {

constexpr int kHalvings = 50;

/// In the order in which they are found: streaming kernels give the near share that all others use.
struct Kind {
  const char* name;
  const char* number;  ///< of the architecture
  bool (*takes)(const MeasuredOperation& row);
};

bool is_plain(const MeasuredOperation& row, const char* kind) {
  return row.kind == kind && row.dtype == Dtype::kFloat32;
}
bool is_tensor(const MeasuredOperation& row) {
  return (row.kind == "conv" || row.kind == "product") && row.dtype != Dtype::kFloat32 &&
         row.dtype != Dtype::kFloat64;
}
bool is_recurrent(const MeasuredOperation& row, bool forward) {
  return is_plain(row, "recurrent") && (row.pass == "forward") == forward;
}

constexpr Kind kKinds[] = {
    {"streaming", "near_share", [](const auto& row) { return row.kind == "streaming"; }},
    {"conv float32", "simt.generation", [](const auto& row) { return is_plain(row, "conv"); }},
    {"product float32", "simt.linear_rate",
     [](const auto& row) { return is_plain(row, "product"); }},
    {"tensor cores", "tensor.tiles", [](const auto& row) { return is_tensor(row); }},
    {"recurrent forward", "recurrent.forward",
     [](const auto& row) { return is_recurrent(row, true); }},
    {"recurrent backward", "recurrent.backward",
     [](const auto& row) { return is_recurrent(row, false); }}};

using Rows = std::vector<const MeasuredOperation*>;

/// log(predicted / measured) of each row.
std::vector<double> misses(const Rows& rows, const KernelPlatform& platform) {
  std::vector<double> logs;
  for (const MeasuredOperation* row : rows) {
    logs.push_back(std::log(row->price(platform) / row->seconds));
  }
  return logs;
}

double mean_miss(const Rows& rows, const KernelPlatform& platform) {
  double sum = 0;
  for (const double miss : misses(rows, platform)) sum += std::abs(miss);
  return sum / static_cast<double>(rows.size());
}

/// Prices go up or down with the number all the way, so halving finds where their median meets the measured one.
void fit_number(const ParameterField& field, const Rows& rows, KernelPlatform& platform) {
  double& number = field.of(platform.architecture);
  const auto median_at = [&](double value) {
    number = value;
    return median_of(misses(rows, platform));
  };
  const double given = number;
  double low = std::max(field.lowest, 1e-3);
  double high = field.highest;
  const bool rises = median_at(low) < median_at(high);
  if (median_at(low) == median_at(high)) {
    number = given;
    return;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    ((median_at(middle) > 0) == rises ? high : low) = middle;
  }
  number = std::round(std::sqrt(low * high) * 1e4) / 1e4;
}

/// What the model knows of the machine.
KernelPlatform platform_of(const HardwareProfile& profile) {
  if (!profile.kernels) {
    throw SpecError({profile.file, "/compute", "no \"architecture\"",
                     "\"architecture\" and \"multiprocessors\"",
                     "in place of \"efficiency\" and \"kernel_launch\", for example "
                     "\"architecture\": \"pascal\", \"multiprocessors\": 28"});
  }
  KernelPlatform platform;
  platform.architecture = profile.kernels->architecture->parameters;
  platform.machine.multiprocessors = profile.kernels->multiprocessors;
  platform.machine.near_rate = profile.near_memory.throughput;
  for (const auto& [dtype, rate] : profile.peak) {
    platform.machine.peak[static_cast<std::size_t>(dtype)] = rate;
  }
  for (const auto& [dtype, share] : profile.kernels->sustained) {
    platform.machine.sustained[static_cast<std::size_t>(dtype)] = share;
  }
  return platform;
}

void check_types(const std::vector<MeasuredOperation>& rows, const KernelPlatform& platform,
                 const std::string& table) {
  for (const MeasuredOperation& row : rows) {
    const bool has = is_tensor(row) ? on_tensor_cores(platform, row.dtype)
                                    : sustained_rate(platform, simt_dtype(row.dtype)) > 0;
    if (has || row.kind == "streaming") continue;
    throw SpecError({table, fmt::format("line {}, dtype", row.line),
                     std::string(dtype_info(row.dtype).name),
                     "a type that --hardware has a peak and units for"});
  }
}

void note(Architecture& architecture, const Kind& kind, std::size_t rows, double error,
          const std::string& table, const std::string& date) {
  std::erase_if(architecture.provenance,
                [&](const Provenance& each) { return each.fields == kind.number; });
  architecture.provenance.push_back({.fields = kind.number,
                                     .kind = ProvenanceKind::kFitted,
                                     .source = fmt::format("{} rows of {}", kind.name, table),
                                     .date = date,
                                     .rows = static_cast<std::int64_t>(rows),
                                     .error = std::round(error * 1e3) / 1e3});
}

std::string prices(const std::vector<MeasuredOperation>& rows, const KernelPlatform& platform) {
  std::string text = "line,measured_ms,predicted_ms\n";
  for (const MeasuredOperation& row : rows) {
    text +=
        fmt::format("{},{:.9g},{:.9g}\n", row.line, row.seconds * 1e3, row.price(platform) * 1e3);
  }
  return text;
}

}  // namespace

int run_from_operations(const Arguments& arguments) {
  arguments.refuse({"--quick", "--full", "--device", "--from", "--report", "--probe", "--within",
                    "--like", "--time-limit", "--from-nvbandwidth"},
                   "--from-operations", "use one of them");
  const auto hardware = arguments.value("--hardware");
  if (!hardware) bad_value("--hardware", "none", "the machine that the rows were measured on");
  const auto output = arguments.value("--output");
  const auto price_file = arguments.value("--prices");
  if (!output && !price_file)
    bad_value("--output", "none", "the file for the profile, or --prices");
  if (output == "-") bad_value("--output", "\"-\"", "a file", "the report goes to standard output");

  const ReadLimits limits = arguments.options.limits;
  HardwareProfile profile =
      read_profile_file(locate(DataKind::kHardware, *hardware, "--hardware"),
                        {.limits = limits, .architecture_folders = architecture_folders()});
  KernelPlatform platform = platform_of(profile);
  const std::string table = *arguments.value("--from-operations");
  const std::vector<MeasuredOperation> rows =
      read_operations(read_text_file(table, "--from-operations", limits), table,
                      profile.cudnn.value_or(std::pair{9, 0}));
  check_types(rows, platform, table);
  if (price_file) OutputFile("--prices", *price_file).finish(prices(rows, platform));
  if (!output) return kExitOk;

  OutputFile file("--output", *output);
  // Without its folder: nobody else has that.
  const std::string name =
      table == "-" ? "standard input" : std::filesystem::path(table).filename().string();
  Architecture architecture = *profile.kernels->architecture;
  std::string report = fmt::format("{:<20}{:>6}  {:<20}{:>8}{:>8}{:>20}\n", "kind", "rows",
                                   "number", "before", "after", "mean error");
  std::size_t used = 0;
  for (const Kind& kind : kKinds) {
    Rows of;
    for (const MeasuredOperation& row : rows) {
      if (kind.takes(row)) of.push_back(&row);
    }
    if (of.empty()) continue;
    used += of.size();
    const ParameterField& field = *find_parameter_field(kind.number);
    const double before = field.of(platform.architecture);
    const double error = mean_miss(of, platform);
    fit_number(field, of, platform);
    const double left = mean_miss(of, platform);
    report += fmt::format("{:<20}{:>6}  {:<20}{:>8.4f}{:>8.4f}{:>8.1f} % -> {:>4.1f} %\n",
                          kind.name, of.size(), kind.number, before,
                          field.of(platform.architecture), 100 * error, 100 * left);
    note(architecture, kind, of.size(), left, name, date_option(arguments).value_or(""));
  }
  if (used == 0) {
    throw SpecError({table, "the rows", "none that anything can be fitted to",
                     "rows of a type and kind that the architecture has numbers for"});
  }
  if (used < rows.size()) report += fmt::format("not used: {} rows\n", rows.size() - used);
  architecture.parameters = platform.architecture;
  profile.kernels->architecture = std::make_shared<const Architecture>(std::move(architecture));
  profile.kernels->written_out = true;
  profile.name = arguments.value("--name").value_or(profile.name);
  const std::string text = write_profile(profile);
  (void)read_profile_text(text, *output);  // what the next `predict` will read
  file.finish(text);
  OutputFile("stdout", "-").finish(printable(report, "\n"));
  return kExitOk;
}

}  // namespace ooc
