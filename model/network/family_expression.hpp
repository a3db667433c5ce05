// Expressions of family files (docs/formats.md, 2.2): "hidden_size / num_attention_heads", "not
// fused ? 'eager'". Numbers are integers, and `/` must leave no remainder. `?:`, `and` and `or`
// evaluate only the branch that they choose, so a config needs only the keys of that branch.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/base/spec_tree.hpp"

namespace ooc {

/// Value of an expression, never a null pointer; is_none() if the value is JSON's null.
struct FamilyValue {
  std::shared_ptr<const SpecNode> node;
  std::string key = {};  ///< first key of the config from which the value comes; empty: none

  [[nodiscard]] bool is_none() const { return node->type == SpecType::kNull; }
  /// False for null, false, 0, and empty texts and lists.
  [[nodiscard]] bool is_true() const;
};
[[nodiscard]] FamilyValue family_value(SpecNode node, std::string key = {});
[[nodiscard]] bool is_equal(const SpecNode& a, const SpecNode& b);

using FamilyLookup = std::function<FamilyValue(const std::string& name)>;

/// Evaluates `text`, found at `place` of a family file. Throws SpecError at `place` for bad syntax,
/// and at a key of `config` for numbers that do not divide or are too large.
[[nodiscard]] FamilyValue evaluate_expression(std::string_view text, const SpecView& place,
                                              const SpecView& config, const FamilyLookup& lookup);
/// Throws SpecError at `place` for bad syntax; looks up no names.
void check_expression(std::string_view text, const SpecView& place);

}  // namespace ooc
