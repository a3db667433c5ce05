// Remarks for people on standard error; results never go there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {

/// Whether they are wanted (--quiet).
enum class Remarks { kShown, kQuiet };
/// "ooc-paleo: <text>" as one line.
void remark(Remarks remarks, std::string_view text);
/// "ooc-paleo: remark: <file>: <text>"; nothing where there is no text.
void remark_on(Remarks remarks, std::string_view file, std::string_view text);
/// What a profile says that a prediction may be wrong for: implausible numbers; and that only one device is
/// simulated of several (`devices`: of --devices).
void remark_on_machine(Remarks remarks, const Machine& machine, int devices);

/// training_remark().
void remark_on_training(Remarks remarks, const Workload& workload, const CaseOptions& options,
                        std::string_view but = {});

/// dtype_remark() of every network on every machine, each text once.
void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options);

}  // namespace ooc
