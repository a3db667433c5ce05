// Reading of `layers`: first the blocks with names, kinds and counts, then the references, since
// the order of layers need not be topological.
#include "model/network/layer_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/layers/read_layer.hpp"
#include "model/layers/work.hpp"

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

/// Look-up of producers by name while a layer tree is read: in the enclosing blocks, then among the
/// network's inputs. layer_tree.hpp gives the rules.
class NameLookup {
 public:
  /// `inputs` must outlive the look-up.
  explicit NameLookup(const InputNames& inputs) : inputs_(inputs) {}

  void enter(const EntryBlock& block) { blocks_.push_back(&block); }
  void leave() { blocks_.pop_back(); }
  [[nodiscard]] bool is_outermost() const { return blocks_.size() == 1; }

  /// Returns the producer called `name`; else throws SpecError at `name` with the nearest known name.
  [[nodiscard]] Reference resolve(const SpecView& name) const {
    const std::string text = name.as_text();
    if (const std::optional<Reference> reference = find(text)) return *reference;
    if (text == "@input") name.fail("\"@input\"", "a producer's name", "only inside a repeat");
    std::vector<std::string> known = known_layers(inputs_);
    if (blocks_.size() > 1) known.emplace_back("@input");
    fail_unknown(name, "the name of a layer or of an input of the network", known);
  }
  /// Returns the layer called `name`; network inputs do not count.
  [[nodiscard]] LayerReference resolve_layer(const SpecView& name) const {
    const std::optional<Reference> reference = find(name.as_text());
    if (reference && std::holds_alternative<LayerReference>(*reference)) {
      return std::get<LayerReference>(*reference);
    }
    fail_unknown(name, "the name of a layer", known_layers());
  }

 private:
  [[nodiscard]] std::optional<Reference> find(std::string_view name) const {
    if (name == "@input" && blocks_.size() > 1) return EnteringReference{};
    for (std::size_t up = 0; up < blocks_.size(); ++up) {
      const EntryBlock& block = *blocks_[blocks_.size() - 1 - up];
      // The first block that knows the first part decides, even if the rest then fits nowhere.
      if (find_entry(block, name.substr(0, name.find('/'))) == nullptr) continue;
      const std::optional<std::int64_t> offset = find_offset(block, name);
      if (!offset) return std::nullopt;
      return LayerReference{.blocks_up = up, .offset = *offset};
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs_[i] == name) return NetworkInputReference{make_id<InputId>(i)};
    }
    return std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> known_layers(std::vector<std::string> first = {}) const {
    for (const EntryBlock* block : blocks_)
      first = names_of(block->entries, NameOf(), std::move(first));
    return first;
  }

  const InputNames& inputs_;
  std::vector<const EntryBlock*> blocks_;  ///< enclosing blocks, outermost first
};

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

// Unrolling of repeats. Time and memory are linear in the layers that result, at most a million
// (the reader has counted them); recursion is as deep as the file nests.

namespace {

class Unroller {
 public:
  explicit Unroller(std::size_t layer_count) {
    result_.layers.reserve(layer_count);
    result_.entries.reserve(layer_count);
  }

  /// One copy of `block`. `entering` is what "@input" means in it.
  void add_copy(const EntryBlock& block, const std::string& prefix, Producer entering) {
    copy_begins_.push_back(result_.layers.size());
    for (const Entry& entry : block.entries) {
      if (entry.body) {
        add_repeat(entry, prefix + entry.name + '/', producer(entry.inputs.front(), entering));
      } else {
        add_layer(entry, prefix, entering);
      }
    }
    copy_begins_.pop_back();
  }

  [[nodiscard]] UnrolledLayers take() { return std::move(result_); }

 private:
  void add_repeat(const Entry& entry, const std::string& prefix, Producer entering) {
    for (std::int64_t copy = 0; copy < entry.times; ++copy) {
      add_copy(*entry.body, prefix + std::to_string(copy) + '/', entering);
      entering = make_id<LayerId>(result_.layers.size() - 1);
    }
  }

  void add_layer(const Entry& entry, const std::string& prefix, Producer entering) {
    Layer layer{.name = prefix + entry.name, .kind = entry.kind};
    layer.inputs.reserve(entry.inputs.size());
    for (const Reference& input : entry.inputs) layer.inputs.push_back(producer(input, entering));
    if (entry.tied_to) layer.tied_to = place_of(*entry.tied_to);
    result_.layers.push_back(std::move(layer));
    result_.entries.push_back(&entry);
  }

