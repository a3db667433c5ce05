// Keys with their values as texts: what records of the measuring program say beside times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/json_writer.hpp"

namespace ooc {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// The value of `key`, or none.
[[nodiscard]] std::optional<std::string> find_value(const KeyValues& values, std::string_view key);
/// Numbers; none where the key is absent or its value is no such number.
[[nodiscard]] std::optional<long long> find_integer(const KeyValues& values, std::string_view key);
[[nodiscard]] std::optional<double> find_number(const KeyValues& values, std::string_view key);
/// Replaces the value of `key`, or appends it.
void set_value(KeyValues& values, std::string_view key, std::string value);
/// A JSON object of texts.
void put_texts(JsonWriter& json, std::string_view its_key, const KeyValues& values);

}  // namespace ooc
