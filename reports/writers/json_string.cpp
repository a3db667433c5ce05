// Plain words, which nearly all are, are copied; the rest is the library's business, so that a text looks
// the same in a sweep as in a prediction.
#include "reports/writers/json_string.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/base/terminal_text.hpp"

namespace ooc {

std::string json_for_terminals(const std::string& json) { return escaped_controls(json, {}, "\n"); }

std::string json_string(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (is_plain) return '"' + std::string(text) + '"';
  return json_for_terminals(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace ooc
