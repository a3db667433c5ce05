// Reader and writer of architecture files (hwprofiles/architectures/*.json, docs/formats.md, 3.1): the
// fitted numbers of kernels, each with its provenance. What the writer writes, the reader reads back.
#pragma once

#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"
#include "model/hardware/architecture.hpp"

namespace ooc {

[[nodiscard]] Architecture read_architecture(const SpecDocument& document);
/// The same as a part of another file.
[[nodiscard]] Architecture read_architecture(const SpecView& view);
[[nodiscard]] Architecture read_architecture_file(const std::string& path,
                                                  const ReadLimits& limits = {});
[[nodiscard]] Architecture read_architecture_text(std::string_view text, const std::string& file);

/// Pretty-printed JSON with a final newline.
[[nodiscard]] std::string write_architecture(const Architecture& architecture);
/// The same as a value: an object that stands by itself in another file.
[[nodiscard]] SpecNode architecture_node(const Architecture& architecture);

}  // namespace ooc
