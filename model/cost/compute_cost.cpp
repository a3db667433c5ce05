// Native model. With an architecture: kernel_cost.hpp. Without, per task: launch + max(flops / (peak x efficiency), bytes /
// (throughput x efficiency)). A task with neither FLOPs nor bytes (an `add` whose gradients need no copy) takes no time.
// PALEO's model adds the two terms, uses its own counts and takes the data sheet's GB/s as GiB/s; its PPP,
// `percent_of_peak`, divides all times but updates. It fits large convolutions well; small kernels, whose cost is launch
// and tail effects, are the native model's weak side unless the profile holds efficiency curves (docs/model.md, 1).
#include "model/cost/compute_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "model/base/errors.hpp"
#include "model/cost/conv_algorithms.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/parameter_bytes.hpp"

namespace ooc {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr Int128 kMaxSumNs = Int128{1} << 60;
constexpr double kGibPerGb = 1.073741824;  // PALEO reads GB/s as GiB/s

double as_double(Wide count) { return static_cast<double>(count.value()); }

class ComputeEstimator {
 public:
  ComputeEstimator(const TrainingGraph& graph, const HardwareProfile& profile,
                   const ComputeOptions& options)
      : graph_(graph), profile_(profile), options_(options) {
    const Network& network = *graph.network;
    if (network.precision) {
      const PrecisionInfo& precision = precision_info(*network.precision);
      const std::string why = fmt::format(", which --precision {} multiplies in", precision.name);
      for (const Dtype type : {precision.products, precision.dtype, Dtype::kFloat32}) {
        peaks_[static_cast<std::size_t>(type)] = peak_of(type, type == Dtype::kFloat32 ? "" : why);
      }
    } else {
      peaks_[static_cast<std::size_t>(network.dtype)] =
          peak_of(network.dtype, ", the dtype of network \"" + network.name + "\"");
    }
    scale_ = options.compute_scale / kOne;
    if (profile.kernels && options.model == ComputeModel::kNative) {
      platform_ = kernel_platform(profile, options.software, options.compute_scale);
      pricer_.emplace(graph, *platform_, options.batch, options.mode);
    }
  }
  ComputeEstimator(const ComputeEstimator&) = delete;  // the pricer points into it
  ComputeEstimator& operator=(const ComputeEstimator&) = delete;

  [[nodiscard]] double seconds(const Task& task) const {
    if (task.kind != TaskKind::kUpdate) return fused_seconds(task);
    const bool operations = options_.adam != AdamKernels::kFused;
    const double update = fused_seconds(task) * (operations ? kOperationsOverFused : 1);
    const LayerModel& layer = *graph_.network->layers[task.layer.at()].model;
    return update + seconds(0, as_double(Wide(layer.parameters) * step_bytes(layer)), "memory", {});
  }

  /// Bytes a parameter that a step moves beside its optimiser: copies of gradients are written and read, so are those for
  /// the norm; DeepSpeed then scales float32 gradients whether it clips or not (stage_1_and_2.py, stage3.py: step).
  [[nodiscard]] std::int64_t step_bytes(const LayerModel& layer) const {
    const ParameterBytes each = bytes_of_layer(graph_.per_parameter, layer);
    const GradientBuffers& buffers = options_.gradient_buffers;
    const std::int64_t copies = each.master > 0 ? 2 * buffers.copies : 0;
    constexpr std::int64_t kFloat = 4;
    if (buffers.norms > 0) return copies + each.gradient + 2 * buffers.norms + 2 * kFloat;
    // The norm reads them; the scale reads and writes them.
    return copies + (options_.clips ? 3 * each.gradient : 0);
  }

