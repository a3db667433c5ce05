// Reading of `layers`: first the blocks with names, kinds and counts, then the references, since
// the order of layers need not be topological.
#include "model/network/layer_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/named.hpp"
#include "model/base/option_text.hpp"

namespace ooc {

// Look-up of producers by name while a layer tree is read: in the enclosing blocks, then among the
// network's inputs. layer_tree.hpp gives the rules.

class NameLookup {
 public:
  /// `inputs` must outlive the look-up.
  explicit NameLookup(const InputNames& inputs) : inputs_(&inputs) {}

  void enter(const EntryBlock& block) { blocks_.push_back(&block); }
  void leave() { blocks_.pop_back(); }
  [[nodiscard]] bool is_outermost() const { return blocks_.size() == 1; }

  /// Returns the producer called `name`; else throws SpecError at `name` with the nearest known name.
  [[nodiscard]] Reference resolve(const SpecView& name) const;
  /// Returns the layer called `name`; network inputs do not count.
  [[nodiscard]] LayerReference resolve_layer(const SpecView& name) const;

 private:
  [[nodiscard]] std::optional<Reference> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> known_layers() const;

  const InputNames* inputs_;
  std::vector<const EntryBlock*> blocks_;  ///< enclosing blocks, outermost first
};

// Names to places.

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
  const std::optional<std::int64_t> copy = integer_in(text);
  return copy && *copy >= 0 && *copy < times ? copy : std::nullopt;
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
  name.fail(name.found(), expected, nearest_hint(name.as_text(), known));
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

namespace {

const LayerKind* read_kind(const SpecView& type) {
  const std::string name = type.as_text();
  if (const LayerKind* kind = find_layer_kind(name)) return kind;
  if (name == "repeat") return nullptr;
  std::vector<std::string> known = names_of(layer_kinds(), NameOf(), {"repeat"});
  std::ranges::sort(known);
  (void)type.as_choice(known);  // throws: it is none of them
  return nullptr;
}

void add_name(const Entry& entry, std::size_t index, EntryBlock& block) {
  const auto [place, is_new] = block.entry_of_name.emplace(entry.name, index);
  if (is_new) return;
  entry.spec.fail(fmt::format("a second layer named \"{}\"", entry.name), "unique names",
                  fmt::format("the first is {}", block.entries[place->second].spec.pointer()));
}

class TreeReader {
 public:
  explicit TreeReader(std::optional<std::int64_t> copies) : copies_(copies) {}

  [[nodiscard]] EntryBlock read_block(const SpecView& list) {
    const std::vector<SpecView> items = list.items();
    if (items.empty()) list.fail("an empty list", "one or more layers");
    EntryBlock block;
    block.entries.reserve(items.size());  // names are viewed by entry_of_name: they must not move
    block.entry_of_name.reserve(items.size());
    for (const SpecView& item : items) {
      block.entries.push_back(read_entry(item, block.entries.size()));
      Entry& entry = block.entries.back();
      entry.offset = block.layer_count;
      block.layer_count += entry.layer_count();
      if (block.layer_count > kMaxLayers) item.fail(too_many(block.layer_count), at_most());
      add_name(entry, block.entries.size() - 1, block);
    }
    return block;
  }

  [[nodiscard]] std::size_t entry_count() const { return entry_count_; }
  [[nodiscard]] std::vector<ScalingRepeat> scaling() { return std::move(scaling_); }

 private:
  [[nodiscard]] Entry read_entry(const SpecView& item, std::size_t index) {
    Entry entry{.spec = item,
                .kind = read_kind(item.get("type")),
                .times = 1,
                .number = entry_count_++,
                .offset = 0};
    if (entry.kind != nullptr) {
      entry.name = read_name(item.get("name"));
    } else {
      const std::optional<SpecView> name = item.find("name");
      entry.name = name ? read_name(*name) : fmt::format("repeat{}", index);
      read_repeat(item, entry);
    }
    return entry;
  }

  void read_repeat(const SpecView& item, Entry& entry) {
    const SpecView times = item.get("times");
    entry.times = times.as_integer(1, kMaxTimes);
    if (item.flag("scale")) {
      entry.times = copies_.value_or(entry.times);
      scaling_.push_back({.name = entry.name, .copies = entry.times});
    }
    entry.body = std::make_unique<EntryBlock>(read_block(item.get("layers")));
    if (entry.layer_count() > kMaxLayers) times.fail(too_many(entry.layer_count()), at_most());
    item.reject_unknown_keys({"inputs"});
  }

