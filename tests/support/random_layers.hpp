// Seeded random networks of images and of custom layers. They grow layer by layer from the tensors at hand:
// a graph's pieces (plain layer, residual block, branches joined by concat or product, skip from far back)
// each leave one open end, so that every layer is read and the reader has nothing to refuse. A part of
// random_networks.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random_networks.hpp"

namespace ooc::test {

class LayersWriter {
 public:
  LayersWriter(Dice& dice, std::int64_t max_layers)
      : dice_(dice), left_(dice.number(1, max_layers)) {}

  std::string custom_chain(bool mixed) {
    inputs_ = R"({"name": "data", "shape": [)" + std::to_string(custom_size()) + "]}";
    while (left_ > 0) {
      const std::string times = custom_times();
      std::string fields = fmt::format(R"("output_shape": [{}], {})", custom_size(), times);
      if (mixed) {
        static constexpr const char* kSaves[] = {"output", "input", "both", "none"};
        fields += fmt::format(R"(, "saves": "{}")", kSaves[dice_.index(4)]);
        if (dice_.once_in(3)) {
          fields += fmt::format(R"(, "workspace": "{} B")", dice_.number(0, 4000));
        }
        if (dice_.once_in(4)) fields += fmt::format(R"(, "parameters": {})", dice_.number(0, 50));
      }
      add("custom", fields);
    }
    return text();
  }

  std::string real(bool graph) {
    Open at{"data", dice_.number(1, 4), dice_.number(2, 12)};
    inputs_ = fmt::format(R"({{"name": "data", "shape": [{0}, {1}, {1}]}})", at.channels, at.size);
    std::vector<Open> seen{at};
    while (left_ > 0) {
      at = graph ? piece(at, seen) : plain(at);
      seen.push_back(at);
    }
    finish(at);
    return text();
  }

 private:
  struct
      Open {  ///< a tensor that may be read: a layer or an input, and its shape (channels, height)
    std::string name;
    std::int64_t channels = 1;
    std::int64_t size = 1;
  };

