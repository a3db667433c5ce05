// One line of the measuring program's protocol (docs/gpu-protocol.md): a word, then key=value pairs
// with percent-encoded values. What is not of this form is an error with a reason, never a guess.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ooc {

/// Keys with their decoded values, in the order of the line.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// The value of `key`, or none.
[[nodiscard]] std::optional<std::string> find_value(const KeyValues& values, std::string_view key);
/// Numbers; none where the key is absent or its value is no such number.
[[nodiscard]] std::optional<long long> find_integer(const KeyValues& values, std::string_view key);
[[nodiscard]] std::optional<double> find_number(const KeyValues& values, std::string_view key);
/// Replaces the value of `key`, or appends it.
void set_value(KeyValues& values, std::string_view key, std::string value);

struct ProtocolLine {
  std::string word;
  KeyValues values;
};

/// Why a line is none of the protocol.
struct NotProtocol {
  std::string reason;
};

inline constexpr std::size_t kMaxProtocolLine = 4096;

/// `text` is without its line end.
[[nodiscard]] std::variant<ProtocolLine, NotProtocol> parse_protocol_line(std::string_view text);

/// With the line end.
[[nodiscard]] std::string format_protocol_line(const ProtocolLine& line);

}  // namespace ooc
