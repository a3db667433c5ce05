// Every number of a profile must say where it comes from: a prediction is worth what its inputs
// are, and reports name the assumed ones. An entry covers the path it names and everything below
// it, with or without the `*` at its end; where several cover a number, the longest path governs.
#include "model/hardware/profile_provenance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/spec_errors.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMostRows = 1'000'000'000;
constexpr double kLargestError = 100;

constexpr SpecChoices<ProvenanceKind, 5> kKinds{{{"measured", ProvenanceKind::kMeasured},
                                                 {"datasheet", ProvenanceKind::kDatasheet},
                                                 {"published", ProvenanceKind::kPublished},
                                                 {"fitted", ProvenanceKind::kFitted},
                                                 {"assumed", ProvenanceKind::kAssumed}}};

/// "connection.modes.*" -> "connection.modes"; "*" -> "".
std::string_view without_star(std::string_view fields) {
  if (fields == "*") return "";
  if (fields.ends_with(".*")) fields.remove_suffix(2);
  return fields;
}

bool covers(std::string_view prefix, std::string_view path) {
  if (prefix.empty()) return true;
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

/// The governing entry, or none.
const Provenance* governing(const std::vector<Provenance>& entries, std::string_view path) {
  const Provenance* best = nullptr;
  std::size_t longest = 0;
  for (const Provenance& entry : entries) {
    const std::string_view prefix = without_star(entry.fields);
    if (!covers(prefix, path) || (best != nullptr && prefix.size() <= longest)) continue;
    best = &entry;
    longest = prefix.size();
  }
  return best;
}

/// Whether naming `wide` names `narrow` too: it covers it, and no entry of another kind stands between them ("connection"
/// assumed, "connection.modes" measured, "connection.modes.pinned" assumed: the last one must be named).
bool says_too(const std::vector<Provenance>& entries, const Provenance& wide,
              const Provenance& narrow) {
  const auto below = [](const Provenance& outer, const Provenance& inner) {
    const std::string_view prefix = without_star(outer.fields);
    const std::string_view path = without_star(inner.fields);
    return prefix != path && covers(prefix, path);
  };
  return below(wide, narrow) && std::ranges::none_of(entries, [&](const Provenance& entry) {
           return entry.kind != wide.kind && below(wide, entry) && below(entry, narrow);
         });
}

void check_entry(const SpecView& fields, const std::vector<Provenance>& before,
                 const std::vector<ProfileNumber>& numbers) {
  const std::string text = fields.as_text();
  const std::string_view prefix = without_star(text);
  if (prefix.empty() && text != "*") {
    fields.fail(fields.found(), "the dotted path of a number in this file, or \"*\" for all");
  }
  for (const Provenance& entry : before) {
    if (without_star(entry.fields) == prefix) {
      fields.fail(fields.found(), "each path in one entry",
                  fmt::format("{} covers the same", in_quotes(entry.fields)));
    }
  }
  std::vector<std::string> known;
  for (const ProfileNumber& number : numbers) {
    if (covers(prefix, number.path)) return;
    known.push_back(number.path);
    for (std::size_t dot = number.path.find('.'); dot != std::string::npos;
         dot = number.path.find('.', dot + 1)) {
      known.push_back(number.path.substr(0, dot));
    }
  }
  fields.fail(fields.found(), "the dotted path of a number in this file, or of a part of it",
              nearest_hint(prefix, known));
}

std::string non_empty(const SpecView& view) {
  std::string text = view.as_text();
  if (text.empty()) view.fail(view.found(), "where the numbers come from");
  return text;
}

Provenance read_entry(const SpecView& item, const std::vector<Provenance>& before,
                      const std::vector<ProfileNumber>& numbers) {
  const SpecView fields = item.get("fields");
  check_entry(fields, before, numbers);
  Provenance entry;
  entry.fields = fields.as_text();
  entry.kind = choice_of(item.get("kind"), kKinds);
  entry.source = non_empty(item.get("source"));
  if (const std::optional<SpecView> date = item.find("date")) entry.date = date->as_text();
  if (const auto from = item.find("inherits")) entry.inherits = from->as_text();
  if (const auto rows = item.find("rows")) entry.rows = rows->as_integer(1, kMostRows);
  if (const auto error = item.find("error")) entry.error = error->as_ratio(0, kLargestError);
  item.reject_unknown_keys();
  return entry;
}

}  // namespace

std::vector<Provenance> read_provenance(const SpecView& list,
                                        const std::vector<ProfileNumber>& numbers) {
  std::vector<Provenance> entries;
  ErrorCollector errors;
  for (const SpecView& item : list.items()) {
    (void)errors.attempt([&] { entries.push_back(read_entry(item, entries, numbers)); });
  }
  errors.finish();
  for (const ProfileNumber& number : numbers) {
    if (governing(entries, number.path) != nullptr) continue;
    (void)errors.attempt([&] {
      number.view.fail(
          fmt::format("{} without provenance", number.view.found()),
          fmt::format("an entry of \"provenance\" whose \"fields\" cover {}", number.path),
          "is it measured, datasheet, published or assumed?");
    });
  }
  errors.finish();
  return entries;
}

bool is_assumed_under(const std::vector<Provenance>& entries, std::string_view fields,
                      std::string_view path) {
  const Provenance* entry = governing(entries, path);
  return entry != nullptr && entry->kind == ProvenanceKind::kAssumed &&
         covers(without_star(fields), path);
}

std::vector<std::string> assumed_fields(const std::vector<Provenance>& entries,
                                        const std::vector<ProfileNumber>& numbers) {
  std::vector<const Provenance*> assumed;
  for (const Provenance& entry : entries) {
    const bool governs = std::ranges::any_of(numbers, [&](const ProfileNumber& number) {
      return governing(entries, number.path) == &entry;
    });
    if (governs && entry.kind == ProvenanceKind::kAssumed) assumed.push_back(&entry);
  }
  std::vector<std::string> fields;
  for (const Provenance* entry : assumed) {
    const bool said = std::ranges::any_of(
        assumed, [&](const Provenance* other) { return says_too(entries, *other, *entry); });
    if (!said) fields.push_back(entry->fields);
  }
  return fields;
}

SpecNode provenance_node(const std::vector<Provenance>& entries) {
  SpecNode node = list_node({});
  for (const Provenance& entry : entries) {
    SpecNode item = object_node({});
    put(item, "fields", text_node(entry.fields));
    put(item, "kind", text_node(kKinds[static_cast<std::size_t>(entry.kind)].first));
    put(item, "source", text_node(entry.source));
    if (!entry.date.empty()) put(item, "date", text_node(entry.date));
    if (!entry.inherits.empty()) put(item, "inherits", text_node(entry.inherits));
    if (entry.rows > 0) put(item, "rows", integer_node(entry.rows));
    if (entry.error > 0) put(item, "error", number_node(entry.error));
    node.items.push_back(std::move(item));
  }
  return node;
}

}  // namespace ooc