  /// `type`: what is computed in; none: the network's.
  [[nodiscard]] double seconds(double flops, double bytes, const std::string& efficiency,
                               std::optional<Dtype> type) const {
    if (flops == 0 && bytes == 0) return 0;
    if (platform_) return streaming_seconds({.bytes = bytes}, *platform_);
    const double throughput = static_cast<double>(profile_.near_memory.throughput.count());
    const double peak = peaks_[static_cast<std::size_t>(type.value_or(graph_.network->dtype))];
    if (options_.model == ComputeModel::kPaleo) {
      return (flops / peak + bytes / (throughput * kGibPerGb)) / scale_;
    }
    const double rate = peak * efficiency_of(profile_, efficiency).at(flops);
    const double memory_rate = throughput * efficiency_of(profile_, "memory").at(bytes);
    const double launch = static_cast<double>(profile_.kernel_launch.count()) / kNsPerSecond;
    return launch + std::max(flops / rate, bytes / memory_rate) / scale_;
  }

  /// Algorithms of a convolution's task that takes `first` seconds without workspace, `beside` of it with any algorithm.
  [[nodiscard]] std::vector<ConvolutionAlgorithm> algorithms(const Task& task, double first,
                                                             double beside) const {
    const Amount amount = amount_of(graph_, task, options_.model, options_.batch);
    const ConvolutionPass pass = task.kind == TaskKind::kForward ? ConvolutionPass::kForward
                                 : task.kind == TaskKind::kBackwardData
                                     ? ConvolutionPass::kBackwardData
                                     : ConvolutionPass::kBackwardWeights;
    const ConvolutionTask which{
        .shape = *graph_.network->layers[task.layer.at()].model->convolution,
        .pass = pass,
        .dtype = graph_.network->layers[task.layer.at()].model->computes_in.value_or(
            graph_.network->dtype),
        .batch = options_.batch,
        .flops = as_double(amount.flops),
        .bytes = as_double(amount.bytes),
        .first_seconds = first,
        .compute_scale = scale_};
    if (!pricer_) return useful_algorithms(modelled_algorithms(which, profile_));
    auto algorithms = kernel_algorithms(which, pricer_->convolution_methods(task));
    const double copies = static_cast<double>(workspace_of(graph_, task, options_.batch).count());
    for (ConvolutionAlgorithm& algorithm : algorithms) {
      algorithm.seconds += beside;
      algorithm.workspace_bytes += copies;
    }
    return useful_algorithms(std::move(algorithms));
  }

  /// By task, what it takes beside its own work for sums of gradients: where several layers read an output,
  /// the last of them to run backward finds the others' sum.
  [[nodiscard]] std::vector<double> gradient_sums() const {
    std::vector<double> seconds(graph_.tasks.size(), 0);
    if (!pricer_) return seconds;
    std::vector<std::int32_t> last_backward(graph_.network->layers.size(), -1);
    for (std::size_t i = graph_.forward_tasks; i < graph_.backward_end; ++i) {
      last_backward[graph_.tasks[i].layer.at()] = static_cast<std::int32_t>(i);
    }
    std::vector<std::int32_t> reader(last_backward.size(), -1);  // by the layer that is read
    for (std::size_t i = 0; i < last_backward.size(); ++i) {
      for (const Producer& producer : graph_.network->layers[i].inputs) {
        const auto* id = std::get_if<LayerId>(&producer);
        if (id != nullptr) reader[id->at()] = std::max(reader[id->at()], last_backward[i]);
      }
    }
    for (std::size_t i = 0; i < reader.size(); ++i) {
      if (reader[i] < 0 || last_backward[i] < 0) continue;
      seconds[static_cast<std::size_t>(reader[i])] +=
          pricer_->gradient_sum_seconds(LayerId{static_cast<std::int32_t>(i)});
    }
    return seconds;
  }

 private:
  /// With updates of one kernel.
  [[nodiscard]] double fused_seconds(const Task& task) const {
    const LayerModel& layer = *graph_.network->layers[task.layer.at()].model;
    if (layer.custom) {
      const Duration time =
          task.kind == TaskKind::kForward ? layer.custom->forward : layer.custom->backward;
      const bool sample = layer.custom->per == CustomCost::Per::kSample;
      return as_double(Wide(time.count()) * (sample ? options_.batch : 1)) / kNsPerSecond / scale_;
    }
    if (layer.sent_bytes > 0) {  // waits for the other devices' rows
      const PeerLink peers = peers_of(profile_);
      const Bytes bytes(layer.sent_bytes * options_.batch);
      const Duration time = peers.latency + transfer_time(bytes, peers.throughput);
      return static_cast<double>(time.count()) / kNsPerSecond;
    }
    if (pricer_) return pricer_->seconds(task);
    const Amount amount = amount_of(graph_, task, options_.model, options_.batch);
    const Ratio share = task.kind == TaskKind::kUpdate ? kOne : options_.percent_of_peak;
    return seconds(as_double(amount.flops), as_double(amount.bytes), layer.efficiency,
                   layer.computes_in) *
           (kOne / share);
  }

