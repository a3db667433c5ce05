// Stages follow one another, each with its own rows and numbers: streaming kernels give the near shares
// that all others use; then convolutions and products on ordinary units, tensor cores, recurrent layers.
#include "calibrate/fit/operations_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "calibrate/fit/search.hpp"
#include "calibrate/fit/statistics.hpp"
#include "model/base/errors.hpp"
#include "model/kernels/convolution.hpp"
#include "model/kernels/parameter_fields.hpp"

namespace ooc {
namespace {

constexpr double kLargestMiss = 1.5;
constexpr double kStartSpread = 0.3;
constexpr double kLongStream =
    150e-6;                          // below, streaming kernels show the measuring, not the memory
constexpr double kNeighbours = 3e7;  // bytes: slopes between nearer sizes are noise
constexpr double kLeastMeasuring = 1e-6;
constexpr double kMostMeasuring = 100e-6;
constexpr double kLeastHeuristic = 0.4;

using Parameters = std::map<std::string, ArchitectureParameters>;
using Rows = std::vector<const MeasuredOperation*>;

/// Before Volta; the fit takes them together where it needs a difference.
bool is_old(const std::string& architecture) {
  return architecture == "kepler" || architecture == "maxwell" || architecture == "pascal";
}

std::string pass_name(OperationPass pass) {
  switch (pass) {
    case OperationPass::kForward:
      return "forward";
    case OperationPass::kBackwardData:
      return "backward_data";
    case OperationPass::kBackwardWeights:
      return "backward_weights";
    case OperationPass::kBackward:
      return "backward";
  }
  return "";
}

std::string kind_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kConvolution:
      return "conv";
    case OperationKind::kProduct:
      return "product";
    case OperationKind::kRecurrent:
      return "recurrent";
    case OperationKind::kStreaming:
      return "streaming";
  }
  return "";
}

std::string group_of(const MeasuredOperation& row) {
  return fmt::format("{} {} {} {} {}", kind_name(row.kind), dtype_info(row.dtype).name,
                     pass_name(row.pass), row.gpu, row.source);
}

ConvolutionPass convolution_pass(OperationPass pass) {
  switch (pass) {
    case OperationPass::kBackwardData:
      return ConvolutionPass::kBackwardData;
    case OperationPass::kBackwardWeights:
      return ConvolutionPass::kBackwardWeights;
    case OperationPass::kForward:
    case OperationPass::kBackward:
      return ConvolutionPass::kForward;
  }
  return ConvolutionPass::kForward;
}

/// What the kernels themselves take.
double work_seconds(const MeasuredOperation& row, const KernelPlatform& platform) {
  switch (row.kind) {
    case OperationKind::kConvolution: {
      const ConvolutionTimes times = convolution_times({.shape = &row.shape,
                                                        .pass = convolution_pass(row.pass),
                                                        .batch = row.batch,
                                                        .dtype = row.dtype},
                                                       platform);
      // Who measures tensor cores asks for them, even where other units would be faster.
      return std::isfinite(times.tensor) ? times.tensor : times.fastest();
    }
    case OperationKind::kProduct:
      return linear_work_seconds(row.product, row.dtype, platform);
    case OperationKind::kRecurrent: {
      const RecurrentTimes times = recurrent_times(row.recurrent, platform);
      switch (row.pass) {
        case OperationPass::kForward:
          return times.forward;
        case OperationPass::kBackwardData:
          return times.backward_data;
        case OperationPass::kBackwardWeights:
          return times.backward_weights;
        case OperationPass::kBackward:
          return times.backward_data + times.backward_weights;
      }
      return 0;
    }
    case OperationKind::kStreaming:
      return row.bytes / streaming_rate(platform);
  }
  return 0;
}

/// A number that a stage fits, for one or more architectures, or one of what is fitted beside.
struct Variable {
  std::string path;  ///< "simt.wide_tiles", "measuring.<source>", "heuristic"
  SearchVariable range;
  std::vector<std::string> architectures;
};

struct Candidate {
  Parameters parameters;
  std::map<std::string, double> beside;

  void set(const Variable& variable, double value) {
    if (variable.architectures.empty()) {
      beside[variable.path] = value;
      return;
    }
    const ParameterField* field = find_parameter_field(variable.path);
    const bool step = variable.path == "recurrent.step";
    for (const std::string& name : variable.architectures) {
      ArchitectureParameters& numbers = parameters.at(name);
      (step ? numbers.recurrent.step_seconds : field->of(numbers)) = value;
    }
  }
};

