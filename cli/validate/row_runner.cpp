// A job may say what its command takes, less what writes files. An error of the command line is told at the row's place.
#include "cli/validate/row_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <variant>

#include "cli/flags.hpp"
#include "cli/job.hpp"
#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/parse.hpp"
#include "model/base/named.hpp"
#include "model/base/precision.hpp"
#include "model/base/quantity_io.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/software/framework_json.hpp"
#include "simulator/predict/remarks.hpp"
#include "simulator/predict/solve.hpp"
#include "simulator/summary/memory_use.hpp"
#include "simulator/summary/metrics.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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
  for (const auto& [flag, values] : arguments.flags) {
    if (flag->completes == Completes::kFiles || flag->name == flags::kFormat.name) {
      place.fail(std::string(flag->name), "no flag about what is written: a row has one number");
    }
  }
  read_options(arguments);
  return arguments;
}

/// An error of the command line is told at the row. An error in another file stays as it is.
[[noreturn]] void throw_at_row(const SpecView& place, const SpecError& error,
                               const std::string& command_line = "") {
  const SpecError::Parts& parts = error.parts();
  if (!parts.file.empty()) throw error;
  place.fail(fmt::format("{}{}{}", parts.place.empty() ? "" : parts.place + ": ", parts.found,
                         command_line.empty() ? "" : " in " + in_quotes(command_line)),
             parts.expected.empty() ? "a job that can run" : parts.expected, parts.hint);
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

/// Near memory over time, each size as long as it lasts.
double mean_near(const std::vector<MemorySample>& samples, Duration whole) {
  double mean = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Duration end = i + 1 < samples.size() ? samples[i + 1].at : whole;
    mean += double(samples[i].held.total().count()) * double((end - samples[i].at).count());
  }
  return mean / double(whole.count());
}

/// What columns do not have: memory over time, and layers with what their backward tasks wait for.
void add_timeline(const RunReport& report, const Case& which, const CaseRun& run,
                  JobResult& result) {
  const Plan* plan = std::get_if<Plan>(&run.verdict());
  const Timeline* timeline = run.timeline();
  const bool ran = plan != nullptr && timeline != nullptr;
  std::vector<Duration> waits(report.layers.size());
  std::set<std::size_t> delayed;
  std::set<std::size_t> all;
  if (ran) {
    const std::vector<Task>& tasks = run.about(which).graph->tasks;
    for (const Task& task : tasks) {
      if (is_backward(task.kind)) all.insert(task.layer.at());
    }
    for (const Stall& stall : timeline->stalls) {
      if (!stall.before) continue;
      const Task& task = tasks[static_cast<std::size_t>(plan->steps[stall.before->at()].object)];
      const std::size_t layer = task.layer.at();
      if (!is_backward(task.kind) || layer >= waits.size()) continue;
      waits[layer] += stall.end - stall.start;
      const bool of_copies = stall.cause == StallCause::kSwapIn ||
                             stall.cause == StallCause::kSwapOut ||
                             stall.cause == StallCause::kMemory;
      if (of_copies) delayed.insert(layer);
    }
  }
  result.numbers["backward_layers_delayed"] =
      all.empty() ? kNone : double(delayed.size()) / double(all.size());
  result.numbers["mean_dynamic_bytes"] =
      ran ? mean_near(near_memory_over_time(*plan, *run.about(which).graph, *timeline),
                      timeline->iteration_time) -
                double(report.static_bytes.count())
          : kNone;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const LayerReport& layer = report.layers[i];
    const auto add = [&](const char* metric, Duration time) {
      result.of_layers[metric + (" of " + layer.name)] = ran ? double(time.count()) : kNone;
    };
    add("forward_ns", layer.forward);
    add("backward_ns", layer.backward);
    add("backward_span_ns", layer.backward + waits[i]);
  }
}

/// By their places, "causes_ns.swap_in.measured"; lists are left out.
void add_numbers(const SpecView& view, const std::string& at, JobResult& result) {
  if (view.type() == SpecType::kNumber) result.numbers[at] = view.as_number();
  if (view.type() != SpecType::kObject) return;
  for (const auto& [key, value] : view.members()) {
    add_numbers(value, at.empty() ? key : at + "." + key, result);
  }
}

