// A study: the lists and options of a sweep as a JSON file (docs/formats.md, 4). It says what flags would say, each by
// the flag's name, so that it is read by turning it into flags. A flag on the command line takes the place of the
// study's.
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
  /// SpecError naming file and place for what is no study, or says what no flag says.
  StudyFile(const SpecDocument& document, std::span<const Flag> flags);

  /// The flags of the command line, and those of the study that it has not.
  [[nodiscard]] Arguments with_flags_of(const Arguments& given) const;
  /// An error about a flag that the study has set, as one about its place there.
  [[nodiscard]] SpecError located(const SpecError& error, const Arguments& given) const;

 private:
  struct Entry {
    std::string flag;
    std::string pointer;
    std::vector<std::string> texts;  ///< of a list, one an element
    bool list = false;
  };
  void add(std::string_view flag, const SpecView& value);
  void add_options(const SpecView& options, std::span<const Flag> flags);

  std::string file_;
  std::vector<Entry> entries_;
};

/// The study that the only argument names: a file that says so. None for networks.
[[nodiscard]] std::optional<StudyFile> find_study(const Arguments& arguments,
                                                  std::span<const Flag> flags,
                                                  const ReadLimits& limits);

}  // namespace ooc