  /// Throws SpecError where the profile has none; `why` says who wants it.
  [[nodiscard]] double peak_of(Dtype type, const std::string& why) const {
    const auto peak = profile_.peak.find(type);
    if (peak != profile_.peak.end()) return peak->second.per_second;
    const std::string name(dtype_info(type).name);
    std::string hint = "add e.g. \"" + name + "\": \"15.7 TFLOP/s\" with its provenance";
    const bool is_precision = graph_.network->precision.has_value();
    hint += fmt::format(", or ask for another --{}:", is_precision ? "precision" : "dtype");
    for (const PrecisionInfo& each : kPrecisions) {
      if (is_precision && profile_.peak.contains(each.products))
        hint += fmt::format(" {}", each.name);
    }
    for (const DtypeInfo& each : kNetworkDtypes) {
      if (!is_precision && profile_.peak.contains(each.dtype))
        hint += fmt::format(" {}", each.name);
    }
    throw SpecError({profile_.file, "/compute/peak/" + name, "nothing",
                     "the peak rate of " + name + why, std::move(hint)});
  }

  const TrainingGraph& graph_;
  const HardwareProfile& profile_;
  const ComputeOptions& options_;
  std::array<double, kDtypes.size()> peaks_{};  ///< by Dtype, of those that are computed in
  double scale_ = 1;
  std::optional<KernelPlatform> platform_;
  std::optional<KernelPricer> pricer_;
};

Duration rounded(double seconds, const TrainingGraph& graph) {
  const double ns = seconds * kNsPerSecond;
  if (!(ns < static_cast<double>(kMaxTimeNs))) {
    too_large_to_count(graph, "a task that takes longer than 104 days", "every task below 2^53 ns");
  }
  const auto count = static_cast<std::int64_t>(std::llround(ns));
  return Duration(ns > 0 && count == 0 ? 1 : count);
}

/// By layer: whether its convolution's algorithms are known. They are not in PALEO's model, nor where
/// the user states the layer's time.
std::vector<bool> layers_with_algorithms(const TrainingGraph& graph,
                                         const ComputeOptions& options) {
  std::vector<bool> have(graph.network->layers.size());
  if (options.model != ComputeModel::kNative) return have;
  for (std::size_t i = 0; i < have.size(); ++i) {
    have[i] = graph.network->layers[i].model->convolution != nullptr;
  }
  for (const LayerTime& time : options.layer_times) have[time.layer.at()] = false;
  return have;
}

/// Algorithms of a convolution's task, but for those of absurd size or time and those that take more
/// workspace than the framework gives. The first one always is.
void add_algorithms(CostTable& table, const std::vector<ConvolutionAlgorithm>& algorithms,
                    const TrainingGraph& graph, const std::optional<Bytes>& most_workspace) {
  const double most = most_workspace ? static_cast<double>(most_workspace->count())
                                     : static_cast<double>(kMaxTensorBytes);
  for (const ConvolutionAlgorithm& algorithm : algorithms) {
    const bool first = &algorithm == algorithms.data();
    const bool countable = algorithm.workspace_bytes <= most &&
                           algorithm.workspace_bytes < static_cast<double>(kMaxTensorBytes) &&
                           algorithm.seconds * kNsPerSecond < static_cast<double>(kMaxTimeNs);
    if (!first && !countable) continue;
    table.alternatives.push_back({.algorithm = algorithm.algorithm,
                                  .time = rounded(algorithm.seconds, graph),
                                  .workspace = Bytes(std::llround(algorithm.workspace_bytes)),
                                  .seconds = algorithm.seconds});
  }
}

std::int64_t launches_of(const LayerLaunches& launches, TaskKind kind) {
  if (kind == TaskKind::kForward) return launches.forward;
  return kind == TaskKind::kBackwardWeights ? launches.backward_weights : launches.backward;
}

/// The host issues kernels in Software::issue, whatever runs them. `sums`: seconds of sums of gradients by task.
void set_issue_times(CostTable& table, const TrainingGraph& graph, const Software& software,
                     const std::vector<double>& sums) {
  if (software.issue == Duration(0)) return;
  const auto& precision = graph.network->precision;
  const bool casts = precision ? precision_info(*precision).autocasts()
                               : dtype_info(graph.network->dtype).bytes < 4;
  const Duration issue{std::llround(static_cast<double>(software.issue.count()) *
                                    (casts ? software.autocast_issue : 1))};
  const bool by_launch = software.issued_by == IssuedBy::kLaunch;
  std::vector<int> backward(graph.network->layers.size(), 0);
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    ++backward[graph.tasks[i].layer.at()];
  }
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    const Task& task = graph.tasks[i];
    const int shares = by_launch || i < graph.forward_tasks ? 1 : backward[task.layer.at()];
    const std::int64_t launches =
        by_launch ? launches_of(graph.network->layers[task.layer.at()].model->launches, task.kind) +
                        (sums[i] > 0 ? 1 : 0)
                  : 1;
    for (auto algorithm = table.first_alternative[i]; algorithm < table.first_alternative[i + 1];
         ++algorithm) {
      table.alternatives[static_cast<std::size_t>(algorithm)].issue =
          Duration(issue.count() * launches / shares);
    }
  }
}