  [[nodiscard]] Producer producer(const Reference& reference, Producer entering) const {
    if (const auto* input = std::get_if<NetworkInputReference>(&reference)) return input->input;
    if (std::holds_alternative<EnteringReference>(reference)) return entering;
    return place_of(std::get<LayerReference>(reference));
  }

  [[nodiscard]] LayerId place_of(const LayerReference& layer) const {
    const std::size_t begin = copy_begins_[copy_begins_.size() - 1 - layer.blocks_up];
    return make_id<LayerId>(begin + static_cast<std::size_t>(layer.offset));
  }

  UnrolledLayers result_;
  std::vector<std::size_t> copy_begins_;  ///< of the copies around, outermost first
};

}  // namespace

UnrolledLayers unroll(const LayerTree& tree) {
  Unroller unroller(static_cast<std::size_t>(tree.root.layer_count));
  // Nothing enters the outermost block: the reader refuses "@input" there.
  unroller.add_copy(tree.root, "", InputId{0});
  UnrolledLayers result = unroller.take();
  OOC_CHECK(static_cast<std::int64_t>(result.layers.size()) == tree.root.layer_count,
            "as many layers as were counted");
  return result;
}

// Runs every layer's kind on the shapes that reach it. Copies of a repeat see, as a rule, the
// shapes that the copy before saw: then its result is shared instead of reading the attributes
// again, which makes a million unrolled layers a matter of about a second. So is that of the layer of
// the same kind before, where that says the same of itself: generated files repeat themselves too.

namespace {

const TensorShape& shape_of(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) return network.inputs[input->at()].shape;
  return network.layers[std::get<LayerId>(producer).at()].model->output;
}

std::string_view name_of(const Network& network, Producer producer) {
  if (const auto* input = std::get_if<InputId>(&producer)) return network.inputs[input->at()].name;
  return network.layers[std::get<LayerId>(producer).at()].name;
}

bool same_input_shapes(const Network& network, const Layer& a, const Layer& b) {
  if (a.inputs.size() != b.inputs.size()) return false;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if (shape_of(network, a.inputs[i]) != shape_of(network, b.inputs[i])) return false;
    if (network.precision &&
        bytes_per_element(network, a.inputs[i]) != bytes_per_element(network, b.inputs[i])) {
      return false;
    }
  }
  return true;
}

bool same_value(const SpecNode& a, const SpecNode& b) {
  const auto same_member = [](const auto& left, const auto& right) {
    return left.first == right.first && same_value(left.second, right.second);
  };
  return a.type == b.type && a.boolean == b.boolean && a.text == b.text &&
         std::ranges::equal(a.items, b.items, same_value) &&
         std::ranges::equal(a.members, b.members, same_member);
}

/// Whether two layers of one kind say the same of themselves, in the same order, but for their names and their producers.
bool same_attributes(const SpecNode& a, const SpecNode& b) {
  const auto attributes = [](const SpecNode& node) {
    std::vector<const std::pair<std::string, SpecNode>*> own;
    for (const auto& member : node.members) {
      if (!is_one_of(member.first, {"name", "inputs"})) own.push_back(&member);
    }
    return own;
  };
  return std::ranges::equal(attributes(a), attributes(b), [](const auto* left, const auto* right) {
    return left->first == right->first && same_value(left->second, right->second);
  });
}

LayerModel read_model(const Network& network, const Layer& layer, const Entry& entry) {
  std::vector<TensorShape> shapes;
  std::vector<std::string_view> names;
  std::vector<std::int64_t> bytes;
  for (const Producer producer : layer.inputs) {
    shapes.push_back(shape_of(network, producer));
    names.push_back(name_of(network, producer));
    if (network.precision) bytes.push_back(bytes_per_element(network, producer));
  }
  const LayerInputs inputs{.shapes = shapes,
                           .dtype = network.dtype,
                           .names = names,
                           .precision = network.precision,
                           .bytes = bytes,
                           .frozen = network.frozen,
                           .storage = network.storage,
                           .expert_parallel = network.expert_parallel};
  try {
    LayerModel model = read_layer(*layer.kind, entry.spec, inputs);
    entry.spec.reject_unknown_keys({"name", "type", "inputs"});
    return model;
  } catch (const SpecError& error) {
    const bool is_copy = layer.name != entry.name;
    if (!is_copy) throw;
    // The place in the file is the same for all copies: say which one it is.
    SpecError::Parts parts = error.parts();
    parts.hint += fmt::format("{}layer {}", parts.hint.empty() ? "" : ", ", layer.name);
    throw SpecError(std::move(parts));
  }
}