  std::int64_t custom_size() { return dice_.once_in(6) ? 1 : dice_.number(1, 1000); }
  std::int64_t custom_time() { return dice_.once_in(8) ? 0 : dice_.number(1, 20'000); }
  std::string custom_times() {
    const std::int64_t backward = custom_time();
    return fmt::format(R"("forward_time": "{} ns", "backward_time": "{} ns")", custom_time(),
                       backward);
  }

  /// Appends a layer; its name. `inputs` empty: the layer before.
  std::string add(const std::string& type, const std::string& fields,
                  const std::vector<std::string>& inputs = {}) {
    const std::string name = fmt::format("l{}", count_++);
    --left_;
    if (!layers_.empty()) layers_ += ",\n  ";
    layers_ += fmt::format(R"({{"name": "{}", "type": "{}")", name, type);
    if (!fields.empty()) layers_ += ", " + fields;
    if (!inputs.empty()) {
      std::string list;
      for (const std::string& input : inputs) list += (list.empty() ? "\"" : "\", \"") + input;
      layers_ += ", \"inputs\": [" + list + "\"]";
    }
    layers_ += "}";
    return name;
  }

  Open conv(const Open& from, std::int64_t filters) {
    std::string fields =
        fmt::format(R"("filters": {}, "kernel": [3, 3], "padding": [1, 1])", filters);
    return {add("conv", fields, {from.name}), filters, from.size};
  }

  Open same(const Open& from, const std::string& type, const std::string& fields = "") {
    return {add(type, fields, {from.name}), from.channels, from.size};
  }

  /// One layer on top of another.
  Open plain(const Open& from) {
    switch (dice_.number(0, 11)) {
      case 0:
      case 1:
      case 2:
        return conv(from, dice_.number(1, 8));
      case 3:
        if (from.size < 2) return conv(from, dice_.number(1, 8));
        return {add(dice_.once_in(3) ? "avg_pool" : "max_pool", R"("kernel": [2, 2])", {from.name}),
                from.channels, from.size / 2};
      case 4:
        return same(from, "batch_norm");
      case 5:
      case 6:
        return same(from, "relu");
      case 7:
        return same(from, "dropout", R"("rate": 0.5)");
      case 8:
        return same(from, dice_.once_in(2) ? "gelu" : "sigmoid");
      case 9:
        return dice_.once_in(2) ? same(from, "lrn") : norm_of_rows(from);
      case 10:
        return same(from, "relu", R"("in_place": false)");
      default: {
        const std::string fields = fmt::format(R"("output_shape": [{0}, {1}, {1}], {2})",
                                               from.channels, from.size, custom_times());
        return same(from, "custom", fields);
      }
    }
  }

  /// Over the channels of each position.
  Open norm_of_rows(const Open& from) {
    if (dice_.once_in(2)) return same(from, "layer_norm", R"("stats": true)");
    return same(from, "rms_norm", dice_.once_in(2) ? R"("form": "eager")" : "");
  }

  /// A run of layers that keep the shape, ending in `channels` channels.
  Open branch(Open at, std::int64_t channels) {
    for (std::int64_t i = dice_.number(0, 2); i > 0; --i) {
      at = dice_.once_in(2) ? conv(at, channels)
                            : same(at, dice_.once_in(2) ? "batch_norm" : "relu");
    }
    return conv(at, channels);
  }

  Open second_input(const Open& like) {
    const std::string name = fmt::format("more{}", ++more_inputs_);
    inputs_ += fmt::format(R"(, {{"name": "{0}", "shape": [{1}, {2}, {2}]}})", name, like.channels,
                           like.size);
    return {name, like.channels, like.size};
  }

  Open piece(const Open& at, const std::vector<Open>& seen) {
    switch (dice_.number(0, 7)) {
      case 0: {  // residual
        const Open end = branch(at, at.channels);
        return {add("add", "", {at.name, end.name}), at.channels, at.size};
      }
      case 1: {  // branches
        const Open a = branch(at, dice_.number(1, 4));
        const Open b = branch(at, dice_.number(1, 4));
        std::vector<std::string> names{a.name, b.name};
        std::int64_t channels = a.channels + b.channels;
        if (dice_.once_in(2)) {
          names.push_back(at.name);
          channels += at.channels;
        }
        return {add("concat", R"("axis": 0)", names), channels, at.size};
      }
      case 2: {  // product of two branches, or with an input that comes late
        const Open other =
            dice_.once_in(3) ? second_input(at) : same(branch(at, at.channels), "sigmoid");
        return {add("multiply", "", {at.name, other.name}), at.channels, at.size};
      }
      case 3: {  // skip from anywhere that has the same height
        std::vector<Open> fitting;
        for (const Open& open : seen) {
          if (open.size == at.size && open.name != at.name) fitting.push_back(open);
        }
        if (fitting.empty()) return plain(at);
        const Open from = fitting[dice_.index(fitting.size())];
        if (from.channels == at.channels && dice_.once_in(2)) {
          return {add("add", "", {from.name, at.name}), at.channels, at.size};
        }
        return {add("concat", R"("axis": 0)", {from.name, at.name}), from.channels + at.channels,
                at.size};
      }
      default:
        return plain(at);
    }
  }

  void finish(Open at) {
    if (dice_.once_in(4)) return;  // no loss
    if (dice_.once_in(2)) at = {add("global_avg_pool", "", {at.name}), at.channels, 1};
    at.name = add("flatten", "", {at.name});
    for (std::int64_t i = dice_.number(1, 2); i > 0; --i) {
      at.name = add("linear", fmt::format(R"("units": {})", dice_.number(1, 20)), {at.name});
      if (dice_.once_in(2)) at.name = add("relu", "", {at.name});
    }
    add("softmax_cross_entropy", "", {at.name});
  }

  [[nodiscard]] std::string text() const {
    return R"({"format": "ooc-paleo/network", "version": 1, "name": "random", "source": "a property test",
"inputs": [)" +
           inputs_ + "],\n\"layers\": [\n  " + layers_ + "\n]}\n";
  }

  Dice& dice_;
  std::int64_t left_;
  int count_ = 0;
  int more_inputs_ = 0;
  std::string inputs_;
  std::string layers_;
};

}  // namespace ooc::test