class Stage {
 public:
  Stage(std::string name, const std::map<std::string, FitMachine>& machines)
      : name_(std::move(name)), machines_(machines) {}

  Rows fit_rows;
  Rows held_rows;
  std::vector<Variable> variables;

  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] double predicted(const MeasuredOperation& row, const Candidate& candidate) const {
    const FitMachine& machine = machines_.at(row.gpu);
    KernelPlatform platform{machine.machine, candidate.parameters.at(machine.architecture), {}};
    // A row is one kernel: benchmarks hand over what lies as the kernel wants it.
    platform.software.layout = ImageLayout::kChannelsLast;
    platform.software.cudnn = row.cudnn;
    if (row.heuristic) platform.architecture.simt.generation *= beside(candidate, "heuristic", 1);
    const double measuring =
        row.kind == OperationKind::kRecurrent ? 0 : beside(candidate, "measuring." + row.source, 0);
    return work_seconds(row, platform) + measuring;
  }

  [[nodiscard]] double loss(const Rows& rows, const Candidate& candidate) const {
    std::map<std::string, std::pair<double, double>> groups;
    for (const MeasuredOperation* row : rows) {
      const double miss = std::abs(std::log(predicted(*row, candidate) / row->seconds));
      auto& [sum, count] = groups[groups_.at(row)];
      sum += std::min(miss, kLargestMiss);
      count += 1;
    }
    double total = 0;
    for (const auto& [group, sums] : groups) total += sums.first / sums.second;
    return groups.empty() ? 0 : total / static_cast<double>(groups.size());
  }

  [[nodiscard]] std::vector<GroupError> errors(const Rows& rows, const Candidate& candidate) const {
    std::map<std::string, std::vector<double>> groups;
    for (const MeasuredOperation* row : rows) {
      groups[groups_.at(row)].push_back(predicted(*row, candidate) / row->seconds - 1);
    }
    std::vector<GroupError> errors;
    for (const auto& [group, deviations] : groups) {
      GroupError error{.group = group, .rows = deviations.size()};
      std::vector<double> sizes;
      for (const double deviation : deviations) {
        sizes.push_back(std::abs(deviation));
        error.mean += std::abs(deviation) / static_cast<double>(deviations.size());
        error.bias += deviation / static_cast<double>(deviations.size());
      }
      error.median = median_of(sizes);
      errors.push_back(error);
    }
    return errors;
  }

  void add_row(const MeasuredOperation& row) {
    groups_[&row] = group_of(row);
    (is_held_out(row) ? held_rows : fit_rows).push_back(&row);
  }

 private:
  static double beside(const Candidate& candidate, const std::string& name, double otherwise) {
    const auto found = candidate.beside.find(name);
    return found == candidate.beside.end() ? otherwise : found->second;
  }

  std::string name_;
  const std::map<std::string, FitMachine>& machines_;
  std::map<const MeasuredOperation*, std::string> groups_;
};

class Fitter {
 public:
  Fitter(const std::vector<MeasuredOperation>& operations,
         const std::map<std::string, FitMachine>& machines, const Parameters& start,
         const OperationsFitOptions& options)
      : operations_(operations), machines_(machines), options_(options) {
    candidate_.parameters = start;
    for (const MeasuredOperation& row : operations) check(row);
  }

  OperationsFit run() {
    fit_near_shares();
    fit_stage(
        "conv float32", &is_plain_convolution,
        {"simt.wide_tiles", "simt.small_tiles", "simt.wave_tail", "simt.extra_depth",
         "simt.generation", "simt.pointwise_weights", "simt.scatter_rate", "simt.scatter_memory",
         "simt.winograd_fused", "simt.transformed", "simt.transform_traffic"});
    fit_stage("product float32", &is_plain_product,
              {"simt.linear_rate", "simt.linear_memory", "simt.linear_recent"});
    fit_stage("tensor cores", &is_tensor,
              {"tensor.tiles", "tensor.operands", "tensor.few_channels"});
    fit_stage("recurrent float32", &is_recurrent,
              {"recurrent.forward", "recurrent.backward", "recurrent.step", "recurrent.old_forward",
               "recurrent.old_backward", "recurrent.old_gru_backward"});
    return {std::move(candidate_.parameters), std::move(stages_)};
  }

