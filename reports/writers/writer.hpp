// Writer: a const struct with functions that turn reports into text. One file a format; this folder's CMakeLists.txt
// generates the table. Writers never print; the caller decides where the text goes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/validation/validation_report.hpp"
#include "reports/writers/rows.hpp"
#include "simulator/summary/replay_report.hpp"
#include "simulator/summary/run_report.hpp"

namespace ooc {

/// Version of the program and its command line, for JSON and traces.
struct ToolInfo {
  std::string version = {};
  std::vector<std::string> command = {};  ///< argv, program name first
};

enum class Colour { kNone, kAnsi };

/// Style of text for people. The caller has already applied --no-color, NO_COLOR and the terminal's properties.
struct Look {
  Colour colour = Colour::kNone;
  std::size_t width = 0;  ///< columns of the terminal; 0: unlimited
};

struct WriteOptions {
  ToolInfo tool = {};
  Look look = {};
};

struct Writer {
  std::string_view name;  ///< as in --format, such as "table"
  // Functions that return the text of a report, with a final newline.
  std::string (*prediction)(const RunReport& report, const WriteOptions& options);
  std::string (*rows)(const ResultRows& rows, const WriteOptions& options);
  std::string (*inspection)(const NetworkReport& report, const WriteOptions& options);
  std::string (*replay)(const ReplayReport& report, const WriteOptions& options);
  std::string (*validation)(const ValidationReport& report, const WriteOptions& options);
};

/// Returns all writers in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Writer* const> writers();
/// Returns the writer called `name`; null if there is none.
[[nodiscard]] const Writer* find_writer(std::string_view name);

}  // namespace ooc
