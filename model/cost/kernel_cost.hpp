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

  /// Returns seconds on the device, without host time; 0 for `custom` layers, which state their times.
  [[nodiscard]] double seconds(const Task& task) const;

  /// Seconds of a convolution's task by method. `beside`: launch, bias and casts, to be added to each.
  struct ConvolutionMethods {
    ConvolutionTimes times;
    double beside = 0;
  };
  [[nodiscard]] ConvolutionMethods convolution_methods(const Task& task) const;

  /// Returns the seconds to sum the gradients of a layer's output: one sum for each reader after the
  /// first, without launch.
  [[nodiscard]] double gradient_sum_seconds(LayerId layer) const;

  /// Returns the seconds of backward-data for a convolution on the network's input. Graphs omit
  /// this task; some frameworks run it.
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
  /// Cache of product times by m, n, k, count, type, start of rows, pass, since blocks repeat. Not thread-safe.
  mutable std::map<std::tuple<double, double, double, double, Dtype, std::int64_t, bool>, double>
      linear_;
};

}  // namespace ooc
