// Study: lists and options of a sweep as a JSON file (docs/formats.md, 4). Its keys are names of
// flags, so it is read by conversion to flags. A flag on the command line overrides the study's.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

class StudyFile {
 public:
  /// Throws SpecError with file and place for a file that is no study, or has keys without a flag.
  StudyFile(const SpecDocument& document, std::span<const Flag> flags);

  /// Returns the flags of the command line, then those of the study that are not among them.
  [[nodiscard]] Arguments with_flags_of(const Arguments& given) const;
  /// Returns an error about a flag as one about its place in the study, if the study set the flag.
  [[nodiscard]] SpecError located(const SpecError& error, const Arguments& given) const;

 private:
  struct Entry {
    std::string flag;
    std::string pointer;
    std::vector<std::string> texts;  ///< one for each element of a list
    bool list = false;
  };
  void add(std::string_view flag, const SpecView& value);
  void add_options(const SpecView& options, std::span<const Flag> flags);

  std::string file_;
  std::vector<Entry> entries_;
};

/// Returns the study, if the only argument names a file that declares itself one; unset for networks.
[[nodiscard]] std::optional<StudyFile> find_study(const Arguments& arguments,
                                                  std::span<const Flag> flags,
                                                  const ReadLimits& limits);

}  // namespace ooc
