// JSON for what the protocol carries: texts of bytes, and objects of them.
#pragma once

#include <string_view>

#include "calibrate/session/protocol.hpp"
#include "model/base/json_writer.hpp"

namespace ooc {

/// Values of the protocol are bytes: those that are no printable ASCII are written as the Latin-1
/// characters \u0080 to \u00ff, which the reader of samples takes back as bytes.
[[nodiscard]] JsonText json_bytes(std::string_view bytes);
/// An object of such texts.
void put_texts(JsonWriter& json, std::string_view its_key, const KeyValues& values);

}  // namespace ooc
