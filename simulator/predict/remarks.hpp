// Remarks on unexpected properties of a prediction: several devices of which one is simulated, batch norms of
// micro-batches, float32 on machines where frameworks use the faster TF32, and copies of 16-bit weights in the peak.
#pragma once

#include <cstdint>
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

/// Returns the remark for a profile of several devices: "/devices: 2 devices, of which one is simulated; ...".
[[nodiscard]] std::string devices_remark(int devices);
/// Returns the remark for a schedule that moves tensors on a machine whose GPU and host share one memory.
[[nodiscard]] std::string one_pool_remark(const HardwareProfile& hardware);
/// Returns the settings taken from the network file: "where no flag says other: batch 1, seq 4096, optimizer adam".
/// Empty: none, or the file states neither an optimiser nor a precision that is used. `but`: a setting to leave out.
[[nodiscard]] std::string training_remark(const Network& network, const CaseOptions& options,
                                          std::string_view but = {});
/// Returns the remark for a plan made for less than the budget, which leaves a margin for the caching allocator.
[[nodiscard]] std::string margin_remark(Bytes planned_for, Bytes budget);
/// Returns the remark for a plan whose weight gradients are static, though the framework would free them.
[[nodiscard]] std::string kept_gradients_remark();
/// Returns the remark for --search 0; empty: `best` searches.
[[nodiscard]] std::string search_remark(const ScheduleOptions& options);
/// Returns the remark that batch norms use the statistics of micro-batches of `sub_batch` samples.
[[nodiscard]] std::string norms_remark(std::int64_t sub_batch);
/// Returns the remark on the number format: float32 though frameworks would use TF32; bytes a parameter in 16 bits; a
/// type without tensor cores on this machine. Empty: none applies. `hardware` null: no machine.
[[nodiscard]] std::string dtype_remark(const Network& network, const HardwareProfile* hardware,
                                       const CaseOptions& options);

/// Returns the remark that weights of a layer that states its times neither move, nor are sharded, nor get adapters.
/// Empty: no such layer has weights, or the job has neither moving or sharded states nor adapters.
[[nodiscard]] std::string stated_weights_remark(const Network& network, const CaseOptions& options);

// Layers of type `custom` may state times for a batch, not for a sample. At another batch their
// cost is unknown. If the file states no batch, the times are used as they are, with a remark.

/// Throws SpecError if a layer without --layer-times states times for the file's batch and `compute.batch` differs.
void check_stated_times(const Workload& workload, const ComputeOptions& compute);
/// Throws SpecError if a layer states times for the file's batch. A search over batches needs costs at any batch.
void check_any_batch(const Workload& workload);

/// Returns a remark if the file states no batch, but a layer without --layer-times states times for one. Empty: no such
/// layer, or batch 1.
[[nodiscard]] std::string stated_times_remark(const Workload& workload,
                                              const ComputeOptions& compute);
/// Returns the remark for a list or search of batches; empty if the file states a batch, or no layer times for one.
[[nodiscard]] std::string stated_times_remark(const Workload& workload);

// Kind of job by which measured errors are counted: which data move, type of network, number format.

/// Returns a kind such as "activations to the host, transformers, 16 bits, on hopper". `run` tells if tensors were
/// copied out, and if waits for launches took over a quarter of the time ("..., launch-bound, on hopper"). If null or
/// not feasible: copies are assumed if the schedule may move tensors.
[[nodiscard]] std::string job_kind(const Case& which, const Schedule& schedule,
                                   const RunReport* run = nullptr);

/// Returns the entry of a kind named by job_kind() if it has 3 figures or more. Else the entry of the kind without
/// ", on MACHINE", then without ", launch-bound" too. If the table has none of these, returns one with `figures` 0.
[[nodiscard]] MeasuredErrors errors_of_kind(const std::vector<MeasuredErrors>& table,
                                            std::string_view kind);

// Assumed numbers of a profile on which a prediction depends, for warnings in reports.

/// Returns the profile's assumed fields that the job uses. Left out: those of other copy modes or compute models, and
/// those that a flag replaces, such as --memory or --link. The framework's ("framework.host_issue") follow.
[[nodiscard]] std::vector<std::string> assumed_in_use(const HardwareProfile& hardware,
                                                      const RunInputs& inputs,
                                                      const Framework& framework = {});

}  // namespace ooc
