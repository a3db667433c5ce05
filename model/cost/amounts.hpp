// Exact integer counts of a job at a batch: FLOPs and memory traffic of each task, bytes of each
// tensor. Counts of one sample are multiplied by the batch only here. Counts that pass tensor_sizes
// and check_work cannot overflow in later sums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/units.hpp"
#include "model/graph/training_graph.hpp"
#include "model/layers/wide.hpp"

namespace ooc {

/// Model of task times, with its own counts of FLOPs and bytes (docs/model.md, 1).
enum class ComputeModel {
  kNative,  ///< sums of kernels; without an architecture launch + max(flops / rate, bytes / rate)
  kPaleo,   ///< PALEO: flops / peak + bytes / bandwidth, with PALEO's counts and GB/s read as GiB/s
};

/// FLOPs and bytes of one task.
struct Amount {
  Wide flops;
  Wide bytes;  ///< bytes of GPU memory traffic
};
[[nodiscard]] Amount amount_of(const TrainingGraph& graph, const Task& task, ComputeModel model,
                               std::int64_t batch);

/// Returns the bytes that the task needs beside its tensors, alike for all compute models. Throws
/// SpecError for 2^48 or more.
[[nodiscard]] Bytes workspace_of(const TrainingGraph& graph, const Task& task, std::int64_t batch);

/// Returns the bytes of each tensor. Throws SpecError for a tensor of 2^48 bytes or more, and for
/// 2^56 or more of all tensors and static bytes together.
[[nodiscard]] std::vector<Bytes> tensor_sizes(const TrainingGraph& graph, std::int64_t batch);

/// Throws SpecError if the MACs of forward or the FLOPs of the iteration, all tasks together, exceed 63 bits.
void check_work(const TrainingGraph& graph, ComputeModel model, std::int64_t batch);

/// Returns the FLOPs of one task. Throws SpecError if the number exceeds 63 bits.
[[nodiscard]] std::int64_t task_flops(const TrainingGraph& graph, TaskId task, ComputeModel model,
                                      std::int64_t batch);

/// Returns `sum` as Bytes. Throws SpecError if `sum` exceeds 63 bits. `what`: unit of `sum`, for the message.
[[nodiscard]] Bytes countable_bytes(Wide sum, const TrainingGraph& graph, std::string_view what);

/// Throws SpecError at --batch for a batch or network too large to count, with the network's name as file.
[[noreturn]] void too_large_to_count(const TrainingGraph& graph, const std::string& found,
                                     const std::string& expected);

}  // namespace ooc
