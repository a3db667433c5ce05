// A job may say what its command takes, less what writes files. An error of the command line is told at the row's place.
#include "cli/validate/row_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <variant>

#include "cli/load.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/schedule_flags.hpp"
#include "model/base/quantity_io.hpp"
#include "simulator/predict/assumed.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/max_batch.hpp"
#include "simulator/predict/pass_time.hpp"
#include "simulator/summary/metrics.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Like flags of files that are written, they are about output, and a job of a row writes nothing.
constexpr std::string_view kRefused[] = {"--format", "--steps", "--schedules"};

/// A path, no name or flag, is seen from the row's file; where there is nothing, from the current folder.
std::string from_row(const std::string& word, const SpecView& place) {
  const bool is_path =
      word.find('/') != std::string::npos || word.ends_with(".json") || word.ends_with(".csv");
  if (!is_path || word.starts_with("-") || !fs::path(word).is_relative()) return word;
  std::error_code error;
  const fs::path beside = fs::path(place.file()).parent_path() / word;
  return fs::exists(beside, error) ? beside.string() : word;
}

Arguments parsed(std::vector<std::string> words, const SpecView& place) {
  for (std::string& word : words) word = from_row(word, place);
  words.insert(words.begin(), "ooc-paleo");
  auto result = parse_arguments(*find_command(words[1]), words);
  if (std::holds_alternative<HelpWanted>(result)) place.fail("--help", "a job");
  Arguments arguments = std::get<Arguments>(std::move(result));
  for (const Flag& flag : find_command(words[1])->flags) {
    const bool about_output =
        flag.completes == Completes::kFiles ||
        std::find(std::begin(kRefused), std::end(kRefused), flag.name) != std::end(kRefused);
    if (about_output && arguments.has(flag)) {
      place.fail(std::string(flag.name), "no flag about what is written: a row has one number");
    }
  }
  return arguments;
}

/// An error of the command line is told at the row. An error in another file stays as it is.
[[noreturn]] void throw_at_row(const SpecView& place, const SpecError& error,
                               const std::string& command_line = "") {
  const SpecError::Parts& parts = error.parts();
  if (!parts.file.empty()) throw error;
  place.fail(fmt::format("{}{}{}", parts.place.empty() ? "" : parts.place + ": ", parts.found,
                         command_line.empty() ? "" : " in " + in_quotes(command_line)),
             parts.expected, parts.hint);
}

/// Texts have no place among numbers.
void add_columns(const RunReport& report, JobResult& result) {
  for (const Metric* column : columns_for(report.inputs)) {
    const MetricValue value = column->read(report);
    if (std::holds_alternative<std::string>(value)) continue;
    double number = kNone;
    if (const auto* truth = std::get_if<bool>(&value)) number = *truth ? 1 : 0;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) number = double(*whole);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    result.numbers.emplace(column->name, number);
  }
}

std::string why_not(const RunReport& report) {
  if (report.feasible || !report.out_of_memory) return "";
  const auto& least = report.out_of_memory->smallest_budget;
  if (!least) return "does not fit";
  return fmt::format("does not fit (needs {}, has {})", format_bytes(*least),
                     format_bytes(report.budget_near));
}

JobResult columns_of(const NetworkReport& report) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {.numbers = {{"batch", number(report.batch)},
                      {"layers", number(report.layers.size())},
                      {"parameters", number(report.parameters)},
                      {"forward_macs_per_sample", number(report.forward_macs_per_sample)},
                      {"forward_macs", number(report.forward_macs)},
                      {"forward_flops", number(report.forward_flops)},
                      {"backward_flops", number(report.backward_flops)},
                      {"saved_bytes", number(report.saved.count())},
                      {"static_bytes", number(report.static_bytes.count())},
                      {"in_core_peak_bytes", number(report.in_core_peak.count())},
                      {"compute_time_ns",
                       report.compute_time ? number(report.compute_time->count()) : kNone}}};
}

}  // namespace

Answer RowRunner::answer(const Asked& asked, const SpecView& place) {
  const JobResult& known = result(words_of(asked), place);
  if (const auto found = known.numbers.find(asked.metric); found != known.numbers.end()) {
    return {.number = found->second, .note = known.note};
  }
  std::vector<std::string> names;
  for (const auto& [name, number] : known.numbers) names.push_back(name);
  const auto near = nearest_word(asked.metric, names);
  place.fail(fmt::format("the metric {}", in_quotes(asked.metric)),
             fmt::format("a column with numbers of {}: {}", asked.command, fmt::join(names, ", ")),
             near ? fmt::format("did you mean {}?", *near) : "");
}

const JobResult& RowRunner::result(const std::vector<std::string>& words, const SpecView& place) {
  const std::string line = fmt::format("{}", fmt::join(words, " "));
  // Relative paths mean something else in another row's folder.
  const std::string key = fs::path(place.file()).parent_path().string() + "\n" + line;
  if (const auto known = results_.find(key); known != results_.end()) return known->second;
  try {
    return results_.emplace(key, made(parsed(words, place))).first->second;
  } catch (const SpecError& error) {
    throw_at_row(place, error, line);
  }
}

void RowRunner::predict(const std::vector<std::string>& words, const SpecView& place,
                        const UseRun& use) {
  predict(parsed(words, place), use);
}

