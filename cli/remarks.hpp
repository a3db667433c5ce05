// Remarks and progress for people on standard error; results never go there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {

/// kQuiet: --quiet suppresses remarks.
enum class Remarks { kShown, kQuiet };
/// Prints "ooc-paleo: <text>" on one line.
void remark(Remarks remarks, std::string_view text);
/// Prints "ooc-paleo: remark: <file>: <text>"; nothing if `text` is empty.
void remark_on(Remarks remarks, std::string_view file, std::string_view text);
/// Prints warnings about a machine: implausible numbers of the profile, and several devices of
/// which one is simulated. `devices`: of --devices.
void remark_on_machine(Remarks remarks, const Machine& machine, int devices);

/// Prints training_remark(), and parts of the model that an import left out.
void remark_on_training(Remarks remarks, const Workload& workload, const CaseOptions& options,
                        std::string_view but = {});

/// Prints dtype_remark() of every network on every machine, each text once.
void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options);

/// Returns COLUMNS, else the columns of the terminal behind a descriptor, at least 60; 0: no
/// terminal, unlimited.
[[nodiscard]] std::size_t width_of(int descriptor);
/// Returns the width for an output; "-" is standard output.
[[nodiscard]] std::size_t width_for(const std::string& output);

}  // namespace ooc
