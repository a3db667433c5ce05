// Alignment counts code points, not bytes, so that names in any script line up in most terminals
// (wide East Asian characters still take two cells and do not).
#include "reports/writers/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

constexpr std::size_t kLineWidth = 100;
/// Less is no room for words.
constexpr std::size_t kLeastRoom = 12;
constexpr double kNoticeableShare = 0.0005;  // of the simulated time

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, columns_of(cell)), ' ');
  return align == Align::kRight ? space + cell : cell + space;
}

/// A cell's words in lines that are no longer, but for a word that is.
std::vector<std::string> lines_of(const std::string& cell, std::size_t room) {
  if (columns_of(cell) <= room) return {cell};
  std::vector<std::string> lines;
  std::istringstream words(cell);
  for (std::string word; words >> word;) {
    if (!lines.empty() && columns_of(lines.back()) + 1 + columns_of(word) <= room) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  OOC_CHECK(cells.size() == columns_.size(), "a row has one cell per column");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::size_t TextTable::width_of_column(std::size_t column) const {
  std::size_t width = columns_of(columns_[column].title);
  for (const auto& row : rows_) width = std::max(width, columns_of(row[column]));
  return width;
}

std::string TextTable::columns_text(const std::vector<std::size_t>& shown, Colour colour,
                                    std::size_t room) const {
  std::vector<std::size_t> widths;
  for (const std::size_t column : shown) widths.push_back(width_of_column(column));
  widths.back() = std::min(widths.back(), room);
  const auto line = [&](auto cell_of) {
    std::string result = " ";
    for (std::size_t i = 0; i < shown.size(); ++i) {
      result +=
          (i == 0 ? " " : "  ") + padded(cell_of(shown[i]), widths[i], columns_[shown[i]].align);
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
  };
  std::string text;
  const bool titled =
      std::ranges::any_of(columns_, [](const Column& column) { return !column.title.empty(); });
  if (titled) {
    text += bold(line([&](std::size_t column) { return columns_[column].title; }), {colour}) + "\n";
  }
  for (const auto& row : rows_) {
    const std::vector<std::string> last = lines_of(row[shown.back()], room);
    for (std::size_t i = 0; i < last.size(); ++i) {
      text += line([&](std::size_t column) {
                if (column == shown.back()) return last[i];
                return i == 0 ? row[column] : std::string();
              }) +
              "\n";
    }
  }
  return text;
}

std::size_t TextTable::width_of(const std::vector<std::size_t>& shown) const {
  std::size_t width = 0;
  for (const std::size_t column : shown) width += 2 + width_of_column(column);
  return width;
}

std::vector<std::size_t> TextTable::columns_at(std::size_t width) const {
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  while (width > 0 && width_of(shown) > width) {
    const auto rank = [&](std::size_t column) {
      const int leaves = columns_[column].leaves;
      return leaves == 0 ? std::numeric_limits<int>::max() : leaves;
    };
    const auto first = std::ranges::min_element(shown, {}, rank);
    if (columns_[*first].leaves == 0) break;
    shown.erase(first);
  }
  return shown;
}

bool TextTable::shows(std::string_view title, const Look& look) const {
  const std::vector<std::size_t> shown = columns_at(look.width);
  return std::ranges::any_of(shown,
                             [&](std::size_t column) { return columns_[column].title == title; });
}

std::string TextTable::text(const Look& look) const {
  const std::vector<std::size_t> columns = columns_at(look.width);
  std::vector<std::string> left_out;
  for (std::size_t column = 0, i = 0; column < columns_.size(); ++column) {
    if (i < columns.size() && columns[i] == column) {
      ++i;
    } else {
      left_out.push_back(columns_[column].title);
    }
  }
  const std::string note = left_out.empty() ? "" : wrapped_list("  no room for:", left_out, look);

  const std::size_t all = width_of(columns);
  const std::size_t last = width_of_column(columns.back());
  const std::size_t before = all - last;
  if (look.width == 0 || all <= look.width) return columns_text(columns, look.colour, last) + note;
  std::size_t least = std::max(kLeastRoom, columns_of(columns_[columns.back()].title));
  for (const auto& row : rows_) {
    for (const std::string& word : lines_of(row[columns.back()], 0)) {
      least = std::max(least, columns_of(word));
    }
  }
  if (columns_[columns.back()].align == Align::kLeft && before + least <= look.width) {
    return columns_text(columns, look.colour, look.width - before) + note;
  }
  std::string text;
  std::vector<std::size_t> shown;
  for (const std::size_t column : columns) {
    shown.push_back(column);
    if (width_of(shown) <= look.width || shown.size() <= 2) continue;
    shown.pop_back();
    text += columns_text(shown, look.colour, width_of_column(shown.back())) + "\n";
    shown = {columns.front(), column};
  }
  return text + columns_text(shown, look.colour, width_of_column(shown.back())) + note;
}

TextTable::Column left(std::string title, int leaves) {
  return {std::move(title), Align::kLeft, leaves};
}

TextTable::Column right(std::string title, int leaves) {
  return {std::move(title), Align::kRight, leaves};
}

std::string section(std::string_view title, const TextTable& table, const Look& look) {
  return "\n" + bold(title, look) + "\n" + table.text(look);
}

std::string bold(std::string_view text, const Look& look) {
  return look.colour == Colour::kAnsi ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string bold_red(std::string_view text, const Look& look) {
  return look.colour == Colour::kAnsi ? fmt::format("\x1b[1;31m{}\x1b[0m", text)
                                      : std::string(text);
}

std::string group_thousands(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3;) {
    i -= 3;
    text.insert(i, ",");
  }
  return text;
}

std::string bytes_to_the_last(Bytes bytes) {
  return fmt::format("{} ({} B)", format_bytes(bytes), bytes.count());
}

std::string bytes_or_dash(Bytes bytes) { return bytes.count() == 0 ? "-" : format_bytes(bytes); }

std::string network_text(const RunInputs& inputs) {
  if (!inputs.precision.empty()) return inputs.network + " in " + inputs.precision;
  return inputs.dtype == "float32" ? inputs.network : inputs.network + " in " + inputs.dtype;
}

std::string symbols_text(const RunInputs& inputs) {
  std::string text;
  for (const SymbolValue& each : inputs.symbols) {
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", each.name, group_thousands(each.value));
  }
  return text;
}

std::string devices_text(const RunInputs& inputs) {
  const std::string experts =
      inputs.expert_parallel > 1 ? fmt::format(", experts over {}", inputs.expert_parallel) : "";
  return fmt::format("{} devices, {}{}", inputs.devices,
                     inputs.exchange.empty()    ? "each with a shard of state"
                     : inputs.exchange == "end" ? "gradients exchanged at the end"
                                                : "gradients exchanged as they come",
                     experts);
}

std::string framework_text(std::string_view name, std::string_view meaning) {
  return meaning.empty() ? fmt::format("framework {}", name)
                         : fmt::format("framework {} ({})", name, meaning);
}

std::string tokens_text(double tokens) {
  constexpr double kFew = 100;
  return tokens < kFew ? significant(tokens)
                       : group_thousands(static_cast<std::int64_t>(std::llround(tokens)));
}

std::string static_text(const NetworkFacts& facts) {
  const std::string& optimizer = facts.inputs.optimizer;
  const std::string& dtype = facts.inputs.dtype;
  const ParameterBytes& each = facts.per_parameter;
  const std::string_view but =
      facts.gradients_freed ? "; but for gradients, which backward makes" : "";
  if (!facts.inputs.precision.empty()) {
    const bool some_frozen = facts.trainable_parameters != facts.parameters;
    const std::string_view learnt = some_frozen ? " that is learnt" : "";
    const std::string master =
        each.master > 0 ? fmt::format(", master copy {} B", each.master) : std::string();
    const bool counts_numbers = optimizer == "adam" || optimizer == "momentum";
    const std::string number = counts_numbers && each.state != 4
                                   ? fmt::format(" in numbers of {} B", each.state)
                                   : std::string();
    return fmt::format("a parameter{}: weight {} B, gradient {} B{}; and state of {}{}{}", learnt,
                       each.weight, each.gradient, master, optimizer, number, but);
  }
  if (dtype != "float16" && dtype != "bfloat16") {
    return fmt::format("weights, their gradients, state of {}{}", optimizer, but);
  }
  return fmt::format(
      "weights and gradients in {}, state of {} in float32; no float32 master weights{}", dtype,
      optimizer, but);
}

std::string si_count(std::int64_t count) {
  constexpr std::string_view kPrefixes = "kMGTPE";
  if (count < 1000) return fmt::format("{}", count);
  double scaled = static_cast<double>(count) / 1000;
  std::size_t prefix = 0;
  while (scaled >= 999.95 && prefix + 1 < kPrefixes.size()) {
    scaled /= 1000;
    ++prefix;
  }
  return fmt::format("{} {}", significant(scaled), kPrefixes[prefix]);
}

std::string significant(double number) {
  if (!std::isfinite(number)) return "infinite";
  if (number >= 999.95) return group_thousands(std::llround(std::min(number, 9e18)));
  if (number >= 99.995) return fmt::format("{:.1f}", number);
  if (number >= 9.9995) return fmt::format("{:.2f}", number);
  return fmt::format("{:.3f}", number);
}

std::string wrapped_list(std::string_view intro, const std::vector<std::string>& items,
                         const Look& look) {
  const std::size_t width = look.width == 0 ? kLineWidth : std::min(kLineWidth, look.width);
  std::string text;
  std::string line(intro);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = printable(items[i]) + (i + 1 < items.size() ? "," : "");
    if (columns_of(line) + 1 + columns_of(item) > width) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + item;
  }
  return text + line + "\n";
}

std::string closed_form_name(const PaperEstimate& paper) {
  return "OOC-Paleo's equations " + paper.equations;
}

std::string closed_form_error(const PaperEstimate& paper, Duration simulated) {
  const Duration off = *paper.time - simulated;
  if (off == Duration(0)) return "equal to the simulated time";
  const double share = share_of(off, simulated);
  if (std::abs(share) < kNoticeableShare) return "within 0.05 % of the simulated time";
  return fmt::format("{:.1f} % {} the simulated time", std::abs(share) * 100,
                     share < 0 ? "below" : "above");
}

std::vector<std::pair<std::string, std::string>> closed_form_reasons(const PaperEstimate& paper,
                                                                     Duration simulated) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const PaperEstimate::Difference& each : paper.differences) {
    if (std::abs(share_of(each.time, simulated)) < kNoticeableShare) continue;
    const Duration size = std::max(each.time, Duration(0) - each.time);
    reasons.emplace_back((each.time < Duration(0) ? "-" : "+") + format_duration(size), each.cause);
  }
  return reasons;
}

