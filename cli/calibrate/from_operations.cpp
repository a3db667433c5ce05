// Two answers: with --hardware a profile of that machine with its numbers written out, with --architectures a
// folder of architecture files for everybody, from fixed first numbers, so that the same table gives the same.
#include "cli/calibrate/from_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "calibrate/fit/fit_machines.hpp"
#include "calibrate/fit/fit_provenance.hpp"
#include "calibrate/fit/operations_report.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/text_file.hpp"
#include "model/base/terminal_text.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {
namespace {

/// A profile to which nothing was fitted would pass for a fitted one.
void check_fitted(const OperationsFit& fit, const std::string& table) {
  const bool any = std::any_of(fit.stages.begin(), fit.stages.end(),
                               [](const StageFit& stage) { return stage.rows > 0; });
  if (any) return;
  throw SpecError({.file = table,
                   .place = "the rows",
                   .found = "none that anything can be fitted to",
                   .expected = "rows of a type and kind that the architecture has numbers for",
                   .hint = "a fifth of the shapes is held out, which of a few rows may be all"});
}

namespace fs = std::filesystem;

constexpr std::int64_t kMostEvaluations = 1'000'000;
constexpr std::string_view kArchitectureEnd = ".json";
constexpr std::string_view kArchitectureSchemaEnd = ".schema.json";

constexpr std::initializer_list<FlagName> kOwn{"--hardware", "--architectures", "--machines",
                                               "--evaluations", "--keep"};
/// They measure, or are about samples.
constexpr std::initializer_list<FlagName> kOthers{
    "--quick", "--full",       "--device",          "--from",
    "--plot",  "--report",     "--probe",           "--within",
    "--like",  "--time-limit", "--from-nvbandwidth"};

struct FitJob {
  std::string table;
  std::string output;
  ReadLimits limits;
  FitSource source;
  OperationsFitOptions fit;
};

/// The table's name without its folder: nobody else has that.
std::string short_name(const std::string& path) {
  return path == "-" ? "standard input" : fs::path(path).filename().string();
}

std::vector<std::string> kept_numbers(const Arguments& arguments) {
  const auto text = arguments.value("--keep");
  if (!text) return {};
  const std::vector<std::string> known = fitted_paths();
  std::vector<std::string> kept = split_list(*text, "--keep");
  for (const std::string& path : kept) {
    if (std::find(known.begin(), known.end(), path) == known.end()) {
      unknown_word("--keep", path, known);
    }
  }
  return kept;
}

int evaluations_of(const Arguments& arguments) {
  const auto text = arguments.value("--evaluations");
  if (!text) return OperationsFitOptions{}.evaluations;
  const std::int64_t count = parse_batch(*text, "--evaluations");
  if (count > kMostEvaluations) {
    bad_value("--evaluations", in_quotes(*text), fmt::format("at most {}", kMostEvaluations));
  }
  return static_cast<int>(count);
}

std::string output_of(const Arguments& arguments, const std::string& table) {
  std::string output = arguments.value("--output").value_or("");
  if (output.empty()) bad_value("--output", "none", "where the result goes");
  if (output == "-") {
    bad_value("--output", "\"-\"", "a file", "the report goes to standard output");
  }
  std::error_code ignored;
  if (fs::equivalent(output, table, ignored)) {
    bad_value("--output", in_quotes(output) + ", which --from-operations reads", "another file");
  }
  return output;
}

FitJob job_of(const Arguments& arguments) {
  for (const FlagName flag : kOthers) {
    if (arguments.has(flag)) bad_value(flag.text(), "it with --from-operations", "one of them");
  }
  FitJob job;
  job.table = *arguments.value("--from-operations");
  job.output = output_of(arguments, job.table);
  job.limits = read_limits(arguments);
  job.source = {.table = short_name(job.table), .date = date_option(arguments).value_or("")};
  job.fit.evaluations = evaluations_of(arguments);
  job.fit.fixed = kept_numbers(arguments);
  job.fit.file = job.table;
  return job;
}

void print_report(const std::string& report) {
  OutputFile out("stdout", "-");
  out.write(printable(report, "\n"));
  out.commit();
}

/// The one machine's name in the table, which may be empty.
std::string only_gpu(const std::vector<MeasuredOperation>& operations, const std::string& file) {
  for (const MeasuredOperation& row : operations) {
    if (row.gpu == operations.front().gpu) continue;
    throw SpecError(
        {.file = file,
         .place = fmt::format("line {}, gpu", row.line),
         .found = in_quotes(row.gpu),
         .expected = in_quotes(operations.front().gpu) + " as before: --hardware is one machine",
         .hint = "--architectures FOLDER fits several"});
  }
  return operations.front().gpu;
}

int fit_profile(const Arguments& arguments, const FitJob& job) {
  const std::string path =
      locate(DataKind::kHardware, *arguments.value("--hardware"), "--hardware");
  HardwareProfile profile = read_profile_file(
      path, {.limits = job.limits, .architecture_folders = architecture_folders()});
  const FitMachine machine = fit_machine(profile);
  OutputFile file("--output", job.output);
  const auto operations =
      read_operations(read_text_file(job.table, "--from-operations", job.limits), job.table,
                      profile.cudnn.value_or(std::pair{9, 0}));
  Architecture architecture = *profile.kernels->architecture;
  const FitParameters before{{architecture.name, architecture.parameters}};
  const OperationsFit fit =
      fit_operations(operations, {{only_gpu(operations, job.table), machine}}, before, job.fit);
  check_fitted(fit, job.table);
  take_over(fit, job.source, FitNote::kPerNumber, architecture);
  profile.kernels->architecture = std::make_shared<const Architecture>(std::move(architecture));
  profile.kernels->written_out = true;
  profile.name = arguments.value("--name").value_or(profile.name);
  const std::string text = write_profile(profile);
  // What the next `predict` will read.
  (void)read_profile_text(text, job.output);
  file.write(text);
  file.commit();
  print_report(operations_report({.fit = fit, .before = before, .table = job.source.table}));
  return kExitOk;
}

Architectures read_folder(const std::string& folder, const ReadLimits& limits) {
  std::set<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(kArchitectureEnd) && !name.ends_with(kArchitectureSchemaEnd))
      files.insert(entry->path().string());
  }
  if (files.empty()) {
    bad_value("--architectures", in_quotes(folder), "a folder with files of architectures",
              error ? error.message() : "");
  }
  Architectures architectures;
  for (const std::string& file : files) {
    Architecture architecture = read_architecture_file(file, limits);
    const std::string stem = fs::path(file).stem().string();
    if (architecture.name != stem) {
      throw SpecError({.file = file,
                       .place = "/name",
                       .found = in_quotes(architecture.name),
                       .expected = in_quotes(stem) + " as the file",
                       .hint = {}});
    }
    architectures.emplace(stem, std::move(architecture));
  }
  return architectures;
}