 private:
  using Filter = bool (*)(const MeasuredOperation&);

  static bool is_plain(const MeasuredOperation& row) { return row.dtype == Dtype::kFloat32; }
  static bool is_plain_convolution(const MeasuredOperation& row) {
    return is_plain(row) && row.kind == OperationKind::kConvolution;
  }
  static bool is_plain_product(const MeasuredOperation& row) {
    return is_plain(row) && row.kind == OperationKind::kProduct;
  }
  static bool is_tensor(const MeasuredOperation& row) {
    return !is_plain(row) && row.dtype != Dtype::kFloat64 &&
           (row.kind == OperationKind::kConvolution || row.kind == OperationKind::kProduct);
  }
  static bool is_recurrent(const MeasuredOperation& row) {
    return is_plain(row) && row.kind == OperationKind::kRecurrent;
  }

  void check(const MeasuredOperation& row) const {
    const auto machine = machines_.find(row.gpu);
    const auto complain = [&](const std::string& found, const std::string& expected) {
      throw SpecError(
          {.file = "the table", .place = "gpu", .found = found, .expected = expected, .hint = {}});
    };
    if (machine == machines_.end()) {
      std::string known;
      for (const auto& [name, value] : machines_) known += (known.empty() ? "" : ", ") + name;
      complain(in_quotes(row.gpu), "one of " + known);
    }
    const auto architecture = candidate_.parameters.find(machine->second.architecture);
    if (architecture == candidate_.parameters.end()) {
      complain(in_quotes(row.gpu) + " of architecture " + in_quotes(machine->second.architecture),
               "an architecture with a file to start from");
    }
    const KernelPlatform platform{machine->second.machine, architecture->second, {}};
    if (is_tensor(row) && !on_tensor_cores(platform, row.dtype)) {
      complain(fmt::format("{} on {}", dtype_info(row.dtype).name, in_quotes(row.gpu)),
               "a GPU with tensor cores and a peak for that type");
    }
  }

