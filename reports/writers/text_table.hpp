// Text for people: aligned columns, headings, number formats beyond quantities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/terminal_text.hpp"
#include "model/base/units.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

enum class Align { kLeft, kRight };

/// Table with columns as wide as their widest cell, two spaces apart, without trailing spaces.
class TextTable {
 public:
  struct Column {
    // NOLINTNEXTLINE(google-explicit-constructor): in lists a title alone is a column of numbers
    Column(const char* its_title) : title(its_title) {}
    Column(std::string its_title, Align its_align, int its_leaves = 0)
        : title(std::move(its_title)), align(its_align), leaves(its_leaves) {}
    std::string title;
    Align align = Align::kRight;
    int leaves = 0;  ///< order of removal if the table is too wide: 1 first; 0: stays
  };
  explicit TextTable(std::vector<Column> columns);
  void add_row(std::vector<std::string> cells);
  /// Returns the lines, indented by two spaces; titles bold, omitted if all are empty. If the table is wider than the
  /// terminal, removable columns are left out, with a note below. Then words of the last column continue below. Columns
  /// still too wide follow in further tables that repeat the first column.
  [[nodiscard]] std::string text(const Look& look) const;
  /// True if the column is shown at the width of `look`.
  [[nodiscard]] bool shows(std::string_view title, const Look& look) const;

 private:
  [[nodiscard]] std::vector<std::size_t> columns_at(std::size_t width) const;
  [[nodiscard]] std::size_t width_of(const std::vector<std::size_t>& shown) const;
  /// Returns the text, with at most `room` terminal columns for the last column.
  [[nodiscard]] std::string columns_text(const std::vector<std::size_t>& shown, Colour colour,
                                         std::size_t room) const;
  [[nodiscard]] std::size_t width_of_column(std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Makes a column, aligned left or right. `leaves`: order of removal, as in Column.
[[nodiscard]] TextTable::Column left(std::string title, int leaves = 0);
[[nodiscard]] TextTable::Column right(std::string title, int leaves);

/// Returns a table below a blank line and its title.
[[nodiscard]] std::string section(std::string_view title, const TextTable& table, const Look& look);
[[nodiscard]] std::string bold(std::string_view text, const Look& look);
[[nodiscard]] std::string bold_red(std::string_view text, const Look& look);

/// Returns "vgg16"; with a precision or a type other than float32 "vgg16 in float16".
[[nodiscard]] std::string network_text(const RunInputs& inputs);
/// Returns "framework ideal (no overhead, exact memory)".
[[nodiscard]] std::string framework_text(std::string_view name, std::string_view meaning);
/// Returns "8 devices, gradients exchanged at the end", or "8 devices, each with a shard of state".
[[nodiscard]] std::string devices_text(const RunInputs& inputs);
/// Returns what static memory holds: "weights, their gradients, state of sgd"; with a precision, bytes a parameter.
[[nodiscard]] std::string static_text(const NetworkFacts& facts);
/// Returns the network's symbols, "seq 4,096, depth 2"; empty: none.
[[nodiscard]] std::string symbols_text(const RunInputs& inputs);
/// Returns a number of tokens as text: 4 significant digits below 100, else an integer.
[[nodiscard]] std::string tokens_text(double tokens);
/// Returns "138,357,544" for 138357544.
[[nodiscard]] std::string group_thousands(std::int64_t number);
/// Returns "16.88 GB (16880589120 B)" for 16880589120; the number in brackets suits --memory.
[[nodiscard]] std::string bytes_to_the_last(Bytes bytes);
/// Returns the bytes with a unit; "-" for 0.
[[nodiscard]] std::string bytes_or_dash(Bytes bytes);
/// Returns "15.47 G" for 15470264320; below 1000 the integer.
[[nodiscard]] std::string si_count(std::int64_t count);
/// Returns 4 significant digits, thousands grouped: "418.0", "12,345".
[[nodiscard]] std::string significant(double number);
/// Returns `intro` and the comma-separated items, wrapped at 100 columns or the terminal's, with later lines indented.
[[nodiscard]] std::string wrapped_list(std::string_view intro,
                                       const std::vector<std::string>& items,
                                       const Look& look = {});
/// Returns a name such as "OOC-Paleo's equations 7-9".
[[nodiscard]] std::string closed_form_name(const PaperEstimate& paper);
/// Returns the error of a closed form: "3.2 % below the simulated time".
[[nodiscard]] std::string closed_form_error(const PaperEstimate& paper, Duration simulated);
/// Returns the parts of a closed form's error of 0.05 % or more: "+267.2 ms", "waits of the forward pass".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> closed_form_reasons(
    const PaperEstimate& paper, Duration simulated);
/// Returns the category's name for people, such as "activation gradients".
[[nodiscard]] std::string category_text(MemoryCategory category);
/// Returns a paragraph with the assumed fields of the profile; empty if there are none.
[[nodiscard]] std::string assumed_warning(const std::string& hardware,
                                          const std::vector<std::string>& assumed,
                                          const Look& look = {});
/// Returns the shortest and longest time within the errors of jobs of this kind; unset: under 3 figures, or no run.
[[nodiscard]] std::optional<std::pair<Duration, Duration>> measured_range(const RunReport& report);
/// Returns "Jobs like this (...): 24 measured, median error 5.0 %, worst 17.0 %, so 1.2 to 1.5 s"; empty: no errors.
[[nodiscard]] std::string measured_errors(const RunReport& report, const Look& look);

// Parts of the writers, one file each:
/// Returns in words what happens to outputs that backward reads, block by block; empty unless report.in_words.
[[nodiscard]] std::string plan_in_words(const RunReport& report, const Look& look);
[[nodiscard]] std::string table_prediction(const RunReport& report, const WriteOptions& options);
/// Returns OOC-Paleo's equations beside the run; empty unless asked for.
[[nodiscard]] std::string table_equations(const RunReport& report, const Look& look);
[[nodiscard]] std::string table_inspection(const NetworkReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string table_replay(const ReplayReport& report, const WriteOptions& options);
[[nodiscard]] std::string table_validation(const ValidationReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string json_validation(const ValidationReport& report,
                                          const WriteOptions& options);
[[nodiscard]] std::string csv_validation(const ValidationReport& report,
                                         const WriteOptions& options);
[[nodiscard]] std::string csv_replay(const ReplayReport& report, const WriteOptions& options);
[[nodiscard]] std::string json_replay(const ReplayReport& report, const WriteOptions& options);

/// Returns the words for a cause of waits, such as "waiting for copies to near memory".
[[nodiscard]] std::string_view wait_phrase(StallCause cause);

/// Returns the width of `text` on a terminal in columns: code points, without colour codes.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// Breaks lines longer than `width` columns (0: unlimited) at blanks, and after "|" within words. Continued lines are
/// indented as their line; in lines with two parts ("  --flag VALUE   what it does") as the second part. If the second
/// part would be too narrow, all of it goes below the first.
[[nodiscard]] std::string folded(std::string_view text, std::size_t width);

}  // namespace ooc
