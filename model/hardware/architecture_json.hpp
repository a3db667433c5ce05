// Reader and writer of architecture files (hwprofiles/architectures/*.json, docs/formats.md, 3.1):
// fitted kernel numbers with their provenance. Written files read back equal.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"
#include "model/hardware/architecture.hpp"

namespace ooc {

[[nodiscard]] Architecture read_architecture(const SpecDocument& document);
/// Reads an architecture inside another file.
[[nodiscard]] Architecture read_architecture(const SpecView& view);
[[nodiscard]] Architecture read_architecture_file(const std::string& path,
                                                  const ReadLimits& limits = {});
[[nodiscard]] Architecture read_architecture_text(std::string_view text, const std::string& file);

/// Returns indented JSON with a final newline.
[[nodiscard]] std::string write_architecture(const Architecture& architecture);
/// Returns the architecture as a value for another file.
[[nodiscard]] SpecNode architecture_node(const Architecture& architecture);

}  // namespace ooc
