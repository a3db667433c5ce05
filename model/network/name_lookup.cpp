// Names to places.
#include "model/network/name_lookup.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>

namespace ooc {
namespace {

/// Takes the text up to the next '/' off the front of `path`; none when nothing is left.
std::optional<std::string_view> next_part(std::optional<std::string_view>& path) {
  if (!path) return std::nullopt;
  const std::size_t slash = path->find('/');
  const std::string_view part = path->substr(0, slash);
  path = slash == std::string_view::npos ? std::nullopt : std::optional(path->substr(slash + 1));
  return part;
}

std::optional<std::int64_t> parse_copy(std::string_view text, std::int64_t times) {
  std::int64_t copy = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), copy);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || copy < 0 || copy >= times) return std::nullopt;
  return copy;
}

const Entry* find_entry(const EntryBlock& block, std::string_view name) {
  const auto place = block.entry_of_name.find(name);
  return place == block.entry_of_name.end() ? nullptr : &block.entries[place->second];
}

/// Offset, in its block, of the layer that `path` names: "conv", or "repeat/2/conv", or deeper.
std::optional<std::int64_t> find_offset(const EntryBlock& outer, std::string_view name) {
  std::optional<std::string_view> path = name;
  const EntryBlock* block = &outer;
  std::int64_t base = 0;
  while (true) {
    const Entry* entry = find_entry(*block, *next_part(path));
    if (entry == nullptr) return std::nullopt;
    base += entry->offset;
    const std::optional<std::string_view> copy_text = next_part(path);
    if (!copy_text) return base + entry->layer_count() - 1;
    if (!entry->body || !path) return std::nullopt;
    const std::optional<std::int64_t> copy = parse_copy(*copy_text, entry->times);
    if (!copy) return std::nullopt;
    block = entry->body.get();
    base += *copy * block->layer_count;
  }
}

[[noreturn]] void fail_unknown(const SpecView& name, const std::string& expected,
                               const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_word(name.as_text(), known);
  name.fail(name.found(), expected, nearest ? fmt::format("did you mean \"{}\"?", *nearest) : "");
}

}  // namespace

std::optional<Reference> NameLookup::find(std::string_view name) const {
  if (name == "@input" && blocks_.size() > 1) return EnteringReference{};
  for (std::size_t up = 0; up < blocks_.size(); ++up) {
    const EntryBlock& block = *blocks_[blocks_.size() - 1 - up];
    // The first block that knows the first part decides, even if the rest then fits nowhere.
    if (find_entry(block, name.substr(0, name.find('/'))) == nullptr) continue;
    const std::optional<std::int64_t> offset = find_offset(block, name);
    if (!offset) return std::nullopt;
    return LayerReference{.blocks_up = up, .offset = *offset};
  }
  for (std::size_t i = 0; i < inputs_->size(); ++i) {
    if ((*inputs_)[i] == name) return NetworkInputReference{make_id<InputId>(i)};
  }
  return std::nullopt;
}

Reference NameLookup::resolve(const SpecView& name) const {
  const std::string text = name.as_text();
  if (const std::optional<Reference> reference = find(text)) return *reference;
  if (text == "@input") name.fail("\"@input\"", "a producer's name", "only inside a repeat");
  std::vector<std::string> known = *inputs_;
  for (std::string& layer : known_layers()) known.push_back(std::move(layer));
  if (blocks_.size() > 1) known.emplace_back("@input");
  fail_unknown(name, "the name of a layer or of an input of the network", known);
}

LayerReference NameLookup::resolve_layer(const SpecView& name) const {
  const std::optional<Reference> reference = find(name.as_text());
  if (reference && std::holds_alternative<LayerReference>(*reference)) {
    return std::get<LayerReference>(*reference);
  }
  fail_unknown(name, "the name of a layer", known_layers());
}

std::vector<std::string> NameLookup::known_layers() const {
  std::vector<std::string> known;
  for (const EntryBlock* block : blocks_) {
    for (const Entry& entry : block->entries) known.push_back(entry.name);
  }
  return known;
}

}  // namespace ooc