/// No sum of the tasks' times wraps, whichever algorithms they run.
void check_time(const CostTable& table, const TrainingGraph& graph) {
  Int128 sum = 0;
  for (const TaskAlternative& algorithm : table.alternatives) {
    sum += algorithm.time.count() + algorithm.issue.count();
  }
  if (sum <= kMaxSumNs) return;
  too_large_to_count(graph, "tasks that together take longer than 36 years",
                     "all tasks together below 2^60 ns");
}

[[noreturn]] void no_such_task(const TrainingGraph& graph, LayerId layer, const char* pass) {
  const Layer& it = graph.network->layers[layer.at()];
  bad_value("--layer-times: layer \"" + it.name + "\"", std::string("a ") + pass + " time",
            "0 there, or a layer that runs a " + std::string(pass) + " task",
            "\"" + it.name + "\" (" + std::string(it.kind->name) + ") has none in this network");
}

/// A time for a task that does not exist would be lost without a word.
void check_layer_times(const TrainingGraph& graph, const std::vector<LayerTime>& times) {
  std::vector<bool> forward(graph.network->layers.size(), false);
  std::vector<bool> backward(graph.network->layers.size(), false);
  for (std::size_t i = 0; i < graph.backward_end; ++i) {
    (i < graph.forward_tasks ? forward : backward)[graph.tasks[i].layer.at()] = true;
  }
  for (const LayerTime& time : times) {
    if (time.forward > Duration(0) && !forward[time.layer.at()])
      no_such_task(graph, time.layer, "forward");
    if (time.backward > Duration(0) && !backward[time.layer.at()])
      no_such_task(graph, time.layer, "backward");
  }
}

/// Measured times replace the model's; the backward time is shared out as the model's stand.
void apply_layer_times(std::vector<double>& seconds, const TrainingGraph& graph,
                       const std::vector<LayerTime>& times, double scale) {
  if (times.empty()) return;
  check_layer_times(graph, times);
  std::vector<const LayerTime*> by_layer(graph.network->layers.size(), nullptr);
  for (const LayerTime& time : times) by_layer[time.layer.at()] = &time;
  std::vector<double> backward(graph.network->layers.size(), 0);
  std::vector<int> backward_tasks(graph.network->layers.size(), 0);
  const auto is_backward = [&](std::size_t i) {
    return i >= graph.forward_tasks && i < graph.backward_end;
  };
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (!is_backward(i)) continue;
    backward[graph.tasks[i].layer.at()] += seconds[i];
    ++backward_tasks[graph.tasks[i].layer.at()];
  }
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const std::size_t layer = graph.tasks[i].layer.at();
    if (by_layer[layer] == nullptr) continue;
    const auto given = [&](Duration time) {
      return static_cast<double>(time.count()) / kNsPerSecond / scale;
    };
    if (i < graph.forward_tasks) {
      seconds[i] = given(by_layer[layer]->forward);
    } else if (is_backward(i)) {
      const double share =
          backward[layer] > 0 ? seconds[i] / backward[layer] : 1.0 / backward_tasks[layer];
      seconds[i] = given(by_layer[layer]->backward) * share;
    }
  }
}

}  // namespace