  /// Slope of time over bytes (Theil-Sen, every pair of a GPU's long rows).
  void fit_near_shares() {
    std::map<std::string, std::vector<double>> shares;
    std::map<std::string, Rows> by_gpu;
    Stage stage("streaming", machines_);
    for (const MeasuredOperation& row : operations_) {
      if (row.kind != OperationKind::kStreaming) continue;
      stage.add_row(row);
      if (row.seconds > kLongStream && !is_held_out(row)) by_gpu[row.gpu].push_back(&row);
    }
    if (stage.fit_rows.empty() || is_fixed("near_share")) return;
    for (const auto& [gpu, rows] : by_gpu) {
      std::vector<double> rates;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = i + 1; j < rows.size(); ++j) {
          const double bytes = rows[j]->bytes - rows[i]->bytes;
          const double seconds = rows[j]->seconds - rows[i]->seconds;
          if (std::abs(bytes) > kNeighbours && bytes * seconds > 0)
            rates.push_back(bytes / seconds);
        }
      }
      if (rates.empty()) continue;
      const FitMachine& machine = machines_.at(gpu);
      shares[machine.architecture].push_back(
          median_of(rates) / static_cast<double>(machine.machine.near_rate.count()));
    }
    StageFit& result = stages_.emplace_back();
    result.name = stage.name();
    result.rows = stage.fit_rows.size();
    set_measuring(stage);
    result.before = stage.loss(stage.fit_rows, candidate_);
    result.held_before = stage.loss(stage.held_rows, candidate_);
    for (const auto& [architecture, found] : shares) {
      candidate_.parameters.at(architecture).near_share = std::min(median_of(found), 1.0);
      result.paths.push_back("near_share of " + architecture);
    }
    set_measuring(stage);
    finish(stage, result);
  }

  /// What is left of streaming kernels, by source.
  void set_measuring(const Stage& stage) {
    std::map<std::string, std::vector<double>> rests;
    candidate_.beside.clear();
    for (const MeasuredOperation* row : stage.fit_rows) {
      rests[row->source].push_back(row->seconds - stage.predicted(*row, candidate_));
    }
    for (const auto& [source, rest] : rests) {
      candidate_.beside["measuring." + source] = std::max(median_of(rest), 0.0);
    }
  }

  [[nodiscard]] bool is_fixed(const std::string& path) const {
    return std::find(options_.fixed.begin(), options_.fixed.end(), path) != options_.fixed.end();
  }

  void add_variable(Stage& stage, const std::string& path,
                    const std::set<std::string>& architectures) {
    if (is_fixed(path)) return;
    std::vector<std::string> of(architectures.begin(), architectures.end());
    if (path == "simt.generation" || path == "simt.linear_recent") {
      // The newer ones are the measure; of one kind alone it would only rename the tiles' efficiency.
      const auto newer = std::partition(of.begin(), of.end(), &is_old);
      if (newer == of.begin() || newer == of.end()) return;
      of.erase(newer, of.end());
    }
    if (path == "recurrent.step") {
      stage.variables.push_back({path, {20e-6, 0.5e-6, 200e-6}, of});
      return;
    }
    const ParameterField& field = *find_parameter_field(path);
    const double now = options_.from == FitStart::kNeutral
                           ? field.neutral
                           : field.of(candidate_.parameters.at(of.front()));
    const double lowest = std::max(field.lowest, 1e-3);
    stage.variables.push_back({path, {std::max(now, lowest), lowest, field.highest}, of});
  }

  void fit_stage(const std::string& name, Filter filter, const std::vector<std::string>& paths) {
    Stage stage(name, machines_);
    std::set<std::string> architectures;
    std::set<std::string> sources;
    bool heuristic = false;
    for (const MeasuredOperation& row : operations_) {
      if (!filter(row)) continue;
      stage.add_row(row);
      architectures.insert(machines_.at(row.gpu).architecture);
      if (row.kind != OperationKind::kRecurrent) sources.insert(row.source);
      heuristic = heuristic || row.heuristic;
    }
    if (stage.fit_rows.empty()) return;
    for (const std::string& path : paths) add_variable(stage, path, architectures);
    candidate_.beside.clear();
    for (const std::string& source : sources) {
      stage.variables.push_back(
          {"measuring." + source, {10e-6, kLeastMeasuring, kMostMeasuring}, {}});
    }
    if (heuristic) stage.variables.push_back({"heuristic", {0.8, kLeastHeuristic, 1.5}, {}});
    search(stage, paths);
  }

  void search(Stage& stage, const std::vector<std::string>& paths) {
    StageFit& result = stages_.emplace_back();
    result.name = stage.name();
    result.rows = stage.fit_rows.size();
    for (const std::string& path : paths) {
      const bool fitted = std::any_of(stage.variables.begin(), stage.variables.end(),
                                      [&](const Variable& each) { return each.path == path; });
      if (fitted) result.paths.push_back(path);
    }
    std::vector<SearchVariable> ranges;
    for (const Variable& variable : stage.variables) {
      ranges.push_back(variable.range);
      if (variable.architectures.empty()) candidate_.set(variable, variable.range.start);
    }
    result.before = stage.loss(stage.fit_rows, candidate_);
    result.held_before = stage.loss(stage.held_rows, candidate_);
    const auto with = [&](const std::vector<double>& values) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        candidate_.set(stage.variables[i], values[i]);
      }
      return stage.loss(stage.fit_rows, candidate_);
    };
    SearchResult best;
    for (int start = 0; start < options_.starts; ++start) {
      const SearchEffort effort{.seed = options_.seed + static_cast<std::uint64_t>(start),
                                .evaluations = options_.evaluations,
                                .spread = start == 0 ? 0 : kStartSpread};
      const SearchResult found = search_minimum(ranges, effort, with);
      result.starts.push_back(found.loss);
      if (start == 0 || found.loss < best.loss) best = found;
    }
    (void)with(best.values);
    finish(stage, result);
  }

  void finish(const Stage& stage, StageFit& result) const {
    result.after = stage.loss(stage.fit_rows, candidate_);
    result.held_after = stage.loss(stage.held_rows, candidate_);
    result.beside = candidate_.beside;
    result.fit_errors = stage.errors(stage.fit_rows, candidate_);
    result.held_errors = stage.errors(stage.held_rows, candidate_);
  }

  const std::vector<MeasuredOperation>& operations_;
  const std::map<std::string, FitMachine>& machines_;
  const OperationsFitOptions& options_;
  Candidate candidate_;
  std::vector<StageFit> stages_;
};

}  // namespace

OperationsFit fit_operations(const std::vector<MeasuredOperation>& operations,
                             const std::map<std::string, FitMachine>& machines,
                             const Parameters& start, const OperationsFitOptions& options) {
  return Fitter(operations, machines, start, options).run();
}

}  // namespace ooc
