// Values without a place in a file.
#include "model/base/spec_nodes.hpp"

#include <fmt/format.h>

namespace ooc {
namespace {

SpecNode node_of(SpecType type) {
  SpecNode node;
  node.type = type;
  return node;
}

}  // namespace

SpecNode boolean_node(bool value) {
  SpecNode node = node_of(SpecType::kBoolean);
  node.boolean = value;
  return node;
}

SpecNode number_node(double value) {
  SpecNode node = node_of(SpecType::kNumber);
  node.number = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode integer_node(std::int64_t value) {
  SpecNode node = node_of(SpecType::kNumber);
  node.number = static_cast<double>(value);
  node.integer = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode text_node(std::string_view text) {
  SpecNode node = node_of(SpecType::kText);
  node.text = text;
  return node;
}

SpecNode list_node(std::vector<SpecNode> items) {
  SpecNode node = node_of(SpecType::kList);
  node.items = std::move(items);
  return node;
}

SpecNode object_node(std::vector<std::pair<std::string, SpecNode>> members) {
  SpecNode node = node_of(SpecType::kObject);
  node.members = std::move(members);
  return node;
}

void put(SpecNode& object, std::string key, SpecNode value) {
  object.members.emplace_back(std::move(key), std::move(value));
}

}  // namespace ooc