std::string why_not(const RunReport& report) {
  if (report.feasible || !report.out_of_memory) return "";
  const OutOfMemory& oom = *report.out_of_memory;
  const bool near = oom.tier == OutOfMemory::Tier::kNear;
  const std::string text = near ? "does not fit" : "does not fit in far memory";
  const std::optional<Bytes> least = needed_bytes(oom);
  if (!least) return text;
  return fmt::format("{} (needs {}{}, has {})", text, needed_word(oom), format_bytes(*least),
                     format_bytes(near ? report.budget_near : report.inputs.far_memory));
}

JobResult columns_of(const NetworkReport& report) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  return {
      .numbers = {
          {"batch", number(report.inputs.batch)},
          {"layers", number(report.layers.size())},
          {"parameters", number(report.parameters)},
          {"forward_macs_per_sample", number(report.forward_macs_per_sample)},
          {"forward_macs", number(report.forward_macs)},
          {"forward_flops", number(report.forward_flops)},
          {"backward_flops", number(report.backward_flops)},
          {"saved_bytes", number(report.saved.count())},
          {"static_bytes", number(report.static_bytes.count())},
          {"in_core_peak_bytes", number(report.in_core_peak.count())},
          {"in_core_dynamic_bytes", number((report.in_core_peak - report.static_bytes).count())},
          {"compute_time_ns", report.compute_time ? number(report.compute_time->count()) : kNone}}};
}

/// All tensors and the largest workspace together, by the limits of model/base/units.hpp.
constexpr Bytes kEnough(2 * kMaxTotalBytes);

/// In core, from the start of the iteration to the end of its first `tasks`.
Duration time_of_tasks(const Case& which, std::size_t tasks) {
  const CaseRun run = run_case(which, *find_schedule("in-core"), Bounds::kNone);
  const Plan* plan = std::get_if<Plan>(&run.plan);
  const Timeline* timeline = run.timeline();
  OOC_CHECK(plan != nullptr && timeline != nullptr, "what is timed in core fits");
  Duration end;
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const Step& step = plan->steps[i];
    if (step.kind != StepKind::kCompute || static_cast<std::size_t>(step.object) >= tasks) continue;
    end = std::max(end, timeline->spans[i].end);
  }
  return end;
}

/// Time of the gradient of the network's inputs, which graphs leave out and some frameworks compute; 0 if no convolution
/// reads an input or the profile has no architecture.
Duration input_gradient_time(const Case& which) {
  if (!which.hardware.kernels) return {};
  const KernelPlatform platform = kernel_platform(which.hardware, which.compute.software);
  const KernelPricer pricer(which.workload.graph, platform, which.inputs.batch);
  double seconds = 0;
  const std::vector<Layer>& layers = which.workload.network->layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].model->convolution == nullptr) continue;
    if (!std::holds_alternative<InputId>(layers[i].inputs.front())) continue;
    seconds += pricer.input_gradient_seconds(make_id<LayerId>(i));
  }
  return Duration(std::llround(seconds * 1e9));
}

/// Time to copy parameters in from host memory and, unless `forward`, gradients out: one pinned copy a layer and direction,
/// without overlap.
Duration parameter_copies_time(const Case& which, bool forward) {
  const Network& network = *which.workload.network;
  std::vector<Bytes> sizes;
  for (const Layer& layer : network.layers) {
    if (layer.model->parameters == 0) continue;
    sizes.emplace_back(layer.model->parameters * dtype_info(network.dtype).bytes);
  }
  const TransferCosts copies = estimate_transfers(sizes, which.hardware, {});
  Duration time;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    time += copies.to_near[i].alone;
    if (!forward) time += copies.to_far[i].alone;
  }
  return time;
}

}  // namespace

Answer RowRunner::answer(const Asked& asked, const SpecView& place) {
  if (asked.software) {
    try {
      return time(asked, place);
    } catch (const SpecError& error) {
      throw_at_row(place, error);
    }
  }
  const std::string line = fmt::format("{}", fmt::join(words_of(asked), " "));
  bounds_ =
      asked.metric == "gap" || asked.metric == "lower_bound_ns" ? Bounds::kAll : Bounds::kNone;
  const JobResult& known =
      asked.command == "copy"     ? kept(line, place, [&] { return copy(asked, place); })
      : asked.command == "replay" ? kept(line, place, [&] { return replay(asked, place); })
                                  : result(words_of(asked), place);
  for (const auto* numbers : {&known.numbers, &known.of_layers}) {
    const auto found = numbers->find(asked.metric);
    if (found != numbers->end()) {
      return {.number = found->second, .note = known.note, .job_kind = known.job_kind};
    }
  }
  std::vector<std::string> names = names_of(known.numbers);
  if (!known.of_layers.empty()) names.emplace_back("backward_span_ns of LAYER");
  const auto near = nearest_word(asked.metric, names);
  place.fail(fmt::format("the metric {}", in_quotes(asked.metric)),
             fmt::format("a column with numbers of {}: {}", asked.command, fmt::join(names, ", ")),
             near ? fmt::format("did you mean {}?", *near) : "");
}

