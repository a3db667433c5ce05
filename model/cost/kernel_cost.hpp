// Task times as sums of kernels (model/kernels; docs/model.md, 1.2): products and convolutions by
// their shapes, all others by the bytes in LayerWork.
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
  /// `graph` and `platform` must outlive the pricer.
  KernelPricer(const TrainingGraph& graph, const KernelPlatform& platform, std::int64_t batch,
               RunMode mode = RunMode::kTraining);

  /// Returns the seconds of the task on the GPU, without host time; 0 for forward and backward of `custom` layers.
  [[nodiscard]] double seconds(const Task& task) const;

  struct ConvolutionMethods {
    ConvolutionTimes times;  ///< seconds by method, without launch
    double beside = 0;       ///< seconds to add to any method: launch, bias, casts
  };
  /// Returns the seconds of each method. Precondition: a task of a conv or conv_transpose.
  [[nodiscard]] ConvolutionMethods convolution_methods(const Task& task) const;

  /// Returns the seconds, without launch, of the sums of gradients of a layer's output: one sum for each
  /// layer that reads the output, except the first.
  [[nodiscard]] double gradient_sum_seconds(LayerId layer) const;

  /// Returns the seconds of backward-data of a conv that reads the network's input. Graphs omit this
  /// task, which some frameworks run. Precondition: the layer is a conv.
  [[nodiscard]] double input_gradient_seconds(LayerId layer) const;

 private:
  [[nodiscard]] const LayerModel& model_of(LayerId layer) const;
  [[nodiscard]] Dtype type_of(const LayerModel& model) const;
  [[nodiscard]] double output_bytes(const LayerModel& model) const;
  [[nodiscard]] double casts(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double streaming(double bytes, double kernels) const;
  [[nodiscard]] double convolution(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] ConvolutionMethods methods(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double products(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double fused_products(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double recurrent(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double beside_products(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double pool_loops(const LayerModel& model, bool forward) const;
  [[nodiscard]] double draws(const LayerModel& model) const;
  [[nodiscard]] double bias(const LayerModel& model, TaskKind kind) const;
  [[nodiscard]] double update(const Task& task) const;
  [[nodiscard]] double elementwise(const Layer& layer, const Task& task) const;
  [[nodiscard]] double kernels(const Task& task) const;
  [[nodiscard]] double walks(const EagerWalk& walk) const;
  [[nodiscard]] double metrics(const Layer& layer) const;

  const TrainingGraph& graph_;
  const KernelPlatform& platform_;
  double batch_;
  RunMode mode_;
  bool remakes_copies_;
  std::vector<int> readers_;  ///< by layer: number of layers that read its output
  /// Seconds of products by m, n, k, count, type, row_start and is_forward, since blocks repeat. Not thread-safe.
  mutable std::map<std::tuple<double, double, double, double, Dtype, std::int64_t, bool>, double>
      linear_;
};

}  // namespace ooc
