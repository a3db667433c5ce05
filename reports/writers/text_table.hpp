// Text for people: aligned columns, headings and the few number formats that quantities do not
// cover.
#pragma once

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

/// Columns as wide as their widest cell, two spaces apart; no trailing spaces.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kRight;
    int leaves = 0;  ///< which one goes where the table is too wide: 1 first; 0: it stays
  };
  explicit TextTable(std::vector<Column> columns);
  void add_row(std::vector<std::string> cells);
  /// Every line indented by two spaces; the titles bold. Without any title no title line. Where the table is
  /// wider than the terminal, columns that may leave do, which a line below says; then words of the last column go
  /// on below. What is still too wide comes in further tables, each with the first column again.
  [[nodiscard]] std::string text(const Look& look) const;
  /// Whether that column is there at that width.
  [[nodiscard]] bool shows(std::string_view title, const Look& look) const;

 private:
  [[nodiscard]] std::vector<std::size_t> columns_at(std::size_t width) const;
  [[nodiscard]] std::size_t width_of(const std::vector<std::size_t>& shown) const;
  /// The last column has at most `room` columns of the terminal.
  [[nodiscard]] std::string columns_text(const std::vector<std::size_t>& shown, Colour colour,
                                         std::size_t room) const;
  [[nodiscard]] std::size_t width_of_column(std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

[[nodiscard]] std::string bold(std::string_view text, const Look& look);
[[nodiscard]] std::string bold_red(std::string_view text, const Look& look);

/// "vgg16", or in another element type than most "vgg16 in float16".
[[nodiscard]] std::string network_text(const RunInputs& inputs);
/// "framework ideal (no overhead, exact memory)"
[[nodiscard]] std::string framework_text(std::string_view name, std::string_view meaning);
/// "weights, their gradients, state of sgd"; of 16-bit weights also that nobody counts a second copy.
struct StaticWords {
  const std::string& dtype;
  const std::string& precision;
  const std::string& gradient_dtype;
  const std::string& adapter_dtype;
  const std::string& optimizer;
  bool some_frozen = false;
  bool gradients_freed = false;
};
[[nodiscard]] std::string static_text(const StaticWords& words);
/// "seq 4096": the sizes that the network has by name; empty where there are none.
[[nodiscard]] std::string symbols_text(const RunInputs& inputs);
/// Of a second: whole numbers from 100 on.
[[nodiscard]] std::string tokens_text(double tokens);
/// 138357544 -> "138,357,544"
[[nodiscard]] std::string group_thousands(std::int64_t number);
/// 16880589120 -> "16.88 GB (16880589120 B)", for people and, in the brackets, for --memory.
[[nodiscard]] std::string bytes_to_the_last(Bytes bytes);
/// 15470264320 -> "15.47 G"
[[nodiscard]] std::string si_count(std::int64_t count);
/// 4 significant digits, thousands grouped: "418.0", "12,345".
[[nodiscard]] std::string significant(double number);
/// `intro` and the items, comma-separated, wrapped at 100 columns or the terminal's, following lines indented.
[[nodiscard]] std::string wrapped_list(std::string_view intro,
                                       const std::vector<std::string>& items,
                                       const Look& look = {});
/// "OOC-Paleo's equations 7-9"
[[nodiscard]] std::string closed_form_name(const PaperEstimate& paper);
/// How far a closed form is off: "3.2 % below the simulated time".
[[nodiscard]] std::string closed_form_error(const PaperEstimate& paper, Duration simulated);
/// Why a closed form is off, those of less than 0.05 % left out: "+267.2 ms", "waits of the forward pass".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> closed_form_reasons(
    const PaperEstimate& paper, Duration simulated);
/// "activation gradients", "in flight"
[[nodiscard]] std::string category_text(MemoryCategory category);
/// A paragraph naming the assumed fields of the profile; "" when there are none.
[[nodiscard]] std::string assumed_warning(const std::string& hardware,
                                          const std::vector<std::string>& assumed,
                                          const Look& look = {});

// The parts of the table writer, one file each.
/// What becomes of the outputs that backward reads, block by block; "" where the report is not to say so.
[[nodiscard]] std::string plan_in_words(const RunReport& report, const Look& look);
[[nodiscard]] std::string table_prediction(const RunReport& report, const WriteOptions& options);
/// OOC-Paleo's equations beside the run; "" where they were not asked for.
[[nodiscard]] std::string table_equations(const RunReport& report, const Look& look);
/// Bars of the times; "" where there is nothing to compare.
[[nodiscard]] std::string comparison_chart(const std::vector<const RunReport*>& reports,
                                           const Look& look = {});
[[nodiscard]] std::string table_inspection(const NetworkReport& report,
                                           const WriteOptions& options);
[[nodiscard]] std::string table_replay(const ReplayReport& report, const WriteOptions& options);

}  // namespace ooc