/// Those of --machines, else profiles by the name that the table has.
FitMachines machines_of(const std::vector<MeasuredOperation>& operations,
                        const Arguments& arguments, const FitJob& job) {
  if (operations.front().gpu.empty()) {
    throw SpecError({.file = job.table,
                     .place = "the header",
                     .found = "no column \"gpu\"",
                     .expected = "the machine of each row",
                     .hint = "with --hardware PROFILE all rows are that machine's"});
  }
  FitMachines machines;
  if (const auto path = arguments.value("--machines")) {
    machines = read_machines(read_text_file(*path, "--machines", job.limits), *path);
  }
  std::set<std::string> names;
  for (const MeasuredOperation& row : operations) names.insert(row.gpu);
  for (const std::string& name : names) {
    if (machines.contains(name)) continue;
    const auto profile = find_data(DataKind::kHardware, name);
    if (!profile) continue;
    machines[name] = fit_machine(read_profile_file(
        *profile, {.limits = job.limits, .architecture_folders = architecture_folders()}));
  }
  return machines;
}

std::vector<OutputFile> open_files(const std::string& folder, const Architectures& architectures) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (!fs::is_directory(folder, error)) {
    bad_value("--output", in_quotes(folder), "a folder for the architectures");
  }
  std::vector<OutputFile> files;
  for (const auto& [name, architecture] : architectures) {
    files.emplace_back("--output",
                       (fs::path(folder) / (name + std::string(kArchitectureEnd))).string());
  }
  return files;
}

int fit_architectures(const Arguments& arguments, FitJob job) {
  Architectures architectures = read_folder(*arguments.value("--architectures"), job.limits);
  const auto operations =
      read_operations(read_text_file(job.table, "--from-operations", job.limits), job.table);
  const FitMachines machines = machines_of(operations, arguments, job);
  std::vector<OutputFile> files = open_files(job.output, architectures);
  FitParameters before;
  for (const auto& [name, architecture] : architectures) before[name] = architecture.parameters;
  job.fit.from = FitStart::kNeutral;
  const OperationsFit fit = fit_operations(operations, machines, before, job.fit);
  check_fitted(fit, job.table);
  for (auto& [name, architecture] : architectures) {
    take_over(fit, job.source, FitNote::kInPlace, architecture);
  }
  inherit_numbers(architectures);
  auto file = files.begin();
  for (const auto& [name, architecture] : architectures) {
    file->write(write_architecture(architecture));
    (file++)->commit();
  }
  print_report(operations_report({.fit = fit, .before = before, .table = job.source.table}));
  return kExitOk;
}

}  // namespace

int run_from_operations(const Arguments& arguments) {
  const FitJob job = job_of(arguments);
  const bool profile = arguments.has("--hardware");
  if (profile == arguments.has("--architectures")) {
    bad_value("--from-operations", profile ? "--hardware and --architectures" : "neither of them",
              "--hardware PROFILE for one machine, or --architectures FOLDER for all");
  }
  for (const FlagName flag : std::initializer_list<FlagName>{"--name", "--machines"}) {
    const bool of_profile = flag.text() == "--name";
    if (arguments.has(flag) && of_profile != profile) {
      bad_value(flag.text(), fmt::format("it with {}", profile ? "--hardware" : "--architectures"),
                fmt::format("{}", of_profile ? "--hardware" : "--architectures"));
    }
  }
  return profile ? fit_profile(arguments, job) : fit_architectures(arguments, job);
}

void check_without_operations(const Arguments& arguments) {
  for (const FlagName flag : kOwn) {
    if (arguments.has(flag)) bad_value(flag.text(), "it without --from-operations", "both");
  }
}

}  // namespace ooc
