// Names that expressions of a family may use for one config: keys of the config, values of the
// family file, options of the import.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_tree.hpp"
#include "model/network/import_config.hpp"

namespace ooc {

// Expressions of family files (docs/formats.md, 2.2): "hidden_size / num_attention_heads", "not
// fused ? 'eager'". Numbers are integers, and `/` must leave no remainder. `?:`, `and` and `or`
// evaluate only the branch that they choose, so a config needs only the keys of that branch.

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

/// Family of checkpoints (networks/families/*.json, docs/formats.md, 2.2): rules that turn the config
/// of a `model_type` into a network. A file may extend another file and override its entries.
struct Family {
  std::deque<SpecDocument> files;  ///< the family's own file first, then the files that it extends

  /// Returns the section, or member `name` of the section, from the first file that has it; unset: no file has it.
  [[nodiscard]] std::optional<SpecView> find(std::string_view section) const;
  [[nodiscard]] std::optional<SpecView> find(std::string_view section, std::string_view name) const;
};

/// Returns the family of the config's "model_type" from the first folder that has one. Throws SpecError at
/// "model_type" if none has, and at a place of the file if the file is malformed.
[[nodiscard]] Family find_family(const SpecView& config, const std::vector<std::string>& folders);

/// Returns `text` with each {...} replaced by visit(text between the braces).
template <class Visit>
std::string fill_braces(std::string_view text, Visit visit) {
  std::string filled;
  for (;;) {
    const std::size_t begin = text.find('{');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) return filled += text;
    filled += text.substr(0, begin);
    filled += visit(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

/// Names with their values for one config, and the evaluation of expressions.
class FamilyScope {
 public:
  using Names = std::vector<std::pair<std::string, FamilyValue>>;

  /// `config` and `family` must outlive the scope. Throws SpecError for a config that the family refuses.
  FamilyScope(const SpecView& config, const Family& family, const NetworkOptions& options);

  [[nodiscard]] const SpecView& config() const { return config_; }
  [[nodiscard]] const Family& family() const { return family_; }
  /// Adds names, which hide equal ones. take_back() must remove them again, the last added first.
  void add(const Names& names) { names_.insert(names_.end(), names.begin(), names.end()); }
  void take_back(const Names& names) { names_.resize(names_.size() - names.size()); }

  /// Returns `spec` with all expressions evaluated: texts that begin with "=", and parts of texts in braces. Leaves out
  /// members and items whose value is null.
  [[nodiscard]] FamilyValue value(const SpecView& spec);
  [[nodiscard]] std::int64_t integer(const SpecView& spec, std::int64_t lowest,
                                     std::int64_t highest);
  /// Returns FamilyValue::is_true() of the expression `condition`.
  [[nodiscard]] bool holds(const SpecView& condition);

 private:
  [[nodiscard]] FamilyValue evaluate(std::string_view text, const SpecView& place);
  [[nodiscard]] FamilyValue named(const std::string& name, const SpecView& place);
  [[nodiscard]] FamilyValue word_field(const std::string& name, std::size_t dot,
                                       const SpecView& place);
  [[nodiscard]] FamilyValue bound(const std::string& name, const SpecView& spec);
  [[nodiscard]] SpecNode read(const SpecView& spec, const SpecView& value);
  [[nodiscard]] std::string head() const;
  void refuse() const;
  void require();

  const SpecView& config_;
  const Family& family_;
  Names names_;
  std::map<std::string, FamilyValue, std::less<>> bound_;  ///< values of "keys" read so far
  int depth_ = 0;
  std::int64_t values_ = 0;  ///< number of values evaluated so far, at most 2,000,000
};

}  // namespace ooc
