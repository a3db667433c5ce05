// Reader of the network format, version 1 (docs/formats.md, 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/dtype.hpp"
#include "model/base/spec_tree.hpp"
#include "model/network/network.hpp"

namespace ooc {

/// What is asked of a network in place of what its file says.
struct NetworkOptions {
  ReadLimits limits = {};
  std::optional<Dtype> dtype = {};
  std::optional<std::int64_t> copies = {};  ///< of repeats that scale
};

/// Throws SpecError naming file, JSON pointer, found and expected. Checks `expect`, unless the copies are not
/// the file's.
[[nodiscard]] Network read_network(const SpecDocument& document,
                                   const NetworkOptions& options = {});
[[nodiscard]] Network read_network_file(const std::string& path,
                                        const NetworkOptions& options = {});
[[nodiscard]] Network read_network_text(std::string_view text, const std::string& file);

}  // namespace ooc
