// Seeded random networks over sequences, [steps, features] throughout: embeddings, recurrent layers,
// attention of every kind, products, residuals. Recurrent layers unroll into up to some fifty layers, so
// there are few of them. A part of random_networks.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random_networks.hpp"

namespace ooc::test {

class SequenceWriter {
 public:
  SequenceWriter(Dice& dice, std::int64_t max_layers)
      : dice_(dice), left_(dice.number(1, max_layers)), steps_(dice.number(1, 4)) {}

  std::string write() {
    Open at{"data", dice_.number(1, 6)};
    if (dice_.once_in(2)) {
      inputs_ = fmt::format(R"({{"name": "data", "shape": [{}]}})", steps_);
      at = {add("embedding",
                fmt::format(R"("vocabulary": {}, "width": {})", dice_.number(1, 20), at.width),
                {"data"}),
            at.width};
    } else {
      inputs_ = fmt::format(R"({{"name": "data", "shape": [{}, {}]}})", steps_, at.width);
    }
    while (left_ > 0) {
      seen_.push_back(at);
      at = piece(at);
    }
    if (!dice_.once_in(4)) add("softmax_cross_entropy", "", {at.name});
    return R"({"format": "ooc-paleo/network", "version": 1, "name": "random", "source": "a property test",
"inputs": [)" +
           inputs_ + "],\n\"layers\": [\n  " + layers_ + "\n]}\n";
  }

 private:
  struct Open {
    std::string name;
    std::int64_t width = 1;
  };

  std::string add(const std::string& type, const std::string& fields,
                  const std::vector<std::string>& inputs) {
    const std::string name = fmt::format("l{}", count_++);
    --left_;
    std::string list;
    for (const std::string& input : inputs) list += (list.empty() ? "\"" : ", \"") + input + "\"";
    layers_ += fmt::format(R"({}{{"name": "{}", "type": "{}"{}{}, "inputs": [{}]}})",
                           layers_.empty() ? "" : ",\n  ", name, type, fields.empty() ? "" : ", ",
                           fields, list);
    return name;
  }

  const char* yes_or_no(std::int64_t times) { return dice_.once_in(times) ? "true" : "false"; }

  Open recurrent(const Open& at) {
    const std::int64_t units = dice_.number(1, 4);
    const bool both = dice_.once_in(4);
    const std::string fields =
        fmt::format(R"("units": {}, "layers": {}, "bidirectional": {}, "bias_vectors": {})", units,
                    dice_.once_in(4) ? 2 : 1, both ? "true" : "false", dice_.number(0, 2));
    return {add(dice_.once_in(2) ? "lstm" : "gru", fields, {at.name}), both ? 2 * units : units};
  }

  /// Of the same width as `at`; `at` itself where nothing else is.
  const Open& same_width(const Open& at) {
    const Open& other = seen_[dice_.index(seen_.size())];
    return other.width == at.width ? other : at;
  }

  Open attention(const Open& at) {
    const Open& memory = same_width(at);
    if (dice_.once_in(2)) {
      const std::string fields =
          fmt::format(R"("heads": 1, "kind": "additive", "memory_efficient": {})", yes_or_no(2));
      if (dice_.once_in(2)) return {add("attention", fields, {at.name, memory.name}), at.width};
      const Open& value = seen_[dice_.index(seen_.size())];
      return {add("attention", fields, {at.name, memory.name, value.name}), value.width};
    }
    const std::string fields = fmt::format(R"("heads": {}, "flash": {}, "causal": {})",
                                           at.width % 2 == 0 ? 2 : 1, yes_or_no(2), yes_or_no(2));
    if (at.width % 3 == 0 && at.width % 2 != 0 && dice_.once_in(2)) {
      return {add("attention", fields, {at.name}), at.width / 3};
    }
    return {add("attention", fields, {at.name, memory.name}), at.width};
  }

  Open piece(const Open& at) {
    switch (dice_.number(0, 9)) {
      case 0:
      case 1:
      case 2:
        return recurrent(at);
      case 3:
      case 4:
        return attention(at);
      case 5: {
        const Open& other = same_width(at);
        return {add("add", "", {other.name, at.name}), at.width};
      }
      case 6: {
        const Open& other = same_width(at);
        return {add("matmul", R"("transpose_b": true)", {at.name, other.name}), steps_};
      }
      case 7:
        return {add("dropout", R"("rate": 0.5)", {at.name}), at.width};
      case 8:
        return {add(dice_.once_in(2) ? "layer_norm" : "tanh", "", {at.name}), at.width};
      default: {
        const std::int64_t units = dice_.number(1, 6);
        return {add("linear", fmt::format(R"("units": {})", units), {at.name}), units};
      }
    }
  }

  Dice& dice_;
  std::int64_t left_;
  std::int64_t steps_;
  int count_ = 0;
  std::string inputs_;
  std::string layers_;
  std::vector<Open> seen_;
};

}  // namespace ooc::test