KernelPlatform kernel_platform(const HardwareProfile& profile,
                               const std::optional<Software>& software, Ratio scale) {
  OOC_CHECK(profile.kernels.has_value(), "only an architecture prices kernels");
  const double factor = scale / kOne;
  KernelPlatform platform{.machine = {},
                          .architecture = profile.kernels->architecture->parameters,
                          .software = software.value_or(Software{})};
  for (const auto& [dtype, rate] : profile.peak) {
    platform.machine.peak[static_cast<std::size_t>(dtype)] = {rate.per_second * factor};
  }
  for (const auto& [dtype, share] : profile.kernels->sustained) {
    platform.machine.sustained[static_cast<std::size_t>(dtype)] = share;
  }
  platform.machine.multiprocessors = profile.kernels->multiprocessors;
  platform.machine.near_rate = ooc::scale(profile.near_memory.throughput, scale);
  if (profile.cudnn && !software) platform.software.cudnn = *profile.cudnn;
  return platform;
}

namespace {

/// PyTorch's foreach Adam takes the roots of all second moments before it divides by them: a number of the state for
/// each parameter, for as long as the update takes. One update a layer is counted here, each with all of them.
TaskAlternative update_temporaries(const TrainingGraph& graph, AdamKernels adam, int shards) {
  TaskAlternative update;
  if (adam != AdamKernels::kForeach || graph.optimizer != Optimizer::kAdam) return update;
  for (const Layer& layer : graph.network->layers) {
    const Bytes states(state_bytes(Optimizer::kMomentum, graph.per_parameter, *layer.model));
    update.workspace += states;
    update.largest = std::max(update.largest, states);
  }
  update.workspace = Bytes(share_of_shard(update.workspace.count(), shards));
  update.largest = Bytes(share_of_shard(update.largest.count(), shards));
  return update;
}

/// A loss's casts and gradients are tensors of as many float32 numbers as it has logits.
Bytes largest_of_loss(const TrainingGraph& graph, const Task& task, std::int64_t batch) {
  const LayerModel& model = *graph.network->layers[task.layer.at()].model;
  return Bytes(model.is_loss ? model.saves.scores_bytes * batch : 0);
}

/// A layer's backward pass reads what its operations have saved: the tensor, and weights beside it.
std::vector<Bytes> bytes_of_saves(const TrainingGraph& graph, const std::vector<Bytes>& sizes,
                                  std::int64_t batch) {
  std::vector<Bytes> copied(sizes.size());
  std::vector<std::optional<LayerId>> latest(sizes.size());  // both its tasks may read the tensor
  for (std::size_t i = graph.forward_tasks; i < graph.backward_end; ++i) {
    const LayerId layer = graph.tasks[i].layer;
    const LayerModel& model = *graph.network->layers[layer.at()].model;
    for (const TensorId tensor : graph.reads[make_id<TaskId>(i)]) {
      if (std::exchange(latest[tensor.at()], layer) == layer) continue;
      copied[tensor.at()] += sizes[tensor.at()];
      const TensorRole role = graph.tensors[tensor.at()].role;
      if (role == TensorRole::kReserve) {
        copied[tensor.at()] += Bytes(model.saves.twice_bytes * batch);
      } else if (role == TensorRole::kActivation && model.casts.parameters == 0) {
        copied[tensor.at()] += Bytes(model.parameters * graph.per_parameter.weight);
      }
    }
  }
  for (std::size_t i = 0; i < copied.size(); ++i) copied[i] = std::max(copied[i], sizes[i]);
  return copied;
}

}  // namespace

