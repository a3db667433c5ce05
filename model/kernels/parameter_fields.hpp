// Table of an architecture's numbers by name with plausible ranges, for the reader and writer of
// architecture files and for the fit.
#pragma once

#include <span>
#include <string_view>

#include "model/kernels/platform.hpp"

namespace ooc {

struct ParameterField {
  std::string_view section;  ///< such as "simt"; empty at the top level
  std::string_view name;
  double lowest;
  double highest;
  double neutral;  ///< start value of a fit that is independent of earlier fits
  /// Precondition for section "tensor": the architecture has tensor cores.
  double& (*of)(ArchitectureParameters&);
};

/// All fitted or assumed ratios and counts. Sustained shares and times are not among them.
[[nodiscard]] std::span<const ParameterField> parameter_fields();
/// Field by dotted path, "simt.wide_tiles"; null if unknown.
[[nodiscard]] const ParameterField* find_parameter_field(std::string_view path);

}  // namespace ooc
