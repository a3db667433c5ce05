// Runs a program the way a shell would and tells what came of it. For the tests of the built program.
#pragma once

#include "tests/support/test.hpp"

namespace ooc::test {

/// A folder of its own under the system's temporary one, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file into it and returns its path.
  std::string file(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  /// Names of what lies in it, sorted.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

struct Ran {
  int exit_code = 0;  ///< 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

struct Surroundings {
  std::filesystem::path folder = "/";
  std::vector<std::pair<std::string, std::string>> environment;  ///< beside PATH and HOME
};

[[nodiscard]] inline Surroundings in(const ScratchFolder& folder) {
  return {.folder = folder.path(), .environment = {}};
}

/// `arguments` with the program first; standard input is empty.
[[nodiscard]] Ran run_program(const std::vector<std::string>& arguments,
                              const Surroundings& surroundings = {});
/// Through sh, with the built program's folder first in PATH.
[[nodiscard]] Ran run_shell(const std::string& script, const Surroundings& surroundings = {});
/// The built ooc-paleo.
[[nodiscard]] Ran run_ooc_paleo(std::vector<std::string> arguments,
                                const Surroundings& surroundings = {});

using Words = std::vector<std::string>;

[[nodiscard]] inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A sweep's words with the schedule capacity, where they name none: for tests that are about something else.
[[nodiscard]] Words of_one_schedule(Words words);

/// The worked example of docs/formats.md as files.
inline const std::string kSource = OOC_SOURCE_DIR;
inline const std::string kData = kSource + "/tests/data/";
inline const std::string kNetwork = kData + "worked_example.json";
inline const std::string kMachine = kData + "worked_example_machine.json";

/// The exit status, and all of `parts` on standard error.
inline void check_ends(const Ran& ran, int exit_code, const Words& parts) {
  CAPTURE(ran.err);
  CHECK(ran.exit_code == exit_code);
  for (const std::string& part : parts) CHECK_MESSAGE(has(ran.err, part), part);
}

/// Rows of a result in CSV, each a field by its column's name.
using CsvRow = std::map<std::string, std::string>;
[[nodiscard]] std::vector<CsvRow> csv_rows(const std::string& csv);

/// The integer behind the first `"key": ` of a text in JSON, or -1.
[[nodiscard]] long long json_number(const std::string& json, const std::string& key);

[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace ooc::test