CostTable estimate_sizes(const TrainingGraph& graph, const ComputeOptions& options) {
  CostTable sizes;
  sizes.batch = options.batch;
  sizes.tensor_bytes = tensor_sizes(graph, options.batch);
  if (options.each_save) {
    sizes.copied_bytes = bytes_of_saves(graph, sizes.tensor_bytes, options.batch);
  }
  const GradientBuffers& buffers = options.gradient_buffers;
  const std::int64_t learnt = trainable_parameters(*graph.network);
  const std::int64_t waiting = buffers.buckets == GradientBuffers::kAll ? learnt : buffers.buckets;
  sizes.static_bytes = Bytes(static_bytes(graph)) + Bytes(waiting * graph.per_parameter.gradient);
  TaskAlternative update = update_temporaries(graph, options.adam, buffers.state_shards);
  if (graph.per_parameter.master > 0) {
    update.largest = Bytes(0);  // software with master copies updates flat buffers
    update.workspace +=
        Bytes(update_copies(buffers, learnt, largest_trainable_layer(*graph.network)));
  }
  sizes.first_alternative.push_back(0);
  for (const Task& task : graph.tasks) {
    sizes.alternatives.push_back(
        task.kind == TaskKind::kUpdate
            ? update
            : TaskAlternative{.time = {},
                              .workspace = workspace_of(graph, task, options.batch),
                              .largest = largest_of_loss(graph, task, options.batch)});
    sizes.first_alternative.push_back(static_cast<std::int32_t>(sizes.alternatives.size()));
  }
  return sizes;
}

CostTable estimate_compute(const TrainingGraph& graph, const HardwareProfile& profile,
                           const ComputeOptions& options) {
  if (options.batch < 1 || options.batch > kMaxBatch) {
    bad_value("--batch", std::to_string(options.batch),
              "a whole number from 1 to " + std::to_string(kMaxBatch));
  }
  const ComputeEstimator estimator(graph, profile, options);
  CostTable table = estimate_sizes(graph, options);
  const std::vector<TaskAlternative> sizes = std::exchange(table.alternatives, {});
  table.first_alternative.clear();
  check_work(graph, options.model, options.batch);
  std::vector<double> seconds(graph.tasks.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = estimator.seconds(graph.tasks[i]);
  const std::vector<double> sums = estimator.gradient_sums();
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += sums[i];
  apply_layer_times(seconds, graph, options.layer_times, options.compute_scale / kOne);
  const std::vector<bool> with_algorithms = layers_with_algorithms(graph, options);
  table.alternatives.reserve(seconds.size());
  table.first_alternative.reserve(seconds.size() + 1);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    table.first_alternative.push_back(static_cast<std::int32_t>(table.alternatives.size()));
    const Task& task = graph.tasks[i];
    if (with_algorithms[task.layer.at()] && task.kind != TaskKind::kUpdate) {
      add_algorithms(table, estimator.algorithms(task, seconds[i], sums[i]), graph,
                     options.workspace);
      continue;
    }
    table.alternatives.push_back({.algorithm = Algorithm::kDefault,
                                  .time = rounded(seconds[i], graph),
                                  .workspace = sizes[i].workspace,
                                  .largest = sizes[i].largest,
                                  .seconds = seconds[i]});
  }
  table.first_alternative.push_back(static_cast<std::int32_t>(table.alternatives.size()));
  set_issue_times(table, graph, options.software.value_or(Software{}), sums);
  check_time(table, graph);
  return table;
}

TaskAlternative elementwise_cost(const TrainingGraph& graph, const HardwareProfile& profile,
                                 const ComputeOptions& options, std::int64_t flops,
                                 std::int64_t bytes) {
  const double seconds =
      ComputeEstimator(graph, profile, options)
          .seconds(static_cast<double>(flops), static_cast<double>(bytes), "default", {});
  return {.algorithm = Algorithm::kDefault,
          .time = rounded(seconds, graph),
          .workspace = Bytes(0),
          .seconds = seconds};
}

}  // namespace ooc
