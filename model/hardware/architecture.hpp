// What machines of a generation share: the fitted numbers of kernels, with where each comes from.
#pragma once

#include <string>
#include <vector>

#include "model/hardware/provenance.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

struct Architecture {
  std::string name;  ///< "volta"
  std::string description;
  ArchitectureParameters parameters;
  std::vector<Provenance> provenance;
  /// As HardwareProfile::assumed: what no fit on this architecture's operations covers.
  std::vector<std::string> assumed;
};

}  // namespace ooc
