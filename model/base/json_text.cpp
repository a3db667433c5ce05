// A value tree as JSON text, for files that people will read and edit: what fits on a line stays on
// one. Numbers are written as they were read (or as the caller put them), never through a double.
#include <string>

#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

constexpr std::size_t kLineLength = 100;

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string scalar(const SpecNode& node) {
  switch (node.type) {
    case SpecType::kBoolean:
      return node.boolean ? "true" : "false";
    case SpecType::kNumber:
      return node.text;
    case SpecType::kText:
      return json_string(node.text);
    case SpecType::kNull:
    case SpecType::kList:
    case SpecType::kObject:
      break;
  }
  return "null";
}

/// Appends the value in one line to `out`; false, and `out` of no use, once it is longer than
/// `room`.
bool append_in_line(const SpecNode& node, std::size_t room, std::string& out) {
  const std::size_t limit = out.size() + room;
  const auto left = [&] { return limit > out.size() ? limit - out.size() : 0; };
  if (node.type == SpecType::kList) {
    out += '[';
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) out += ", ";
      if (!append_in_line(node.items[i], left(), out)) return false;
    }
    out += ']';
  } else if (node.type == SpecType::kObject) {
    out += node.members.empty() ? "{" : "{ ";
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      out += (i > 0 ? ", " : "") + json_string(node.members[i].first) + ": ";
      if (!append_in_line(node.members[i].second, left(), out)) return false;
    }
    out += node.members.empty() ? "}" : " }";
  } else {
    out += scalar(node);
  }
  return out.size() <= limit;
}

void append(const SpecNode& node, std::size_t indent, std::size_t used, std::string& out) {
  std::string line;
  const bool container = node.type == SpecType::kList || node.type == SpecType::kObject;
  const std::size_t taken = indent + used + 1;
  if (!container) {
    out += scalar(node);
    return;
  }
  if (indent > 0 && taken < kLineLength && append_in_line(node, kLineLength - taken, line)) {
    out += line;
    return;
  }
  const bool list = node.type == SpecType::kList;
  const std::string margin(indent + 2, ' ');
  out += list ? '[' : '{';
  const std::size_t count = list ? node.items.size() : node.members.size();
  for (std::size_t i = 0; i < count; ++i) {
    out += (i > 0 ? ",\n" : "\n") + margin;
    const std::string key = list ? "" : json_string(node.members[i].first) + ": ";
    out += key;
    append(list ? node.items[i] : node.members[i].second, indent + 2, key.size(), out);
  }
  out += "\n" + std::string(indent, ' ') + (list ? "]" : "}");
}

}  // namespace

std::string json_text(const SpecNode& node) {
  std::string out;
  append(node, 0, 0, out);
  return out + "\n";
}

}  // namespace ooc
