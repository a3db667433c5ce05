// How much a job does and holds at a batch, in exact integers: the FLOPs and the traffic of each task,
// the bytes of each tensor. The one place where counts of one sample are multiplied by the batch and
// added up over the network before anything else is worked out: what passes tensor_sizes and
// check_work cannot wrap in a later sum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"
#include "model/graph/training_graph.hpp"
#include "model/layers/wide.hpp"

namespace ooc {

/// Whose counts and whose formula for times (docs/model.md, 1).
enum class ComputeModel {
  kNative,  ///< launch + max(flops / (peak x efficiency), bytes / (near throughput x efficiency))
  kPaleo,   ///< flops / peak + bytes / bandwidth, PALEO's counts, GB/s taken as GiB/s
};

/// What a task works on.
struct Amount {
  Wide flops;
  Wide bytes;  ///< near-memory traffic
};
[[nodiscard]] Amount amount_of(const TrainingGraph& graph, const Task& task, ComputeModel model,
                               std::int64_t batch);

/// What a task needs beside its tensors; below 2^48 bytes. It is the layer's own, whichever model gives
/// the times.
[[nodiscard]] Bytes workspace_of(const TrainingGraph& graph, const Task& task, std::int64_t batch);

/// By tensor. Throws SpecError where one has 2^48 bytes or more, or all of them and the static bytes
/// 2^56 or more.
[[nodiscard]] std::vector<Bytes> tensor_sizes(const TrainingGraph& graph, std::int64_t batch);

/// Throws SpecError, with the sum that is too large, unless the MACs of the forward pass and the FLOPs of
/// the iteration fit 63 bits.
void check_work(const TrainingGraph& graph, ComputeModel model, std::int64_t batch);

/// FLOPs of one task at a batch under a compute model.
[[nodiscard]] std::int64_t task_flops(const TrainingGraph& graph, TaskId task, ComputeModel model,
                                      std::int64_t batch);

/// A sum of bytes in 63 bits, else the error that says `what` are too many.
[[nodiscard]] Bytes countable_bytes(Wide sum, const TrainingGraph& graph, std::string_view what);

/// The error about a job that is too large to count: the file is the network's name, the place --batch.
[[noreturn]] void too_large_to_count(const TrainingGraph& graph, const std::string& found,
                                     const std::string& expected);

}  // namespace ooc
