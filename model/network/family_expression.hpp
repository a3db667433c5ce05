// Expressions of family files (docs/formats.md, 2.2): "hidden_size / num_attention_heads",
// "not fused ? 'eager'". Numbers are whole; `/` must come out even. What is not chosen by `?:`, `and` and
// `or` is not evaluated, so a key of the config is wanted only where it counts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// A value of an expression, never null; "none" is JSON's null.
struct FamilyValue {
  std::shared_ptr<const SpecNode> node;
  std::string key = {};  ///< the first key of the config that it comes from; empty: none

  [[nodiscard]] bool is_none() const { return node->type == SpecType::kNull; }
  /// False: null, false, 0, and empty texts and lists.
  [[nodiscard]] bool is_true() const;
};
[[nodiscard]] FamilyValue family_value(SpecNode node, std::string key = {});
[[nodiscard]] bool is_equal(const SpecNode& a, const SpecNode& b);

using FamilyLookup = std::function<FamilyValue(const std::string& name)>;

/// The value of `text`, which stands at `place` of a family file. Throws SpecError at `place` for what is no
/// expression, at a key of `config` for numbers that do not divide or are too large.
[[nodiscard]] FamilyValue evaluate_expression(std::string_view text, const SpecView& place,
                                              const SpecView& config, const FamilyLookup& lookup);
/// Throws SpecError at `place` for what is no expression, whatever its names mean.
void check_expression(std::string_view text, const SpecView& place);

}  // namespace ooc
