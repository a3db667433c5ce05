// What a run may say is what its command takes, less what writes files. Errors of the command line come
// back at the run's place in the row's file.
#include "cli/validate/row_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>
#include <variant>

#include "cli/load.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "cli/schedule_flags.hpp"
#include "cli/validate/run_figures.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/cost/unified_cost.hpp"
#include "simulator/predict/assumed.hpp"
#include "simulator/predict/framework_choice.hpp"
#include "simulator/predict/max_batch.hpp"
#include "simulator/predict/pass_time.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCommands[] = {"predict", "max-batch", "inspect"};
/// Like flags of files that are written, they are about output, and a run writes nothing.
constexpr std::string_view kRefused[] = {"--format", "--steps", "--schedules"};

/// Split at blanks; double quotes keep them.
std::vector<std::string> words_of(const std::string& text, const Place& place) {
  std::vector<std::string> words;
  std::string word;
  bool quoting = false;
  bool any = false;
  for (const char c : text) {
    if (c == '"') {
      quoting = !quoting;
      any = true;
    } else if (c == ' ' && !quoting) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (quoting) fail_at(place, "a double quote without the second one", "both");
  if (any) words.push_back(std::move(word));
  return words;
}

/// A relative path is seen from the row's file; where there is nothing, from the current folder.
std::string beside_row(const std::string& path, const Place& place) {
  std::error_code error;
  const fs::path beside = fs::path(place.file).parent_path() / path;
  return fs::path(path).is_relative() && fs::exists(beside, error) ? beside.string() : path;
}

/// The same for a word of a command line, if it is a path and no name or flag.
std::string from_row(const std::string& word, const Place& place) {
  const bool path =
      word.find('/') != std::string::npos || word.ends_with(".json") || word.ends_with(".csv");
  return path && !word.starts_with("-") ? beside_row(word, place) : word;
}

Arguments parsed(const RowRun& run) {
  std::vector<std::string> words = words_of(run.text, run.place);
  const bool known = !words.empty() && std::find(std::begin(kCommands), std::end(kCommands),
                                                 words.front()) != std::end(kCommands);
  if (!known) {
    fail_at(run.place, words.empty() ? "an empty command line" : in_quotes(words.front()),
            fmt::format("a command line that begins with one of: {}", fmt::join(kCommands, ", ")));
  }
  for (std::string& word : words) word = from_row(word, run.place);
  words.insert(words.begin(), "ooc-paleo");
  auto result = parse_arguments(*find_command(words[1]), words);
  if (std::holds_alternative<HelpWanted>(result)) fail_at(run.place, "--help", "a run");
  Arguments arguments = std::get<Arguments>(std::move(result));
  for (const Flag& flag : find_command(words[1])->flags) {
    const bool about_output =
        flag.completes == Completes::kFiles ||
        std::find(std::begin(kRefused), std::end(kRefused), flag.name) != std::end(kRefused);
    if (about_output && arguments.has(flag)) {
      fail_at(run.place, std::string(flag.name),
              "no flag about what is written: a run only yields figures");
    }
  }
  return arguments;
}

/// Relative paths mean something else in another row's folder.
std::string key_of(const RowRun& run) {
  return fs::path(run.place.file).parent_path().string() + "\n" + run.text;
}

/// An error of the command line, said at the run. What is wrong in another file stays as it is.
[[noreturn]] void throw_at_run(const RowRun& run, const SpecError& error) {
  const SpecError::Parts& parts = error.parts();
  if (!parts.file.empty()) throw error;
  fail_at(run.place,
          fmt::format("{}{} in {}", parts.place.empty() ? "" : parts.place + ": ", parts.found,
                      in_quotes(run.text.empty() ? "copy" : run.text)),
          parts.expected, parts.hint);
}

/// All results in it: none is left out, so a folder that cannot be read is an error.
std::vector<std::string> files_inside(const std::string& folder, const RowRun& run) {
  constexpr int kMostEntries = 100'000;
  std::vector<std::string> files;
  std::error_code error;
  int entries = 0;
  for (fs::recursive_directory_iterator entry(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    if (++entries > kMostEntries) {
      fail_at(run.place,
              fmt::format("{} with more than {} entries", in_quotes(folder), kMostEntries),
              "a folder of replays");
    }
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  }
  if (error)
    fail_at(run.place, in_quotes(folder) + ": " + error.message(), "folders that can be read");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> replay_files(const RowRun& run) {
  std::vector<std::string> files;
  for (const std::string& name : run.files) {
    const std::string path = beside_row(name, run.place);
    std::error_code error;
    if (!fs::exists(path, error))
      fail_at(run.place, in_quotes(name), "a file or folder that is there");
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> inside = files_inside(path, run);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  if (files.empty()) fail_at(run.place, "no file in " + in_quotes(run.files.front()), "replays");
  return files;
}

}  // namespace

std::vector<RunFigures> RowRunner::figures(const RowRun& run) {
  try {
    switch (run.kind) {
      case RowRun::Kind::kCommand:
        return {run.layer.empty() ? command(run) : layer(run)};
      case RowRun::Kind::kCopy:
        return {copy(run)};
      case RowRun::Kind::kReplays:
        break;
    }
  } catch (const SpecError& error) {
    throw_at_run(run, error);
  }
  std::vector<RunFigures> all;
  for (const std::string& file : replay_files(run)) {
    std::vector<RunFigures>& kept = replays_[file];
    if (kept.empty()) kept.push_back(figures_of_replay(file, limits_));
    all.push_back(kept.front());
  }
  return all;
}

double RowRunner::seconds(const MeasuredSet& set, const MeasuredNetwork& row) {
  try {
    return predicted(set, row);
  } catch (const SpecError& error) {
    const SpecError::Parts& parts = error.parts();
    if (!parts.file.empty()) throw;
    fail_at(row.place, parts.found, parts.expected, parts.hint);
  }
}

double RowRunner::predicted(const MeasuredSet& set, const MeasuredNetwork& row) {
  const MeasuredStack& stack = set.stacks[row.stack];
  CaseOptions options;
  options.limits = limits_;
  options.batch = row.batch;
  options.dtype = row.dtype;
  options.graph.optimizer = Optimizer::kMomentum;
  options.software = stack.software;
  if (row.pass == MeasuredPass::kInference) options.mode = RunMode::kInference;
  options = in_core_options(options);
  const Workload& network = workload(from_row(row.network, row.place), options);
  const Case which =
      make_case(network, machine(from_row(row.hardware, row.place), options), options);
  const bool forward = row.pass == MeasuredPass::kInference || row.pass == MeasuredPass::kForward;
  const TimedPass pass = forward                                      ? TimedPass::kForward
                         : row.pass == MeasuredPass::kForwardBackward ? TimedPass::kForwardBackward
                                                                      : TimedPass::kTraining;
  Duration time = time_of_pass(which, pass);
  if (stack.input_gradient && !forward) time += input_gradient_time(which);
  if (stack.far_parameters) time += parameter_copies_time(which, pass);
  return static_cast<double>(time.count()) * 1e-9;
}

RunFigures RowRunner::command(const RowRun& run) {
  const std::string key = key_of(run);
  const auto known = runs_.find(key);
  if (known != runs_.end()) return known->second;
  return runs_.emplace(key, made(parsed(run))).first->second;
}

RunFigures RowRunner::made(const Arguments& arguments) {
  const std::string& name = arguments.command_line()[1];
  return name == "predict"   ? predict(arguments)
         : name == "inspect" ? inspect(arguments)
                             : max_batch(arguments);
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

template <class Use>
auto RowRunner::predicted(const Arguments& arguments, Use use) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule = &chosen_schedule(arguments);
  check_chosen(arguments, {&schedule, 1}, options.graph.accounting);
  const std::string name = network_of(arguments);
  // The machine may name the framework, and that says what the network's graph keeps.
  const Machine& on = machine_for(hardware_of(arguments), options);
  const Workload& network = workload(name, options);
  const Case which = make_case(network, on, options);
  const CaseRun run = run_case(which, *schedule, Bounds::kAll);
  return use(report_case(which, *schedule, run, Detail::kLayers), which, run);
}

RunFigures RowRunner::predict(const Arguments& arguments) {
  return predicted(arguments, &figures_of_run);
}

RunFigures RowRunner::layer(const RowRun& run) {
  const std::string key = key_of(run);
  if (!layers_.contains(key)) {
    const Arguments arguments = parsed(run);
    if (arguments.command_line()[1] != "predict") {
      fail_at(run.place, arguments.command_line()[1], "predict: only that has times by layer");
    }
    layers_.emplace(key, predicted(arguments, &figures_of_layers));
  }
  const auto& layers = layers_.at(key);
  if (const auto found = layers.find(run.layer); found != layers.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, unused] : layers) known.push_back(name);
  const auto near = nearest_word(run.layer, known);
  fail_at(run.place, fmt::format("the layer {}", in_quotes(run.layer)), "a layer of the network",
          near ? fmt::format("did you mean {}?", *near) : "");
}

RunFigures RowRunner::max_batch(const Arguments& arguments) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule = &chosen_schedule(arguments);
  check_chosen(arguments, {&schedule, 1}, options.graph.accounting);
  const std::string name = network_of(arguments);
  const Machine& on = machine_for(hardware_of(arguments), options);
  const MaxBatchRequest request{
      .workload = workload(name, options), .machine = on, .options = options};
  SizedCases cases(size_axis_of(request));
  return figures_of_max_batch(ooc::max_batch(request, cases, *schedule));
}

RunFigures RowRunner::inspect(const Arguments& arguments) {
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
  return figures_of_inspection(summarize_network(input));
}

RunFigures RowRunner::copy(const RowRun& run) {
  CaseOptions options;
  options.limits = limits_;
  const Machine& from = machine(from_row(run.hardware, run.place), options);
  const HardwareProfile& profile = from.profile;
  const std::optional<CopyMode> mode = copy_mode_named(run.mode);
  if (!mode || !profile.connection.modes.contains(run.mode)) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : profile.connection.modes) known.push_back(name);
    fail_at(run.place, fmt::format("the mode {}", in_quotes(run.mode)),
            fmt::format("one that {} has: {}", from.path, fmt::join(known, ", ")));
  }
  const Bytes size = bytes_of(run.size, "size");
  const TransferCosts costs = *mode == CopyMode::kUnifiedFault
                                  ? estimate_unified({size}, profile, {}, PageCopies::kOnDemand)
                                  : estimate_transfers({size}, profile, {.mode = *mode});
  const TransferCost& cost = run.direction == "to_near" ? costs.to_near[0] : costs.to_far[0];
  RunFigures figures;
  const auto time = static_cast<double>(cost.alone.count());
  figures.numbers.emplace("time_ns", time);
  figures.numbers.emplace("latency_ns", static_cast<double>(cost.latency.count()));
  figures.numbers.emplace("rate_bytes_per_s", time > 0
                                                  ? static_cast<double>(size.count()) * 1e9 / time
                                                  : std::numeric_limits<double>::quiet_NaN());
  return figures;
}

}  // namespace ooc
