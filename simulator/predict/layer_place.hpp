// Where a layer is written, for errors that are found behind the reader.
#pragma once

#include <string>

#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

/// `error` about the layer called `layer` (copies of repeats as "block/3/conv"), at its `key` in `file`
/// with JSON pointer and line; `error` itself, about `file`, where the file has no such place.
[[noreturn]] void throw_at_layer(const std::string& file, const ReadLimits& limits,
                                 const std::string& layer, std::string_view key,
                                 const SpecError& error);

}  // namespace ooc
