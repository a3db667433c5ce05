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

/// Model of task times, with its rules for counting (docs/model.md, 1).
enum class ComputeModel {
  kNative,  ///< sums of kernels, or launch + max(flops / rate, bytes / rate); compute_cost.hpp
  kPaleo,   ///< PALEO: flops / peak + bytes / bandwidth, PALEO's counts; reads GB/s as GiB/s
};

/// FLOPs and bytes of one task.
struct Amount {
  Wide flops;
  Wide bytes;  ///< bytes of GPU memory traffic
};
[[nodiscard]] Amount amount_of(const TrainingGraph& graph, const Task& task, ComputeModel model,
                               std::int64_t batch);

/// Returns the bytes that the task needs beside its tensors, in any compute model. Throws SpecError
/// for 2^48 or more.
[[nodiscard]] Bytes workspace_of(const TrainingGraph& graph, const Task& task, std::int64_t batch);

/// Returns bytes by tensor. Throws SpecError for a tensor of 2^48 bytes or more, and for 2^56 or
/// more in all, static bytes included.
[[nodiscard]] std::vector<Bytes> tensor_sizes(const TrainingGraph& graph, std::int64_t batch);

/// Throws SpecError, with the sum as found, if MACs of forward or FLOPs of the iteration exceed 63 bits.
void check_work(const TrainingGraph& graph, ComputeModel model, std::int64_t batch);

/// Returns the FLOPs of one task at a batch; throws SpecError if they exceed 63 bits.
[[nodiscard]] std::int64_t task_flops(const TrainingGraph& graph, TaskId task, ComputeModel model,
                                      std::int64_t batch);

/// Returns the sum as Bytes; throws SpecError that names `what` if it exceeds 63 bits.
[[nodiscard]] Bytes countable_bytes(Wide sum, const TrainingGraph& graph, std::string_view what);

/// Throws SpecError at --batch for a job too large to count; SpecError::Parts::file is the network's name.
[[noreturn]] void too_large_to_count(const TrainingGraph& graph, const std::string& found,
                                     const std::string& expected);

}  // namespace ooc