FileReport RowRunner::networks(const MeasuredSet& set) {
  FileReport report{.file = set.file, .networks = true, .goal = set.goal};
  for (std::size_t i = 0; i < set.networks.size(); ++i) {
    const Figure& row = set.file.rows[i];
    const MeasuredNetwork& job = set.networks[i];
    try {
      const double predicted = seconds(job, set.stacks[job.stack], row.place);
      report.rows.push_back(
          {.figure = row, .predicted = predicted, .deviation = predicted / *row.published - 1});
    } catch (const SpecError& error) {
      throw_at_row(row.place, error);
    }
  }
  return report;
}

double RowRunner::seconds(const MeasuredNetwork& job, const MeasuredStack& stack,
                          const SpecView& place) {
  CaseOptions options;
  options.limits = limits_;
  options.batch = job.batch;
  options.dtype = job.dtype;
  options.graph.optimizer = Optimizer::kMomentum;
  options.software = stack.software;
  if (job.pass == MeasuredPass::kInference) options.mode = RunMode::kInference;
  options = in_core_options(options);
  const Workload& network = workload(from_row(job.network, place), options);
  const Case which = make_case(network, machine(from_row(job.hardware, place), options), options);
  const bool forward = job.pass == MeasuredPass::kInference || job.pass == MeasuredPass::kForward;
  const TimedPass pass = forward                                      ? TimedPass::kForward
                         : job.pass == MeasuredPass::kForwardBackward ? TimedPass::kForwardBackward
                                                                      : TimedPass::kTraining;
  Duration time = time_of_pass(which, pass);
  if (stack.input_gradient && !forward) time += input_gradient_time(which);
  if (stack.far_parameters) time += parameter_copies_time(which, pass);
  return static_cast<double>(time.count()) * 1e-9;
}

CaseOptions RowRunner::options_of(const Arguments& arguments) const {
  CaseOptions options = case_options(arguments);
  if (!arguments.has("--max-input")) options.limits = limits_;
  return options;
}

const Machine& RowRunner::machine_for(const std::string& name, CaseOptions& options) {
  const Machine& on = machine(name, options);
  load_framework_of(options, {&on, 1});
  return on;
}

const Workload& RowRunner::workload(const std::string& name, const CaseOptions& options) {
  const std::string path = locate(DataKind::kNetwork, name, "NETWORK");
  WorkloadOptions made_by = workload_options(options);
  const auto known = std::find_if(workloads_.begin(), workloads_.end(), [&](const auto& each) {
    return each.second.path == path && each.first == made_by;
  });
  if (known != workloads_.end()) return known->second;
  return workloads_.emplace_back(std::move(made_by), read_workload(path, options)).second;
}

const Machine& RowRunner::machine(const std::string& name, const CaseOptions& options) {
  const std::string key = locate(DataKind::kHardware, name, "--hardware");
  const auto known = machines_.find(key);
  if (known != machines_.end()) return known->second;
  return machines_.emplace(key, load_hardware(name, "--hardware", options)).first->second;
}

JobResult RowRunner::made(const Arguments& arguments) {
  const std::string& command = arguments.command_line()[1];
  if (command == "inspect") return inspect(arguments);
  if (command == "max-batch") return max_batch(arguments);
  JobResult result;
  predict(arguments, [&](const RunReport& report, const Case&, const CaseRun&) {
    add_columns(report, result);
    result.note = why_not(report);
  });
  return result;
}

void RowRunner::predict(const Arguments& arguments, const UseRun& use) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule = &chosen_schedule(arguments);
  check_chosen(arguments, {&schedule, 1}, options.graph.accounting);
  const std::string name = network_of(arguments);
  // The machine may name the framework, and that says what the network's graph keeps.
  const Machine& on = machine_for(hardware_of(arguments), options);
  const Case which = make_case(workload(name, options), on, options);
  const CaseRun run = run_case(which, *schedule, Bounds::kAll);
  use(report_case(which, *schedule, run, Detail::kLayers), which, run);
}

JobResult RowRunner::max_batch(const Arguments& arguments) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule = &chosen_schedule(arguments);
  check_chosen(arguments, {&schedule, 1}, options.graph.accounting);
  const std::string name = network_of(arguments);
  const Machine& on = machine_for(hardware_of(arguments), options);
  const MaxBatchRequest request{
      .workload = workload(name, options), .machine = on, .options = options};
  SizedCases cases(size_axis_of(request));
  const MaxBatchRow row = ooc::max_batch(request, cases, *schedule);
  JobResult result;
  add_columns(row.run.value_or(RunReport{}), result);
  if (!row.run) {
    for (auto& [column, value] : result.numbers) value = kNone;
    result.note = "fits no batch";
  }
  result.numbers["feasible"] = row.largest > 0 ? 1 : 0;
  result.numbers.emplace("max_batch", static_cast<double>(row.largest));
  return result;
}

JobResult RowRunner::inspect(const Arguments& arguments) {
  CaseOptions options = options_of(arguments);
  options.per_sample = true;
  const std::string name = network_of(arguments);
  const auto profile = arguments.value("--hardware");
  const Machine* const on = profile ? &machine_for(*profile, options) : nullptr;
  const Workload& network = workload(name, options);
  InspectionInput input{.graph = network.graph,
                        .batch = batch_of(options, *network.network),
                        .costs = nullptr,
                        .hardware = {},
                        .framework = framework_of(options.framework).name,
                        .accounting = options.graph.accounting,
                        .compute_model = options.compute,
                        .assumed = {}};
  std::optional<Case> costs;
  if (on != nullptr) {
    costs.emplace(make_case(network, *on, options));
    input.costs = &costs->costs;
    input.hardware = on->profile.name;
  }
  const CostTable sizes = sizes_of(options, network.graph, input.batch);
  input.sizes = &sizes;
  return columns_of(summarize_network(input));
}

}  // namespace ooc