constexpr std::int64_t kWidestElement = 4;  // of what layers write where a precision is set

/// Sums over the network, in 128 bits, so that no later sum can wrap.
class Totals {
 public:
  /// No element is larger than `element_bytes`.
  explicit Totals(std::int64_t element_bytes) : element_bytes_(element_bytes) {}

  void add(const Layer& layer, const Entry& entry) {
    if (!layer.model->parts) return add(*layer.model, layer, entry);
    for (const LayerPart& part : *layer.model->parts) add(part.model, layer, entry);
  }

 private:
  void add(const LayerModel& model, const Layer& layer, const Entry& entry) {
    parameter_bytes_ += Int128{model.parameters} * element_bytes_;
    macs_ += model.forward_macs;
    output_bytes_ += elements(model.output).value() * element_bytes_;
    for (const LayerWork* work : {&model.work, &model.paleo_work}) {
      for (const TaskWork* task : {&work->forward, &work->backward_data, &work->backward_weights}) {
        work_ += Int128{task->flops_per_sample} + task->bytes_per_sample + task->bytes_fixed +
                 task->workspace_per_sample + task->workspace_fixed;
      }
    }
    if (parameter_bytes_ >= kMaxTotalBytes) fail(layer, entry, "2^56 bytes of parameters or more");
    if (output_bytes_ >= kMaxTotalBytes) {
      fail(layer, entry, "2^56 bytes of outputs a sample or more");
    }
    if (work_ > std::numeric_limits<std::int64_t>::max()) {
      fail(layer, entry, "2^63 FLOPs and bytes of traffic or more");
    }
    if (macs_ > std::numeric_limits<std::int64_t>::max()) fail(layer, entry, "2^63 MACs or more");
  }

  [[noreturn]] static void fail(const Layer& layer, const Entry& entry, std::string_view sum) {
    entry.spec.fail(fmt::format("{} in all layers up to \"{}\"", sum, layer.name),
                    "a smaller network");
  }

  std::int64_t element_bytes_;
  Int128 parameter_bytes_ = 0;
  Int128 output_bytes_ = 0;
  Int128 work_ = 0;
  Int128 macs_ = 0;
};

}  // namespace

void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network) {
  std::vector<std::optional<LayerId>> last_of_entry(entry_count);
  std::map<const LayerKind*, LayerId> last_of_kind;
  Totals totals(network.precision ? kWidestElement : dtype_info(network.dtype).bytes);
  for (const LayerId id : network.execution_order) {
    Layer& layer = network.layers[id.at()];
    const Entry& entry = *entries[id.at()];
    std::optional<LayerId>& last = last_of_entry[entry.number];
    if (!last) {
      const auto found = last_of_kind.find(layer.kind);
      const bool alike =
          found != last_of_kind.end() &&
          same_attributes(entries[found->second.at()]->spec.node(), entry.spec.node());
      if (alike) last = found->second;
    }
    if (last && same_input_shapes(network, layer, network.layers[last->at()])) {
      layer.model = network.layers[last->at()].model;
    } else {
      layer.model = std::make_shared<const LayerModel>(read_model(network, layer, entry));
    }
    last = id;
    last_of_kind.insert_or_assign(layer.kind, id);
    totals.add(layer, entry);
  }
}

// One pass over the layers each.

namespace {

std::string shape_text(const WeightMatrix& matrix) {
  return fmt::format("{}x{}", matrix.rows, matrix.columns);
}

/// `rank`: by layer, in execution order.
void check_tie(const Network& network, const std::vector<std::size_t>& rank, LayerId id,
               const Entry& entry) {
  const Layer& layer = network.layers[id.at()];
  OOC_CHECK(layer.model->is_tied && layer.model->weight_matrix, "the kind has read \"tied_to\"");
  const LayerId owner_id = *layer.tied_to;
  const Layer& owner = network.layers[owner_id.at()];
  const WeightMatrix wanted = *layer.model->weight_matrix;
  const std::string copy = layer.name == entry.name ? "" : "layer " + layer.name;
  const auto fail = [&](const std::string& what, const std::string& expected) {
    entry.spec.get("tied_to").fail(fmt::format("\"{}\"{}", owner.name, what), expected, copy);
  };
  if (owner_id == id) fail(", the layer itself", "another layer");
  if (owner.model->is_tied) {
    fail(", which is tied itself",
         fmt::format("\"{}\", whose weights they are", network.layers[owner.tied_to->at()].name));
  }
  if (!owner.model->weight_matrix) {
    fail(fmt::format(" ({})", owner.kind->name),
         fmt::format("a layer with a matrix of weights of {}", shape_text(wanted)));
  }
  if (*owner.model->weight_matrix != wanted) {
    fail(fmt::format(" with weights of {}", shape_text(*owner.model->weight_matrix)),
         fmt::format("weights of {}, as this layer's", shape_text(wanted)));
  }
  if (owner.model->is_frozen != layer.model->is_frozen) {
    fail(owner.model->is_frozen ? ", which is frozen" : ", which is not frozen",
         "both frozen or neither: they share one set of weights");
  }
  if (rank[owner_id.at()] > rank[id.at()]) {
    fail(", which runs later", "a layer that runs before this one");
  }
}

}  // namespace

