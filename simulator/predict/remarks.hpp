// Remarks on unexpected properties of a prediction: several devices of which one is simulated, batch norms of
// micro-batches, float32 on machines where frameworks use the faster TF32, and copies of 16-bit weights in the peak.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost/compute_cost.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/software/framework.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Returns "/devices: 2 devices, of which one is simulated; --devices N splits the batch".
[[nodiscard]] std::string devices_remark(int devices);
/// Returns the remark for a schedule that moves tensors on a machine whose GPU and host share one memory.
[[nodiscard]] std::string one_pool_remark(const HardwareProfile& hardware);
/// Returns the settings taken from the network file: "where no flag says other: batch 1, seq 4096, optimizer adam".
/// Unset: none, or the file states neither optimiser nor precision. `but`: name of a setting to leave out.
[[nodiscard]] std::optional<std::string> training_remark(const Network& network,
                                                         const CaseOptions& options,
                                                         std::string_view but = {});
/// Returns the remark for a plan made for less than the budget, so that the caching allocator has a margin.
[[nodiscard]] std::string margin_remark(Bytes planned_for, Bytes budget);
/// Returns the remark for a plan with static gradients where the framework would free them.
[[nodiscard]] std::string kept_gradients_remark();
/// Returns the remark for batch norms in micro-batches of `sub_batch` samples.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// Returns the remark on the number format: float32 where frameworks use TF32, bytes a parameter in 16 bits, a format
/// without tensor cores. Unset: none applies. `hardware` null: no machine.
[[nodiscard]] std::optional<std::string> dtype_remark(const Network& network,
                                                      const HardwareProfile* hardware,
                                                      const CaseOptions& options);

/// Returns the remark on weights of a layer that states its times, which take no part in moving or sharding state or in
/// adapters. Unset: there are none, or nothing of that is asked for.
[[nodiscard]] std::optional<std::string> stated_weights_remark(const Network& network,
                                                               const CaseOptions& options);

// Layers of type `custom` may state times for a batch, not for a sample. At another batch their
// cost is unknown. If the file states no batch, the times are used as they are, with a remark.

/// Throws SpecError if a layer without --layer-times states times for the file's batch and `compute` has another.
void check_stated_times(const Workload& workload, const ComputeOptions& compute);
/// Throws SpecError if a layer states times for the file's batch, since a search over batches needs costs at any.
void check_any_batch(const Workload& workload);

/// Returns a remark if the file states no batch, but a layer states times for one; else, or at batch 1, empty.
[[nodiscard]] std::string stated_times_remark(const Workload& workload,
                                              const ComputeOptions& compute);
/// Returns the remark for a job of several batches; empty if the file states a batch, or no layer states times for one.
[[nodiscard]] std::string stated_times_remark(const Workload& workload);

// Kind of job by which measured errors are counted: which data move, type of network, number format.

/// Returns a kind such as "activations to the host, transformers, 16 bits, on hopper". `run` tells whether tensors were
/// copied out, and whether launches took over a quarter of the time ("..., launch-bound, on hopper"). Null: copies are
/// assumed if the schedule may move tensors.
[[nodiscard]] std::string job_kind(const Case& which, const Schedule& schedule,
                                   const RunReport* run = nullptr);

/// Returns the entry of a kind named by job_kind(), if that has 3 figures or more. Else the entry of the kind without
/// ", on MACHINE", then without ", launch-bound". Returns `figures` 0 if the table has none of these.
[[nodiscard]] MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table,
                                            std::string_view kind);

// Assumed numbers of a profile on which a prediction depends, for warnings in reports.

/// Returns the profile's assumed fields in use, without those of other transfer modes or compute models, or replaced by
/// a flag (--memory, --link, --latency, --far-throughput). The framework's ("framework.host_issue") follow.
[[nodiscard]] std::vector<std::string> assumed_in_use(const HardwareProfile& hardware,
                                                      const RunInputs& inputs,
                                                      const Framework& framework = {});

}  // namespace ooc
