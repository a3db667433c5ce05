// Names in a family's expressions for one config: keys of the config, values of the family file,
// options of the import.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/network/family_expression.hpp"
#include "model/network/family_file.hpp"
#include "model/network/import_config.hpp"

namespace ooc {

class FamilyScope {
 public:
  using Names = std::vector<std::pair<std::string, FamilyValue>>;

  /// `config` and `family` must outlive the scope. Throws SpecError for a config that the family refuses.
  FamilyScope(const SpecView& config, const Family& family, const ImportOptions& options);

  [[nodiscard]] const SpecView& config() const { return config_; }
  [[nodiscard]] const Family& family() const { return family_; }
  /// Adds names that hide others; take_back removes them.
  void add(const Names& names) { names_.insert(names_.end(), names.begin(), names.end()); }
  void take_back(const Names& names) { names_.resize(names_.size() - names.size()); }

  /// Returns `spec` with all expressions evaluated: texts that begin with "=", and parts of texts
  /// in braces. Members and items that evaluate to none are left out.
  [[nodiscard]] FamilyValue value(const SpecView& spec);
  [[nodiscard]] std::int64_t integer(const SpecView& spec, std::int64_t lowest,
                                     std::int64_t highest);
  /// True if the expression `condition` is true.
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
  std::map<std::string, FamilyValue, std::less<>> bound_;  ///< keys that were read
  int depth_ = 0;
  std::int64_t values_ = 0;  ///< number of values evaluated so far; limited
};

}  // namespace ooc
