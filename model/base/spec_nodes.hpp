// Constructors of JSON values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_tree.hpp"

namespace ooc {

[[nodiscard]] SpecNode boolean_node(bool value);
/// Returns a number with enough digits to read back equal.
[[nodiscard]] SpecNode number_node(double value);
[[nodiscard]] SpecNode integer_node(std::int64_t value);
[[nodiscard]] SpecNode text_node(std::string_view text);
[[nodiscard]] SpecNode list_node(std::vector<SpecNode> items);
[[nodiscard]] SpecNode object_node(std::vector<std::pair<std::string, SpecNode>> members);
/// Appends a member.
void put(SpecNode& object, std::string key, SpecNode value);

}  // namespace ooc