void check_ties(const std::vector<const Entry*>& entries, const Network& network) {
  std::vector<std::size_t> rank(network.layers.size());
  for (std::size_t i = 0; i < network.execution_order.size(); ++i) {
    rank[network.execution_order[i].at()] = i;
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].tied_to) continue;
    check_tie(network, rank, make_id<LayerId>(i), *entries[i]);
  }
}

void find_weight_units(Network& network) {
  std::vector<std::size_t> unit_of(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::int64_t parameters = network.layers[i].model->parameters;
    if (parameters == 0) continue;
    unit_of[i] = network.units.size();
    network.units.push_back({.owner = make_id<LayerId>(i),
                             .parameters = parameters,
                             .is_frozen = network.layers[i].model->is_frozen});
  }
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (const auto owner = network.layers[i].tied_to) {
      network.units[unit_of[owner->at()]].tied.push_back(make_id<LayerId>(i));
    }
  }
}

// One pass over the layers in file order: copies, parts, and a table from old places to new ones.

namespace {

/// Where each layer's output is found after the expansion.
std::vector<LayerId> places_after(const std::vector<const Entry*>& entries,
                                  const Network& network) {
  std::vector<LayerId> places;
  places.reserve(network.layers.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const auto& parts = network.layers[i].model->parts;
    count += parts ? parts->size() : 1;
    if (count > static_cast<std::size_t>(kMaxLayers)) {
      entries[i]->spec.fail(fmt::format("{} layers once time steps are unrolled", count),
                            fmt::format("at most {}", kMaxLayers));
    }
    places.push_back(make_id<LayerId>(count - 1));
  }
  return places;
}

Producer moved(const Producer& producer, const std::vector<LayerId>& places) {
  const LayerId* layer = std::get_if<LayerId>(&producer);
  return layer == nullptr ? producer : Producer(places[layer->at()]);
}

/// `whole` has its producers moved already; its parts begin at `first`.
void add_parts(const Layer& whole, std::size_t first, std::vector<Layer>& layers) {
  for (const LayerPart& part : *whole.model->parts) {
    Layer layer{.name = part.name.empty() ? whole.name : whole.name + '/' + part.name,
                .kind = part.kind != nullptr ? part.kind : whole.kind,
                .model = {whole.model, &part.model}};
    for (const auto& input : part.inputs) {
      if (const auto* outer = std::get_if<OuterInputId>(&input)) {
        layer.inputs.push_back(whole.inputs[outer->at()]);
      } else {
        layer.inputs.push_back(make_id<LayerId>(first + std::get<PartId>(input).at()));
      }
    }
    layers.push_back(std::move(layer));
  }
}

}  // namespace

void expand_parts(const std::vector<const Entry*>& entries, Network& network) {
  const bool is_plain = std::ranges::none_of(
      network.layers, [](const Layer& layer) { return layer.model->parts != nullptr; });
  if (is_plain) return;
  const std::vector<LayerId> places = places_after(entries, network);
  std::vector<Layer> layers;
  layers.reserve(places.back().at() + 1);
  for (Layer& layer : network.layers) {
    for (Producer& producer : layer.inputs) producer = moved(producer, places);
    if (layer.tied_to) layer.tied_to = places[layer.tied_to->at()];
    if (layer.model->parts) {
      add_parts(layer, layers.size(), layers);
    } else {
      layers.push_back(std::move(layer));
    }
  }
  network.layers = std::move(layers);
  for (LayerId& output : network.outputs) output = places[output.at()];
  auto order = topological_order(network.layers);
  OOC_CHECK(std::holds_alternative<std::vector<LayerId>>(order), "parts bring no cycle");
  network.execution_order = std::get<std::vector<LayerId>>(std::move(order));
}

}  // namespace ooc
