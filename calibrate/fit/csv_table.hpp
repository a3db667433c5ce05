// Tables of commas without quotes: the first line that is no note (`#`) names the columns, which come in any
// order; blanks around a field do not count. What is wrong is said with file, line and column.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ooc {

/// Fields between separators, without the blanks around them.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line, char by);

/// One line by the names of its columns.
class CsvRow {
 public:
  struct Place {
    const std::string& file;
    std::size_t line;
  };
  /// Throws SpecError where the line has more or fewer fields than the header.
  CsvRow(std::span<const std::string_view> header, std::string_view line, Place place);

  [[nodiscard]] std::size_t line() const { return place_.line; }
  /// Empty where there is no such column.
  [[nodiscard]] std::string_view text(std::string_view column) const;
  [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
  /// Above 0.
  [[nodiscard]] double number(std::string_view column) const;
  [[nodiscard]] std::int64_t count(std::string_view column) const;
  /// Where nothing is written, `otherwise`, which may be written if it is 0.
  [[nodiscard]] std::int64_t count_or(std::string_view column, std::int64_t otherwise) const;

  template <class Value, std::size_t kCount>
  [[nodiscard]] Value choice(
      std::string_view column,
      const std::array<std::pair<std::string_view, Value>, kCount>& words) const {
    std::vector<std::string_view> known;
    for (const auto& [word, value] : words) {
      if (text(column) == word) return value;
      if (!word.empty()) known.push_back(word);
    }
    fail_choice(column, known);
  }

  [[noreturn]] void fail(std::string_view column, std::string found, std::string expected) const;
  /// The field of that column is wrong.
  [[noreturn]] void fail(std::string_view column, std::string expected) const;

 private:
  [[noreturn]] void fail_choice(std::string_view column,
                                std::span<const std::string_view> known) const;

  std::span<const std::string_view> header_;
  std::vector<std::string_view> fields_;
  Place place_;
};

struct CsvColumns {
  std::span<const std::string_view> known;
  std::span<const std::string_view> needed;
  std::string_view hint;  ///< where they are described
};

/// Calls `take` for every row. Throws SpecError for columns that are unknown, missing or there twice.
void read_csv(std::string_view text, const std::string& file, const CsvColumns& columns,
              const std::function<void(const CsvRow&)>& take);

}  // namespace ooc
