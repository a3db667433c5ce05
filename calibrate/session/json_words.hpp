// JSON text for what the protocol carries: texts, and objects of texts.
#pragma once

#include <string>

#include "calibrate/session/protocol.hpp"

namespace ooc {

/// In quotes; what is not printable ASCII is escaped.
[[nodiscard]] std::string json_string(const std::string& text);
[[nodiscard]] std::string json_object(const KeyValues& values);

}  // namespace ooc