  [[nodiscard]] static std::string too_many(std::int64_t count) {
    return fmt::format("{} layers once repeats are unrolled", count);
  }
  [[nodiscard]] static std::string at_most() { return fmt::format("at most {}", kMaxLayers); }

  std::optional<std::int64_t> copies_;
  std::vector<ScalingRepeat> scaling_;
  std::size_t entry_count_ = 0;
};

/// What an entry without "inputs" reads: the layer before, else what enters its block.
Reference default_input(const Entry& entry, bool is_outermost, const InputNames& inputs) {
  if (entry.offset > 0) return LayerReference{.blocks_up = 0, .offset = entry.offset - 1};
  if (!is_outermost) return EnteringReference{};
  if (inputs.size() == 1) return NetworkInputReference{InputId{0}};
  entry.spec.fail("a first layer without \"inputs\"",
                  fmt::format("which of the {} inputs of the network it reads", inputs.size()));
}

void resolve_entry(Entry& entry, const NameLookup& names, const InputNames& inputs) {
  const LayerTraits traits = entry.kind == nullptr ? LayerTraits{} : entry.kind->traits;
  if (traits.may_be_tied) {
    if (const auto name = entry.spec.find("tied_to")) entry.tied_to = names.resolve_layer(*name);
  }
  const std::optional<SpecView> asked = entry.spec.find("inputs");
  if (!traits.takes_inputs) {
    if (asked) asked->fail(asked->found(), "nothing here", "such a layer reads no other");
    return;
  }
  if (!asked) {
    entry.inputs.push_back(default_input(entry, names.is_outermost(), inputs));
    return;
  }
  const std::vector<SpecView> items = asked->items();
  if (items.empty()) asked->fail("an empty list", "the names of one or more producers");
  if (entry.body && items.size() != 1) {
    asked->fail(fmt::format("{} names", items.size()), "one: what enters the first copy");
  }
  entry.inputs.reserve(items.size());
  for (const SpecView& item : items) entry.inputs.push_back(names.resolve(item));
}

/// Recursion is as deep as the file nests (ReadLimits::max_depth).
void resolve_block(EntryBlock& block, NameLookup& names, const InputNames& inputs) {
  names.enter(block);
  for (Entry& entry : block.entries) {
    resolve_entry(entry, names, inputs);
    if (entry.body) resolve_block(*entry.body, names, inputs);
  }
  names.leave();
}

}  // namespace

std::int64_t Entry::layer_count() const { return body ? times * body->layer_count : 1; }

std::string read_short_text(const SpecView& name) {
  std::string text = name.as_text();
  // Characters, not bytes: continuation bytes of UTF-8 do not begin one.
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  if (characters < 1 || characters > kMaxNameCharacters) {
    name.fail(fmt::format("a name of {} characters", characters),
              fmt::format("1 to {} characters", kMaxNameCharacters));
  }
  return text;
}

std::string read_name(const SpecView& name) {
  std::string text = read_short_text(name);
  if (text.find('/') != std::string::npos || text.front() == '@') {
    name.fail(name.found(), "a name without \"/\" that does not start with \"@\"");
  }
  return text;
}

LayerTree read_layer_tree(const SpecView& layers, const InputNames& inputs,
                          std::optional<std::int64_t> copies) {
  TreeReader reader(copies);
  LayerTree tree;
  tree.root = reader.read_block(layers);
  tree.entry_count = reader.entry_count();
  tree.scaling = reader.scaling();
  for (const std::string& input : inputs) {
    const auto twin = tree.root.entry_of_name.find(input);
    if (twin == tree.root.entry_of_name.end()) continue;
    tree.root.entries[twin->second].spec.fail(fmt::format("a layer named \"{}\"", input),
                                              "a name that no input of the network has");
  }
  NameLookup names(inputs);
  resolve_block(tree.root, names, inputs);
  return tree;
}

LayerId find_layer(const LayerTree& tree, const SpecView& name) {
  const InputNames no_inputs;
  NameLookup names(no_inputs);
  names.enter(tree.root);
  // Without inputs and outside repeats nothing else can come back.
  const auto layer = std::get<LayerReference>(names.resolve(name));
  return make_id<LayerId>(static_cast<std::size_t>(layer.offset));
}

}  // namespace ooc
