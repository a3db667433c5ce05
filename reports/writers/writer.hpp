// A writer: a const struct with functions in it that turn reports into text. One file per format;
// the table of all of them is generated from the list of names in this folder's CMakeLists.txt.
// Writers only format; they never print, so the caller decides where the text goes.
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

/// What made the output; echoed in JSON and in traces.
struct ToolInfo {
  std::string version = {};
  std::vector<std::string> command = {};  ///< argv, program name first
};

enum class Colour { kNone, kAnsi };
enum class Chart { kNone, kText };
enum class Columns { kUsual, kWide };

/// How text for people looks; the caller knows of --no-color, NO_COLOR and terminals.
struct Look {
  Colour colour = Colour::kNone;
  std::size_t width = 0;  ///< columns of the terminal; 0: as wide as it comes
};

struct WriteOptions {
  ToolInfo tool = {};
  Look look = {};
  Chart chart = Chart::kText;         ///< of comparisons for people
  Columns columns = Columns::kUsual;  ///< the same
};

struct Writer {
  std::string_view name;     ///< as in --format: "table"
  std::string_view summary;  ///< one line
  /// All of them end with a newline.
  std::string (*prediction)(const RunReport& report, const WriteOptions& options);
  std::string (*rows)(const ResultRows& rows, const WriteOptions& options);
  std::string (*inspection)(const NetworkReport& report, const WriteOptions& options);
  std::string (*replay)(const ReplayReport& report, const WriteOptions& options);
  std::string (*validation)(const ValidationReport& report, const WriteOptions& options);
};

/// All writers, in the order of CMakeLists.txt.
[[nodiscard]] std::span<const Writer* const> writers();
/// The writer of that name, or none.
[[nodiscard]] const Writer* find_writer(std::string_view name);

}  // namespace ooc
