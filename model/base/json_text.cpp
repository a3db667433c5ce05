// A value tree as JSON text, for files that people will read and edit: what fits on a line stays on
// one. Numbers are written as they were read (or as the caller put them), never through a double.
#include <string>

#include "model/base/json_writer.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

constexpr std::size_t kLineLength = 100;

/// In one line; cut off, and of no use, once `line` is longer than `room`.
void put_in_line(const SpecNode& node, std::size_t room, std::string& line, JsonWriter& json) {
  if (line.size() > room) return;
  switch (node.type) {
    case SpecType::kNull:
      json.value(nullptr);
      break;
    case SpecType::kBoolean:
      json.value(node.boolean);
      break;
    case SpecType::kNumber:
      json.value(JsonText{node.text});
      break;
    case SpecType::kText:
      json.value(node.text);
      break;
    case SpecType::kList:
      json.begin_list();
      for (const SpecNode& item : node.items) put_in_line(item, room, line, json);
      json.end();
      break;
    case SpecType::kObject:
      json.begin_object();
      for (const auto& [key, value] : node.members) {
        if (line.size() <= room) put_in_line(value, room, line, json.key(key));
      }
      json.end();
      break;
  }
}

/// Behind `taken` characters of the line.
void put(const SpecNode& node, std::size_t depth, std::size_t taken, JsonWriter& json) {
  const bool is_list = node.type == SpecType::kList;
  const bool is_scalar = !is_list && node.type != SpecType::kObject;
  if (is_scalar || (depth > 0 && taken < kLineLength)) {
    const std::size_t room = is_scalar ? std::string::npos : kLineLength - taken;
    std::string line;
    JsonWriter in_line(line, JsonLayout::kPadded);
    put_in_line(node, room, line, in_line);
    if (line.size() <= room) {
      json.value(JsonText{std::move(line)});
      return;
    }
  }
  const std::size_t begin = 2 * (depth + 1) + 1;  // with the comma behind the value
  is_list ? json.begin_list() : json.begin_object();
  for (const SpecNode& item : node.items) put(item, depth + 1, begin, json);
  for (const auto& [key, value] : node.members) {
    put(value, depth + 1, begin + json_string(key).size() + 2, json.key(key));
  }
  json.end();
}

}  // namespace

std::string json_text(const SpecNode& node) {
  std::string out;
  JsonWriter json(out);
  put(node, 0, 0, json);
  return std::move(out) + "\n";
}

}  // namespace ooc
