// Reader of the network format, version 1 (docs/formats.md, 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/base/dtype.hpp"
#include "model/base/spec_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// Throws SpecError naming file, JSON pointer, found and expected. Checks `expect`. `dtype`: instead of the
/// file's.
[[nodiscard]] Network read_network(const SpecDocument& document, std::optional<Dtype> dtype = {});
[[nodiscard]] Network read_network_file(const std::string& path, const ReadLimits& limits = {},
                                        std::optional<Dtype> dtype = {});
[[nodiscard]] Network read_network_text(std::string_view text, const std::string& file);

}  // namespace ooc
