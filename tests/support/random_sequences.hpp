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
      const std::int64_t words = dice_.number(1, 20);
      at = {add("embedding",
                fmt::format(R"("vocabulary": {}, "width": {}, "positions": {})", words, at.width,
                            dice_.number(steps_, 9)),
                {"data"}),
            at.width};
      table_ = {at.name, words, at.width};
    } else {
      inputs_ = fmt::format(R"({{"name": "data", "shape": [{}, {}]}})", steps_, at.width);
    }
    while (left_ > 0) {
      seen_.push_back(at);
      at = piece(at);
    }
    finish(at);
    return R"({"format": "ooc-paleo/network", "version": 1, "name": "random", "source": "a property test",
)" + std::string(frozen_ ? R"("frozen": true, )" : "") +
           R"("inputs": [)" + inputs_ + "],\n\"layers\": [\n  " + layers_ + "\n]}\n";
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
    if (!inputs.empty()) list = fmt::format(R"(, "inputs": [{}])", list);
    layers_ +=
        fmt::format(R"({}{{"name": "{}", "type": "{}"{}{}{}}})", layers_.empty() ? "" : ",\n  ",
                    name, type, fields.empty() ? "" : ", ", fields, list);
    return name;
  }

  /// A head that shares the embedding's table where it can, and a loss, or neither.
  void finish(Open at) {
    if (table_.words > 0 && table_.width == at.width && dice_.once_in(2)) {
      at = {add("linear",
                fmt::format(R"("units": {}, "bias": {}, "tied_to": "{}")", table_.words,
                            yes_or_no(2), table_.name),
                {at.name}),
            table_.words};
    }
    if (dice_.once_in(4)) return;
    if (dice_.once_in(3)) {
      static constexpr const char* kModes[] = {"gradient_in_forward", "recompute"};
      const bool tied = table_.words > 0 && table_.width == at.width && dice_.once_in(2);
      const std::string table = tied ? fmt::format(R"(, "tied_to": "{}")", table_.name) : "";
      const char* mode = kModes[dice_.index(2)];
      const std::int64_t chunk = dice_.number(1, 8);
      add("linear_cross_entropy",
          fmt::format(R"("vocabulary": {}, "chunk": {}, "mode": "{}"{})",
                      tied ? table_.words : dice_.number(1, 9), chunk, mode, table),
          {at.name});
      return;
    }
    static constexpr const char* kMemories[] = {"probabilities", "in_place", "native", "eager",
                                                "upcast"};
    add("softmax_cross_entropy",
        dice_.once_in(2) ? "" : fmt::format(R"("memory": "{}")", kMemories[dice_.index(5)]),
        {at.name});
  }

  /// Free parameters, added.
  Open shifted(const Open& at) {
    const std::string shift =
        add("parameter", fmt::format(R"("shape": [{}, {}])", steps_, at.width), {});
    return {add("add", "", {at.name, shift}), at.width};
  }

  const char* yes_or_no(std::int64_t times) { return dice_.once_in(times) ? "true" : "false"; }

  Open recurrent(const Open& at) {
    const std::int64_t units = dice_.number(1, 4);
    const bool both = dice_.once_in(4);
    const std::int64_t bias_vectors = dice_.number(0, 2);
    const std::string fields =
        fmt::format(R"("units": {}, "layers": {}, "bidirectional": {}, "bias_vectors": {})", units,
                    dice_.once_in(4) ? 2 : 1, both ? "true" : "false", bias_vectors);
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
    if (dice_.once_in(2)) return grouped_attention(at);
    const char* causal = yes_or_no(2);
    const std::string fields = fmt::format(R"("heads": {}, "flash": {}, "causal": {})",
                                           at.width % 2 == 0 ? 2 : 1, yes_or_no(2), causal);
    if (at.width % 3 == 0 && at.width % 2 != 0 && dice_.once_in(2)) {
      return {add("attention", fields, {at.name}), at.width / 3};
    }
    return {add("attention", fields, {at.name, memory.name}), at.width};
  }

  /// Query and key turned, fewer heads of keys and values, in all forms.
  Open grouped_attention(const Open& at) {
    const std::int64_t kv_heads = dice_.number(1, 2);
    const std::int64_t heads = kv_heads * dice_.number(1, 2);
    const std::int64_t head = 2 * dice_.number(1, 2);
    const auto projected = [&](std::int64_t count) {
      const std::string linear =
          add("linear", fmt::format(R"("units": {})", count * head), {at.name});
      if (dice_.once_in(2)) return linear;
      return add("rotary",
                 fmt::format(R"("heads": {}, "fraction": {})", count,
                             head == 4 && dice_.once_in(2) ? "0.5" : "1"),
                 {linear});
    };
    std::string fields = fmt::format(R"("heads": {}, "kv_heads": {})", heads, kv_heads);
    const bool flash = dice_.once_in(2);
    fields += fmt::format(R"(, "flash": {})", flash ? "true" : "false");
    if (dice_.once_in(2))
      fields += fmt::format(R"(, "causal": true, "window": {})", dice_.number(1, 5));
    if (dice_.once_in(2)) fields += R"(, "dropout": 0.1)";
    if (dice_.once_in(2)) fields += R"(, "softmax": "float32")";
    if (dice_.once_in(2)) fields += fmt::format(R"(, "repeat_kv": {})", yes_or_no(2));
    if (!flash && dice_.once_in(3)) fields += bias_table(heads);
    if (dice_.once_in(4)) {
      const std::string packed =
          add("linear", fmt::format(R"("units": {})", (heads + 2 * kv_heads) * head), {at.name});
      return biased({add("attention", fields, {packed}), heads * head});
    }
    const std::string query = projected(heads);
    const std::string key = projected(kv_heads);
    std::vector<std::string> inputs{query, key};
    if (dice_.once_in(2)) inputs.push_back(projected(kv_heads));
    return biased({add("attention", fields, inputs), heads * head});
  }

  /// Of its own, or that of the first layer that has one.
  std::string bias_table(std::int64_t heads) {
    if (!biases_.name.empty() && biases_.width == heads) {
      return fmt::format(R"(, "bias_table": {{"buckets": {}, "heads": {}}}, "tied_to": "{}")",
                         biases_.words, heads, biases_.name);
    }
    const std::int64_t buckets = dice_.number(1, 4);
    if (biases_.name.empty()) biases_ = {"", buckets, heads};
    return fmt::format(R"(, "bias_table": {{"buckets": {}, "heads": {}}})", buckets, heads);
  }
  /// The layer just written has the first table.
  Open biased(const Open& at) {
    if (biases_.words > 0 && biases_.name.empty()) biases_.name = at.name;
    return at;
  }

  Open norm(const Open& at) {
    switch (dice_.number(0, 3)) {
      case 0:
        return {add("tanh", "", {at.name}), at.width};
      case 1: {
        const bool eager = dice_.once_in(2);
        const char* stats = eager ? "false" : yes_or_no(2);
        return {add("layer_norm",
                    fmt::format(R"("bias": {}, "stats": {}, "form": "{}")", yes_or_no(2), stats,
                                eager ? "eager" : "fused"),
                    {at.name}),
                at.width};
      }
      default: {
        const std::int64_t width = at.width % 2 == 0 && dice_.once_in(2) ? at.width / 2 : at.width;
        return {add("rms_norm",
                    fmt::format(R"("width": {}, "form": "{}")", width,
                                dice_.once_in(2) ? "eager" : "fused"),
                    {at.name}),
                at.width};
      }
    }
  }

  Open gated(const Open& at) {
    static constexpr const char* kActivations[] = {"silu", "gelu", "relu"};
    const Open& other = same_width(at);
    const std::string fields = fmt::format(R"("activation": "{}")", kActivations[dice_.index(3)]);
    return {add("gated", fields, {at.name, other.name}), at.width};
  }

  /// A linear layer that learns, or is frozen, or has adapters beside it.
  Open linear(const Open& at) {
    const std::int64_t units = dice_.number(1, 6);
    std::string fields = fmt::format(R"("units": {})", units);
    static constexpr const char* kStorages[] = {"fp32", "bf16", "int8", "nf4", "nf4-double"};
    const std::string storage = fmt::format(R"(, "storage": "{}")", kStorages[dice_.index(5)]);
    switch (dice_.number(0, 3)) {
      case 0:
        fields += R"(, "frozen": true)" + (dice_.once_in(2) ? storage : "");
        break;
      case 1: {
        const char* dropout = dice_.once_in(2) ? "0.1" : "0";
        fields +=
            fmt::format(R"(, "lora": {{"rank": {}, "dropout": {}}})", dice_.number(1, 3), dropout);
        break;
      }
      default:
        fields += R"(, "frozen": false)";
    }
    return {add("linear", fields, {at.name}), units};
  }

  Open mixture(const Open& at) {
    const std::int64_t experts = dice_.number(1, 5);
    const char* form = dice_.once_in(2) ? "fused" : "eager";
    const std::int64_t units = dice_.number(1, 4);
    std::string fields = fmt::format(R"("experts": {}, "top_k": {}, "units": {}, "form": "{}")",
                                     experts, dice_.number(1, experts), units, form);
    if (dice_.once_in(3)) {
      const char* gate = yes_or_no(2);
      fields += fmt::format(R"(, "shared_units": {}, "shared_gate": {})", dice_.number(1, 4), gate);
    }
    if (dice_.once_in(3)) fields += R"(, "capacity": 1.25)";
    if (dice_.once_in(3)) fields += R"(, "bias": true)";
    if (dice_.once_in(3)) fields += R"(, "lora": {"rank": 2})";
    return {add("moe", fields, {at.name}), at.width};
  }

  Open piece(const Open& at) {
    switch (dice_.number(0, 12)) {
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
        return norm(at);
      case 9:
        return gated(at);
      case 10:
        return shifted(at);
      case 11:
        return mixture(at);
      default:
        return linear(at);
    }
  }

  Dice& dice_;
  std::int64_t left_;
  std::int64_t steps_;
  bool frozen_ = dice_.once_in(4);  ///< whatever does not say other
  int count_ = 0;
  std::string inputs_;
  std::string layers_;
  std::vector<Open> seen_;
  struct Table {
    std::string name;
    std::int64_t words = 0;
    std::int64_t width = 0;
  };
  Table table_;   ///< of the first embedding, if there is one
  Table biases_;  ///< of the first attention with biases
};

}  // namespace ooc::test
