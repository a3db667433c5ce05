// Reader and writer of architecture files (hwprofiles/architectures/*.json, docs/formats.md, 3.1): the
// fitted numbers of kernels, each with its provenance. What the writer writes, the reader reads back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"
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

[[nodiscard]] Architecture read_architecture(const SpecDocument& document);
[[nodiscard]] Architecture read_architecture_file(const std::string& path,
                                                  const ReadLimits& limits = {});
[[nodiscard]] Architecture read_architecture_text(std::string_view text, const std::string& file);

/// Pretty-printed JSON with a final newline.
[[nodiscard]] std::string write_architecture(const Architecture& architecture);

}  // namespace ooc
