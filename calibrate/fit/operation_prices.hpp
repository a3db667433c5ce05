// What the model says a measured operation takes, and the words that tables and reports have for it.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/fit/operations_csv.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct FitMachine {
  std::string architecture;  ///< "volta"
  KernelMachine machine;
};

/// Seconds of the kernels themselves: without what measuring them adds.
[[nodiscard]] double work_seconds(const MeasuredOperation& operation,
                                  const KernelPlatform& platform);

/// Where it ran: benchmarks hand over what lies as the kernel wants it.
[[nodiscard]] KernelPlatform platform_of(const MeasuredOperation& operation,
                                         const KernelMachine& machine,
                                         const ArchitectureParameters& architecture);

/// Convolutions and products of the types that tensor cores multiply.
[[nodiscard]] bool is_tensor_operation(const MeasuredOperation& operation);

/// As in tables.
[[nodiscard]] std::string_view kind_name(OperationKind kind);
[[nodiscard]] std::string_view pass_name(OperationPass pass);

}  // namespace ooc
