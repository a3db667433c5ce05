// Times of a graph's tasks as the sum of their kernels (model/kernels; docs/model.md, 1.2): products and
// convolutions by shape, everything else by the bytes that LayerWork counts.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "model/graph/training_graph.hpp"
#include "model/kernels/convolution.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

class KernelPricer {
 public:
  /// `graph` and `platform` must outlive it.
  KernelPricer(const TrainingGraph& graph, const KernelPlatform& platform, std::int64_t batch,
               RunMode mode = RunMode::kTraining);

  /// Seconds on the device, without the host's part. `custom` layers state theirs and are 0 here.
  [[nodiscard]] double seconds(const Task& task) const;

  /// Of a convolution's task: by method, and what each takes beside (its start, the bias).
  struct ConvolutionMethods {
    ConvolutionTimes times;
    double beside = 0;
  };
  [[nodiscard]] ConvolutionMethods convolution_methods(const Task& task) const;

  /// What adding up the gradients of a layer's output costs where several layers read it; frameworks
  /// run a kernel for each after the first.
  [[nodiscard]] double gradient_sum_seconds(LayerId layer) const;

  /// Backward data of a convolution that reads the network's input: no graph has that task, some
  /// frameworks run it.
  [[nodiscard]] double input_gradient_seconds(LayerId layer) const;

 private:
  [[nodiscard]] const LayerModel& model_of(LayerId layer) const;
  [[nodiscard]] Dtype type_of(const LayerModel& model) const;
  [[nodiscard]] double output_bytes(const LayerModel& model) const;
  [[nodiscard]] double casts(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double streaming(double bytes, double kernels,
                                 StreamingKind kind = StreamingKind::kElementwise) const;
  [[nodiscard]] double convolution(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] ConvolutionMethods methods(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double products(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double fused_products(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double recurrent(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double attention_rest(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double bias(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double update(const Task& task) const;
  [[nodiscard]] double elementwise(const Layer& layer, const Task& task) const;

  const TrainingGraph& graph_;
  const KernelPlatform& platform_;
  double batch_;
  RunMode mode_;
  bool remakes_copies_;
  std::vector<int> readers_;  ///< by layer: how many layers read its output
  /// Of products that were priced, as blocks repeat: m, n, k, count and type. One thread's.
  mutable std::map<std::tuple<double, double, double, double, Dtype>, double> linear_;
};

}  // namespace ooc
