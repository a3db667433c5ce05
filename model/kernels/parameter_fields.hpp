// The numbers of an architecture by name, with the range that makes sense: what the reader of
// architecture files, its writer and the fit walk over.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/kernels/platform.hpp"

namespace ooc {

struct ParameterField {
  std::string_view section;  ///< "simt"; empty at the top
  std::string_view name;
  double lowest;
  double highest;
  double neutral;  ///< where a fit begins that shall not depend on earlier ones
  /// Precondition for section "tensor": the architecture has tensor cores.
  double& (*of)(ArchitectureParameters&);
};

/// All but the sustained shares and times: ratios and counts, each a fitted or assumed number.
[[nodiscard]] std::span<const ParameterField> parameter_fields();
/// By dotted path, "simt.wide_tiles"; none for an unknown one.
[[nodiscard]] const ParameterField* find_parameter_field(std::string_view path);

}  // namespace ooc
