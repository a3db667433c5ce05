// `layers` of a network file as written: a tree of blocks, each a list of layers and repeats. References to producers
// are resolved to places. The tree is as large as the file, whatever the repeats multiply to; unroll() makes the
// copies. Counting layers before the copies stops a small file from asking for 2^50 of them.
//
// Scoping (docs/formats.md, 2): a name is looked up in the same copy of the same block, then in the enclosing blocks,
// then among the network's inputs; an inner name may hide an outer one. A repeat's name means the last layer of its
// last copy; "@input" is the value that enters the innermost copy. From outside, a layer of copy k is
// `repeat/k/layer`. A repeat without a name is called `repeat<index>`, by its place in its list from 0. "inputs" of a
// repeat (one name) enters its first copy; default: the layer before. "scale": true marks the repeat that a deeper
// network of the same kind repeats more often.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "model/base/ids.hpp"
#include "model/base/spec_tree.hpp"
#include "model/layers/layer_kind.hpp"
#include "model/network/network.hpp"

namespace ooc {

inline constexpr std::int64_t kMaxLayers = 1'000'000;
inline constexpr std::int64_t kMaxTimes = 100'000;
inline constexpr std::size_t kMaxNameCharacters = 200;

/// Network input that an entry reads.
struct NetworkInputReference {
  InputId input;
};
/// "@input": the value that enters the entry's copy of its block.
struct EnteringReference {};
/// Layer that an entry refers to.
struct LayerReference {
  std::size_t blocks_up = 0;  ///< 0: in the entry's block; n: in the n-th block around that block
  std::int64_t offset = 0;    ///< index among the unrolled layers of one copy of that block
};
using Reference = std::variant<NetworkInputReference, EnteringReference, LayerReference>;

struct EntryBlock;

/// Layer or repeat in a block.
struct Entry {
  SpecView spec;
  std::string name = {};
  const LayerKind* kind = nullptr;        ///< null for a repeat
  std::unique_ptr<EntryBlock> body = {};  ///< contents of a repeat; null for a layer
  std::int64_t times = 1;                 ///< number of copies of a repeat; 1 for a layer
  std::size_t number = 0;                 ///< index among all entries of the file
  std::int64_t offset = 0;                ///< index of its first layer within one copy of the block
  std::vector<Reference> inputs = {};     ///< of a repeat one, the value that enters its first copy
  std::optional<LayerReference> tied_to = {};  ///< layer whose weights this layer uses; unset: none

  /// Returns the number of layers of all copies, repeats unrolled; 1 for a layer.
  [[nodiscard]] std::int64_t layer_count() const;
};

struct EntryBlock {
  std::vector<Entry> entries;
  std::int64_t layer_count = 0;  ///< number of layers of one copy, repeats unrolled
  /// By name: index into `entries`. Only for look-up, since its order is arbitrary.
  std::unordered_map<std::string_view, std::size_t> entry_of_name;
};

using InputNames = std::vector<std::string>;

struct LayerTree {
  EntryBlock root;
  std::size_t entry_count = 0;         ///< number of entries in all blocks, each block counted once
  std::vector<ScalingRepeat> scaling;  ///< repeats with "scale": true, in file order
};

/// Returns the tree of "layers". Throws SpecError for wrong entries, names or references, and for more than kMaxLayers
/// layers. `copies`: copies of the repeats with "scale": true; unset: their "times".
[[nodiscard]] LayerTree read_layer_tree(const SpecView& layers, const InputNames& inputs,
                                        std::optional<std::int64_t> copies = {});

/// Returns the layer called `name` from outside all blocks ("conv1", "stage/2/add"). Throws SpecError if there is none.
[[nodiscard]] LayerId find_layer(const LayerTree& tree, const SpecView& name);

/// Returns the text at `name`. Throws SpecError unless it has 1 to kMaxNameCharacters characters.
[[nodiscard]] std::string read_short_text(const SpecView& name);
/// Returns the name at `name`. Throws SpecError as read_short_text, and for "/" in the name or "@" at its start.
[[nodiscard]] std::string read_name(const SpecView& name);

// Unrolls the tree of blocks into a list of layers: repeats become copies, references become layers.

/// Layers in file order with names and producers, before shapes and work are inferred.
struct UnrolledLayers {
  std::vector<Layer> layers;
  std::vector<const Entry*> entries;  ///< by layer: entry of the tree that the layer is a copy of
};

/// Returns the layers of all copies. `tree` must outlive the result.
[[nodiscard]] UnrolledLayers unroll(const LayerTree& tree);

/// Sets Layer::model of all layers. Precondition: `network` has inputs, dtype, producers and execution_order.
/// `entries`: UnrolledLayers::entries; `entry_count`: LayerTree::entry_count. Throws SpecError for unknown
/// keys, for shapes that do not fit together and for sums beyond the limits.
void infer_layers(const std::vector<const Entry*>& entries, std::size_t entry_count,
                  Network& network);

// Shared weights ("tied_to"): checked while errors can name the file, then listed as WeightUnit.

/// Throws SpecError for a layer tied to a layer that has no weights of the same shape, is tied itself, or
/// runs later. The owner must run first, since its backward task completes the gradient. `entries`:
/// UnrolledLayers::entries. Precondition: expand_parts() has not run.
void check_ties(const std::vector<const Entry*>& entries, const Network& network);

/// Sets Network::units. Precondition: the list of layers is final (expand_parts() has run).
void find_weight_units(Network& network);

// Replaces layers by simpler parts (lstm, gru, additive attention: LayerModel::parts). Later stages see layers with
// one output each, so that schedules can move tensors of single time steps. A part of layer "lstm" is called
// "lstm/0/3/gates". The last part keeps the layer's name, so that readers of "lstm" find it (docs/notebook/0003).

/// Replaces the layers, and updates producers, tied_to, outputs and execution order. `entries`:
/// UnrolledLayers::entries. Throws SpecError for more than kMaxLayers layers.
void expand_parts(const std::vector<const Entry*>& entries, Network& network);

}  // namespace ooc