std::string category_text(MemoryCategory category) {
  std::string text(category_name(category));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string assumed_warning(const std::string& hardware, const std::vector<std::string>& assumed,
                            const Look& look) {
  if (assumed.empty()) return "";
  std::vector<std::string> names = assumed;
  // An entry for "*" answers for what no longer path covers (profile_provenance.hpp).
  std::ranges::replace(names, std::string("*"),
                       std::string("every number without another provenance"));
  return "\n" + wrapped_list(fmt::format("Warning: assumed, not measured, in profile {}:",
                                         printable(hardware)),
                             names, look);
}

std::optional<std::pair<Duration, Duration>> measured_range(const RunReport& report) {
  constexpr std::int64_t kFewest = 3;
  if (!report.feasible || !report.errors || report.errors->figures < kFewest) return std::nullopt;
  const auto measured = [&](double deviation) {
    return Duration(
        std::llround(static_cast<double>(report.iteration_time.count()) / (1 + deviation)));
  };
  return std::pair{measured(report.errors->highest), measured(report.errors->lowest)};
}

std::string measured_errors(const RunReport& report, const Look& look) {
  const std::optional<MeasuredErrors>& errors = report.errors;
  if (!errors) return "";
  const std::string title = fmt::format("Jobs like this ({}):", errors->kind);
  if (errors->figures == 0) return "\n" + wrapped_list(title, {"none measured"}, look);
  std::vector<std::string> said{fmt::format("{} measured", errors->figures),
                                "median error " + format_percent(errors->median),
                                "worst " + format_percent(errors->largest)};
  if (const auto range = measured_range(report)) {
    said.push_back(
        fmt::format("so {} to {}", format_duration(range->first), format_duration(range->second)));
  }
  return "\n" + wrapped_list(title, said, look);
}

// Works on whole lines, behind everything that makes them, so that no writer has to know the width; only tables
// do (text_table.cpp), since a table is not broken at blanks.

namespace {

constexpr char kEscape = '\x1b';

/// Length in bytes of a colour that `text` begins with, or 0.
std::size_t colour_length(std::string_view text) {
  if (text.empty() || text.front() != kEscape) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Where the second part of a line begins, or npos.
std::size_t second_part(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::string_view::npos;
  const std::size_t gap = line.find("  ", first);
  return gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Lists of choices are one word, "one|two|three", and longer than a line.
bool is_between_choices(std::string_view line, std::size_t at) {
  return line[at] == '|' && at > 0 && at + 1 < line.size() && is_letter(line[at - 1]) &&
         is_letter(line[at + 1]);
}

/// The byte behind the last blank, or "|" of a list, before the first `width` columns are full; at least one word is taken.
std::size_t break_of(std::string_view line, std::size_t width) {
  std::size_t columns = 0;
  std::size_t best = std::string_view::npos;
  bool any_word = false;
  for (std::size_t i = 0; i < line.size();) {
    if (const std::size_t colour = colour_length(line.substr(i)); colour > 0) {
      i += colour;
      continue;
    }
    if (line[i] == ' ' && any_word) {
      if (columns > width && best != std::string_view::npos) return best;
      best = i + 1;
      if (columns > width) return best;
    }
    any_word = any_word || line[i] != ' ';
    columns += starts_code_point(line[i]) ? 1U : 0U;
    ++i;
    if (columns <= width && is_between_choices(line, i - 1)) best = i;
  }
  return columns > width && best != std::string_view::npos ? best : line.size();
}

std::string without_blanks_at_end(std::string_view line) {
  return std::string(line.substr(0, line.find_last_not_of(' ') + 1));
}

std::string folded_line(std::string_view line, std::size_t width) {
  if (columns_of(line) <= width) return std::string(line) + "\n";
  constexpr std::size_t kBelow = 6;
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + 2;
  std::string text;
  std::string rest(line);
  if (const std::size_t second = second_part(line); second != std::string_view::npos) {
    const bool beside = second <= width / 2;
    indent = beside ? second : kBelow;
    if (!beside) {
      text = without_blanks_at_end(line.substr(0, second)) + "\n";
      rest = std::string(indent, ' ') + std::string(line.substr(second));
    }
  }
  while (columns_of(rest) > width) {
    const std::size_t end = break_of(rest, width);
    if (end >= rest.size()) break;
    text += without_blanks_at_end(std::string_view(rest).substr(0, end)) + "\n";
    rest = std::string(indent, ' ') + rest.substr(end);
  }
  return text + rest + "\n";
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t colour = colour_length(text.substr(i));
    if (colour == 0) columns += starts_code_point(text[i]) ? 1U : 0U;
    i += std::max<std::size_t>(colour, 1);
  }
  return columns;
}

std::string folded(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += folded_line(text.substr(0, end), width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace ooc
