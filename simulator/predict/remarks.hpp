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
/// Returns the training settings that only the network file states: "batch 1, seq 4096, precision bf16, optimizer adam
/// are ...". Unset: the file states neither precision nor optimiser. `but`: setting that a search varies, left out.
[[nodiscard]] std::optional<std::string> training_remark(const Network& network,
                                                         const CaseOptions& options,
                                                         std::string_view but = {});
/// Returns the remark for a plan that leaves the caching allocator a margin.
[[nodiscard]] std::string margin_remark(Bytes planned_for, Bytes budget);
/// Returns the remark for a plan with static gradients where the framework would free them.
[[nodiscard]] std::string kept_gradients_remark();
/// Returns the remark for batch norms under gradient accumulation.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// Returns the remark on TF32. Unset if the options ask for float32. `hardware` may be null.
[[nodiscard]] std::optional<std::string> dtype_remark(const Network& network,
                                                      const HardwareProfile* hardware,
                                                      const CaseOptions& options);

// Layers of type `custom` may state times for a batch, not for a sample. At another batch their
// cost is unknown. If the file states no batch, the times are used as they are, with a remark.

/// Throws SpecError if a layer states times for the file's batch and `compute` has another batch.
/// Layers in --layer-times are exempt, here and below.
void check_stated_times(const Workload& workload, const ComputeOptions& compute);
/// Throws SpecError for such layers, since a search over batches needs their cost at any batch.
void check_any_batch(const Workload& workload);

/// Returns "the times of layer "a" are taken for batch 64, ..."; empty if no layer states times without a batch.
[[nodiscard]] std::string stated_times_remark(const Workload& workload,
                                              const ComputeOptions& compute);
/// Returns the remark for a job that runs several batches; empty if no layer states such times.
[[nodiscard]] std::string stated_times_remark(const Workload& workload);

// Kind of job by which measured errors are counted: which data move, type of network, number format.

/// Returns "activations to the host, transformers, 16 bits, on hopper". `run`: whether it copied anything, and whether
/// the device waited for launches a quarter of the time ("..., launch-bound, on hopper"); null: what the schedule may.
[[nodiscard]] std::string job_kind(const Case& which, const Schedule& schedule,
                                   const RunReport* run = nullptr);

/// Returns the entry of a kind as job_kind() names it, if that has 3 figures or more. Else drops ", on MACHINE", then
/// ", launch-bound", and takes what is found. Returns `figures` 0 if nothing is.
[[nodiscard]] MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table,
                                            std::string_view kind);

// Assumed numbers of a profile on which a prediction depends, for warnings in reports.

/// Returns the profile's assumed fields in use, without those of other transfer modes or compute models, or replaced by
/// a flag (--memory, --link, --latency, --far-throughput). The framework's ("framework.host_issue") follow.
[[nodiscard]] std::vector<std::string> assumed_in_use(const HardwareProfile& hardware,
                                                      const RunInputs& inputs,
                                                      const Framework& framework = {});

}  // namespace ooc
