// Remarks and progress for people on standard error; results never go there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

namespace ooc {

/// Whether remarks are printed. kQuiet: no, by --quiet.
enum class Remarks { kShown, kQuiet };
/// Prints "ooc-paleo: <text>", cut after 4,000 bytes and folded to the terminal's width.
void remark(Remarks remarks, std::string_view text);
/// Prints "ooc-paleo: remark: <file>: <text>"; nothing if `text` is empty.
void remark_on(Remarks remarks, std::string_view file, std::string_view text);
/// Prints warnings about a machine: implausible numbers of the profile; and that it has several devices,
/// if `devices` (--devices) is 1.
void remark_on_machine(Remarks remarks, const Machine& machine, int devices);

/// Prints Network::remark, training_remark() and stated_weights_remark(). `but`: argument of training_remark().
void remark_on_training(Remarks remarks, const Workload& workload, const CaseOptions& options,
                        std::string_view but = {});

/// Prints dtype_remark() of every network on every machine, each text once.
void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options);

/// Returns 0 (unlimited) if `descriptor` is no terminal; else COLUMNS, if unset its width; then at least 60.
[[nodiscard]] std::size_t width_of(int descriptor);
/// Returns width_of(standard output) for "-", 0 for files.
[[nodiscard]] std::size_t width_for(const std::string& output);

}  // namespace ooc
