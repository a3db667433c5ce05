// Fitted kernel numbers that machines of one generation share, each with its source.
#pragma once

#include <string>
#include <vector>

#include "model/hardware/provenance.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct Architecture {
  std::string name;  ///< such as "volta"
  std::string description;
  ArchitectureParameters parameters;
  std::vector<Provenance> provenance;
  /// Dotted paths of numbers that no fit covers, as in HardwareProfile::assumed.
  std::vector<std::string> assumed;
};

}  // namespace ooc
