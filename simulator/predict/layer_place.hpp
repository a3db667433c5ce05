// Places of layers in their file, for errors found after reading.
#pragma once

#include <string>

#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

/// Throws `error` about `layer` ("block/3/conv" for copies), with JSON pointer and line of its
/// `key` in `file`. If the file has no such place: `error` itself, about `file`.
[[noreturn]] void throw_at_layer(const std::string& file, const ReadLimits& limits,
                                 const std::string& layer, std::string_view key,
                                 const SpecError& error);

}  // namespace ooc
