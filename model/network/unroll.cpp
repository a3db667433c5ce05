// Unrolling of repeats. Time and memory are linear in the layers that result, at most a million
// (layer_tree.hpp has counted them); recursion is as deep as the file nests.
#include "model/network/unroll.hpp"

#include <string>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
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
    Layer layer{.name = prefix + entry.name, .kind = entry.kind, .inputs = {}, .model = nullptr};
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

}  // namespace ooc