const JobResult& RowRunner::result(const std::vector<std::string>& words, const SpecView& place) {
  return kept(fmt::format("{}", fmt::join(words, " ")), place,
              [&] { return made(parsed(words, place)); });
}

const JobResult& RowRunner::kept(const std::string& line, const SpecView& place,
                                 const std::function<JobResult()>& make) {
  // Relative paths mean something else in another row's folder.
  const std::string key = fs::path(place.file()).parent_path().string() + "\n" + line +
                          (bounds_ == Bounds::kAll ? "\nbounds" : "");
  if (const auto known = results_.find(key); known != results_.end()) return known->second;
  try {
    return results_.emplace(key, make()).first->second;
  } catch (const SpecError& error) {
    throw_at_row(place, error, line);
  }
}

void RowRunner::predict(const std::vector<std::string>& words, const SpecView& place,
                        const UseRun& use) {
  predict(parsed(words, place), use);
}

const CaseOptions& RowRunner::options_under(const std::shared_ptr<const MeasuredSoftware>& stack,
                                            const SpecView& place) {
  const auto [known, is_new] = software_.try_emplace(stack);
  CaseOptions& options = known->second;
  if (!is_new) return options;
  options.limits = limits_;
  load_framework(options, from_row(stack->framework, place), "--framework");
  options.software = options.framework->software;
  if (const auto& cudnn = options.framework->cudnn) options.software->cudnn = *cudnn;
  if (stack->with) read_software(*stack->with, *options.software);
  options.framework = nullptr;  // rows time kernels: what else a framework does is left out
  options.memory = kEnough;
  options.schedule.algorithms = AlgorithmChoice::kPerformance;
  options.graph.optimizer = Optimizer::kMomentum;
  return options;
}

Answer RowRunner::time(const Asked& asked, const SpecView& place) {
  const std::string& measured = asked.job.at("measured");
  CaseOptions options = options_under(asked.software, place);
  options.batch = whole_number_of(asked.job.at("batch"), "batch", 1, kMaxBatch);
  options.dtype = find_dtype(asked.job.at("dtype"));
  if (measured == "inference") options.mode = RunMode::kInference;
  const Workload& network = workload(from_row(asked.job.at("network"), place), options);
  const Case which =
      make_case(network, machine(from_row(asked.job.at("hardware"), place), options), options);
  const TrainingGraph& graph = which.workload.graph;
  const bool forward = measured == "inference" || measured == "forward";
  const std::size_t tasks = forward                  ? graph.forward_tasks
                            : measured == "training" ? graph.tasks.size()
                                                     : graph.backward_end;
  Duration time = time_of_tasks(which, tasks);
  if (asked.software->input_gradient && !forward) time += input_gradient_time(which);
  if (asked.software->far_parameters) time += parameter_copies_time(which, forward);
  return {.number = double(time.count()), .job_kind = job_kind(which, *find_schedule("in-core"))};
}

CaseOptions RowRunner::options_of(const Arguments& arguments) const {
  CaseOptions options = arguments.options;
  if (!arguments.has("--max-input")) options.limits = limits_;
  return options;
}

const Machine& RowRunner::machine_for(const Arguments& arguments, CaseOptions& options) {
  const Machine& on = machine(hardware_of(arguments), options);
  load_framework_of(options, arguments.value("--framework"), {&on, 1});
  return on;
}

