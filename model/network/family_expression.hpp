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

/// Value of an expression.
struct FamilyValue {
  std::shared_ptr<const SpecNode> node;  ///< never null
  std::string key = {};  ///< key of the config from which the value comes, for errors; empty: none

  /// True if the value is JSON's null, as of a `?:` without `:` whose condition is false.
  [[nodiscard]] bool is_none() const { return node->type == SpecType::kNull; }
  /// Returns false for null, false, 0, and empty texts and lists; true for all else.
  [[nodiscard]] bool is_true() const;
};
[[nodiscard]] FamilyValue family_value(SpecNode node, std::string key = {});
[[nodiscard]] bool is_equal(const SpecNode& a, const SpecNode& b);

/// Function that returns the value of a name.
using FamilyLookup = std::function<FamilyValue(const std::string& name)>;

/// Returns the value of `text`, found at `place` of a family file. Throws SpecError at `place` for
/// bad syntax, and at a key of `config` for a value that an operator cannot take.
[[nodiscard]] FamilyValue evaluate_expression(std::string_view text, const SpecView& place,
                                              const SpecView& config, const FamilyLookup& lookup);
/// Throws SpecError at `place` for bad syntax; looks up no names.
void check_expression(std::string_view text, const SpecView& place);

}  // namespace ooc
