// Nothing here knows a format.
#include "model/hardware/spec_nodes.hpp"

#include <array>
#include <charconv>

namespace ooc::spec_nodes {
namespace {

const char* kind_name(ProvenanceKind kind) {
  switch (kind) {
    case ProvenanceKind::kFitted:
      return "fitted";
    case ProvenanceKind::kMeasured:
      return "measured";
    case ProvenanceKind::kDatasheet:
      return "datasheet";
    case ProvenanceKind::kPublished:
      return "published";
    case ProvenanceKind::kAssumed:
      break;
  }
  return "assumed";
}

}  // namespace

SpecNode text(std::string value) {
  SpecNode node;
  node.type = SpecType::kText;
  node.text = std::move(value);
  return node;
}

SpecNode number(std::string digits) {
  SpecNode node;
  node.type = SpecType::kNumber;
  node.text = std::move(digits);
  return node;
}

SpecNode real(double value) {
  std::array<char, 64> buffer{};
  const std::to_chars_result end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return number(std::string(buffer.data(), end.ptr));
}

SpecNode object() {
  SpecNode node;
  node.type = SpecType::kObject;
  return node;
}

SpecNode list() {
  SpecNode node;
  node.type = SpecType::kList;
  return node;
}

void put(SpecNode& node, std::string key, SpecNode value) {
  node.members.emplace_back(std::move(key), std::move(value));
}

SpecNode provenance(const std::vector<Provenance>& entries) {
  SpecNode node = list();
  for (const Provenance& entry : entries) {
    SpecNode item = object();
    put(item, "fields", text(entry.fields));
    put(item, "kind", text(kind_name(entry.kind)));
    put(item, "source", text(entry.source));
    if (!entry.date.empty()) put(item, "date", text(entry.date));
    if (!entry.inherits.empty()) put(item, "inherits", text(entry.inherits));
    if (entry.rows > 0) put(item, "rows", number(std::to_string(entry.rows)));
    if (entry.error > 0) put(item, "error", real(entry.error));
    node.items.push_back(std::move(item));
  }
  return node;
}

}  // namespace ooc::spec_nodes