const Workload& RowRunner::workload(const std::string& name, const CaseOptions& options) {
  const std::string path = locate(DataKind::kNetwork, name, "NETWORK");
  WorkloadOptions made_by = workload_options(options);
  const auto known = std::ranges::find_if(workloads_, [&](const auto& each) {
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
  const std::string& command = arguments.command_line[1];
  if (command == "inspect") return inspect(arguments);
  if (command == "max-batch") return max_batch(arguments);
  JobResult result;
  predict(arguments, [&](const RunReport& report, const Case& which, const CaseRun& run) {
    add_columns(report, result);
    add_timeline(report, which, run, result);
    result.note = why_not(report);
    result.job_kind = job_kind(which, *find_schedule(report.inputs.schedule), &report);
  });
  return result;
}

void RowRunner::predict(const Arguments& arguments, const UseRun& use) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule = arguments.schedules.front();
  check_chosen(arguments, {&schedule, 1});
  const std::string name = network_of(arguments);
  // The machine may name the framework, and that says what the network's graph keeps.
  const Machine& on = machine_for(arguments, options);
  const Case which = make_case(workload(name, options), on, options);
  const CaseRun run = run_case(which, *schedule, bounds_);
  use(report_case(which, *schedule, run, Detail::kLayers), which, run);
}

JobResult RowRunner::max_batch(const Arguments& arguments) {
  CaseOptions options = options_of(arguments);
  const Schedule* const schedule =
      arguments.has("--schedule") ? arguments.schedules.front() : find_schedule("capacity");
  check_chosen(arguments, {&schedule, 1});
  const std::string name = network_of(arguments);
  const Machine& on = machine_for(arguments, options);
  const SolveReport found = solve({.workload = workload(name, options),
                                   .machine = on,
                                   .options = options,
                                   .axis = *find_solve_axis("batch"),
                                   .chosen = {&schedule, 1}});
  const SolveRow& row = found.rows.front();
  JobResult result;
  add_columns(row.run.value_or(RunReport{}), result);
  if (!row.run) {
    for (auto& [column, value] : result.numbers) value = kNone;
    result.note = "fits no batch";
  }
  result.numbers["feasible"] = row.value ? 1 : 0;
  result.numbers.emplace("max_batch", static_cast<double>(row.value.value_or(0)));
  return result;
}

JobResult RowRunner::inspect(const Arguments& arguments) {
  CaseOptions options = options_of(arguments);
  options.per_sample = true;
  const std::string name = network_of(arguments);
  const Machine* const on =
      arguments.has("--hardware") ? &machine_for(arguments, options) : nullptr;
  if (on == nullptr) load_framework_of(options, arguments.value("--framework"), {});
  return columns_of(ooc::inspect(workload(name, options), on, options));
}

JobResult RowRunner::copy(const Asked& asked, const SpecView& place) {
  static constexpr std::string_view kSays[] = {"direction", "hardware", "mode", "size"};
  const auto same = [](const auto& said, std::string_view key) { return said.first == key; };
  if (!std::ranges::equal(asked.job, kSays, same)) {
    place.fail("the job of a copy", fmt::format("{}, no more", fmt::join(kSays, ", ")));
  }
  CaseOptions options;
  options.limits = limits_;
  const HardwareProfile& profile =
      machine(from_row(asked.job.at("hardware"), place), options).profile;
  const std::string& direction = asked.job.at("direction");
  const std::optional<CopyMode> mode = copy_mode_named(asked.job.at("mode"));
  const auto parsed_size = parse_bytes(asked.job.at("size"));
  const Bytes* size = std::get_if<Bytes>(&parsed_size);
  if (!mode) place.fail("the mode " + in_quotes(asked.job.at("mode")), "one of the profile's");
  if (size == nullptr) place.fail("the size " + in_quotes(asked.job.at("size")), "\"64 KiB\"");
  if (direction != "to_far" && direction != "to_near") {
    place.fail("the direction " + in_quotes(direction), "to_far or to_near");
  }
  const TransferCosts costs = *mode == CopyMode::kUnifiedFault
                                  ? estimate_unified({*size}, profile, {}, PageCopies::kOnDemand)
                                  : estimate_transfers({*size}, profile, {.mode = *mode});
  const TransferCost& cost = direction == "to_far" ? costs.to_far[0] : costs.to_near[0];
  return {.numbers = {{"time_ns", double(cost.alone.count())}}};
}

JobResult RowRunner::replay(const Asked& asked, const SpecView& place) const {
  const auto file = asked.job.find("file");
  if (file == asked.job.end() || asked.job.size() > 1) {
    place.fail("the job of a replay", "\"file\", what `replay --format json` wrote");
  }
  const SpecDocument document = read_spec_file(from_row(file->second, place), limits_);
  const SpecView root(document);
  (void)root.get("format").as_choice({"ooc-paleo/replay"});
  JobResult result;
  add_numbers(root, "", result);
  return result;
}

}  // namespace ooc
