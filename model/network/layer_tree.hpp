// The `layers` of a network file as written: a tree of blocks, each a list of layers and repeats,
// with every reference to a producer resolved to a place. It is built once per file, whatever the
// repeats multiply to; unroll.hpp makes the copies. Counting the layers here, before anything is
// copied, is what stops a small file from asking for 2^50 of them.
//
// Scoping (docs/formats.md, 2): a name resolves in the same copy of the same block first, then in
// the blocks around it, then among the network's inputs; so an inner name may hide an outer one. A
// repeat's name is the last layer of its last copy; "@input" is what enters the innermost copy.
// From outside a layer of copy k is `repeat/k/layer`. A repeat without a name is called
// `repeat<index>`, its place in its list from 0. A repeat may say with "inputs" (one name) what
// enters its first copy; left out, it is the layer before. One with "scale": true is what a deeper network
// of its kind has more of.
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

/// A producer as an entry sees it.
struct NetworkInputReference {
  InputId input;
};
/// "@input": what enters this copy of the block.
struct EnteringReference {};
/// A layer of the entry's own block (blocks_up 0) or of one around it.
struct LayerReference {
  std::size_t blocks_up = 0;
  std::int64_t offset = 0;  ///< place among the layers of one copy of that block
};
using Reference = std::variant<NetworkInputReference, EnteringReference, LayerReference>;

struct EntryBlock;

/// A layer or a repeat.
struct Entry {
  SpecView spec;
  std::string name;
  const LayerKind* kind = nullptr;   ///< none for a repeat
  std::unique_ptr<EntryBlock> body;  ///< of a repeat
  std::int64_t times = 1;
  std::size_t number = 0;         ///< of all entries of the file, for tables by entry
  std::int64_t offset = 0;        ///< of its first layer among those of one copy of its block
  std::vector<Reference> inputs;  ///< a repeat has one: what enters its first copy

  [[nodiscard]] std::int64_t layer_count() const;
};

struct EntryBlock {
  std::vector<Entry> entries;
  std::int64_t layer_count = 0;  ///< of one copy, repeats unrolled
  /// For look-up only, never walked: its order reaches no output.
  std::unordered_map<std::string_view, std::size_t> entry_of_name;
};

/// The names a network's own inputs take.
using InputNames = std::vector<std::string>;

struct LayerTree {
  EntryBlock root;
  std::size_t entry_count = 0;
  std::vector<ScalingRepeat> scaling;  ///< in file order
};

/// `copies`: of repeats that scale, in place of the file's `times`.
[[nodiscard]] LayerTree read_layer_tree(const SpecView& layers, const InputNames& inputs,
                                        std::optional<std::int64_t> copies = {});

/// The place of the layer that `text` names as seen from outside all blocks ("conv1",
/// "stage/2/add").
[[nodiscard]] LayerId find_layer(const LayerTree& tree, const SpecView& name);

/// A text of 1 to 200 characters, else an error at `name`.
[[nodiscard]] std::string read_short_text(const SpecView& name);
/// A name as the format allows it, else an error at `name`.
[[nodiscard]] std::string read_name(const SpecView& name);

}  // namespace ooc
