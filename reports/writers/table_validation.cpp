// `validate` for people: a heading for each row, a line for each figure, then what needs attention and
// one line that counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"
#include "reports/writers/validation_text.hpp"

namespace ooc {
namespace {

std::string plain(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e6)
    return group_thousands(std::llround(value));
  return significant(value);
}

std::string with_unit(std::string number, const std::string& unit) {
  if (unit.empty() || number == "-") return number;
  return number + " " + unit;
}

std::string signed_percent(double ratio) {
  if (std::abs(ratio) < 0.0005) return "0.0 %";  // no sign
  return fmt::format("{:+.1f} %", ratio * 100);
}

std::string what(const CheckReport& check, const PointReport& point) {
  if (point.point.empty()) return check.name;
  return check.name.empty() ? point.point : check.name + ", " + point.point;
}

std::string deviation_text(const PointReport& point) {
  return point.deviation ? signed_percent(*point.deviation) : "";
}

struct Lines {
  TextTable table{{{"", Align::kLeft},
                   {"predicted"},
                   {"reference"},
                   {"deviation"},
                   {"allowed", Align::kLeft},
                   {"kind", Align::kLeft},
                   {"verdict", Align::kLeft}}};
  std::vector<std::string> headings;     ///< of rows
  std::vector<std::size_t> first_lines;  ///< of rows, in the table
  std::size_t count = 0;
};

void add_row(const RowReport& row, Lines& lines) {
  lines.headings.push_back(printable(fmt::format("{:<4} {} [{}]", row.id, row.title, row.source)));
  lines.first_lines.push_back(lines.count);
  for (const CheckReport& check : row.checks) {
    for (const PointReport& point : check.points) {
      const bool not_run = point.verdict == Verdict::kNotRun;
      lines.table.add_row(
          {"  " + printable(what(check, point)),
           not_run ? "-" : printable(predicted_text(check, point)),
           point.published ? printable(figure_text(check, *point.published)) : "",
           deviation_text(point), printable(not_run ? "" : allowed_text(check, point)),
           std::string(kind_name(check.kind)), std::string(verdict_name(point.verdict))});
      ++lines.count;
    }
  }
}

/// The table's lines with the headings of the rows between them.
std::string interleaved(const Lines& lines, const Look& look) {
  const std::string table = lines.table.text(look);
  std::string text;
  std::size_t line = 0;  // 0 is that of the titles
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = table.find('\n', begin);
    while (line > 0 && row < lines.first_lines.size() && lines.first_lines[row] == line - 1) {
      text += bold(lines.headings[row++], look) + "\n";
    }
    text += table.substr(begin, end - begin + 1);
    begin = end + 1;
    ++line;
  }
  return text;
}

/// Words wrapped at 100 columns behind an indent.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + word.size() > 100) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    begin = end + 1;
  }
  return out + "\n";
}

/// "predicted 19.0 %, allowed 3 to 15 %".
std::string missed_by(const CheckReport& check, const PointReport& point) {
  std::string text = "predicted " + predicted_text(check, point);
  if (point.published) text += ", reference " + figure_text(check, *point.published);
  return text + ", " + allowed_text(check, point);
}

/// What needs attention of one check: which figures, and why.
struct Attention {
  std::string figures;
  std::string reason;
};

std::string reason_of(const CheckReport& check, const PointReport& point) {
  switch (point.verdict) {
    case Verdict::kKnown:
    case Verdict::kNotRun:
      return check.cause;
    case Verdict::kUnexpected:
      return "remove \"known\", this holds now";
    case Verdict::kHolds:
    case Verdict::kFails:
      break;
  }
  return point.note.empty() ? missed_by(check, point) : point.note;
}

/// The figures of that verdict; the reason is that of the first. Empty where there are none.
Attention attention(const CheckReport& check, Verdict verdict) {
  Attention found;
  std::string points;
  for (const PointReport& point : check.points) {
    if (point.verdict != verdict) continue;
    if (found.reason.empty()) found.reason = reason_of(check, point);
    if (!point.point.empty()) points += (points.empty() ? " " : "; ") + point.point;
  }
  if (found.reason.empty()) return found;
  found.figures = check.name;
  if (!points.empty()) found.figures += (check.name.empty() ? "at" : ", at") + points;
  return found;
}

/// A paragraph for each check with a figure of that verdict; neighbours with the same reason share one.
std::string causes(const ValidationReport& report, Verdict verdict, const std::string& title,
                   const Look& look) {
  std::string text;
  for (const RowReport& row : report.rows) {
    std::vector<Attention> all;
    for (const CheckReport& check : row.checks) {
      Attention next = attention(check, verdict);
      if (next.reason.empty()) continue;
      if (!all.empty() && all.back().reason == next.reason) {
        all.back().figures += "; " + next.figures;
      } else {
        all.push_back(std::move(next));
      }
    }
    for (const Attention& each : all) {
      const std::string words =
          each.figures.empty() ? each.reason : each.figures + ": " + each.reason;
      text += printable(fmt::format("  {:<4} ", row.id)) + wrapped(printable(words), 7);
    }
  }
  if (text.empty()) return text;
  return "\n" + (verdict == Verdict::kFails ? bold_red(title, look) : bold(title, look)) + "\n" +
         text;
}

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

std::string format_duration_s(double seconds) {
  return format_duration(Duration(std::llround(seconds * 1e9)));
}

void add_errors(TextTable& table, const MeasuredSetReport& set) {
  const ErrorStatistics& errors = set.errors;
  table.add_row({printable(set.title), fmt::format("{}", errors.count), percent(errors.mean),
                 percent(errors.median), percent(errors.largest), signed_percent(errors.bias),
                 set.goal ? percent(*set.goal) + (errors.mean <= *set.goal ? "" : " missed") : "",
                 std::string(kind_name(set.kind))});
}

/// |predicted / measured - 1| of whole networks, a line a data set; of one set alone a line a network
/// before it.
std::string measured_table(const std::vector<MeasuredSetReport>& sets, const Look& look) {
  if (sets.empty()) return "";
  std::string text;
  if (sets.size() == 1) {
    TextTable rows{{{"network", Align::kLeft}, {"predicted"}, {"measured"}, {"deviation"}}};
    for (const MeasuredRowReport& row : sets.front().rows) {
      rows.add_row({printable(row.label), format_duration_s(row.predicted_s),
                    format_duration_s(row.measured_s), signed_percent(row.deviation())});
    }
    text += rows.text(look) + "\n";
  }
  TextTable table{{{"networks in core", Align::kLeft},
                   {"n"},
                   {"mean"},
                   {"median"},
                   {"largest"},
                   {"bias"},
                   {"goal", Align::kLeft},
                   {"kind", Align::kLeft}}};
  for (const MeasuredSetReport& set : sets) add_errors(table, set);
  return text + table.text(look) + "  |predicted / measured - 1|; bias with its sign\n";
}

std::string count_line(const ValidationReport& report) {
  const ValidationSummary& sum = report.summary;
  std::string text = fmt::format("{} row{}: {} hold{}", sum.rows, sum.rows == 1 ? "" : "s",
                                 sum.hold, sum.hold == 1 ? "s" : "");
  const auto add = [&](int number, std::string_view words) {
    if (number > 0) text += fmt::format(", {} {}", number, words);
  };
  add(sum.fail, sum.fail == 1 ? "FAILS" : "FAIL");
  add(sum.fail_order, sum.fail_order == 1 ? "FAILS in order only" : "FAIL in order only");
  add(sum.known, sum.known == 1 ? "fails as known" : "fail as known");
  add(sum.not_run, "not run");
  if (sum.unexpected > 0) {
    text += fmt::format("; {} of them marked as failing, though figures of {} hold", sum.unexpected,
                        sum.unexpected == 1 ? "it" : "them");
  }
  return text + "\n";
}

/// What the figures are worth, the error of what was predicted first.
std::string kinds_table(const ValidationReport& report, const Look& look) {
  TextTable table{{{"what it is worth", Align::kLeft},
                   {"figures"},
                   {"hold"},
                   {"n"},
                   {"median"},
                   {"mean"},
                   {"largest"}}};
  for (const KindReport& kind : kinds_of(report)) {
    const ErrorStatistics& errors = kind.errors;
    const auto share = [&](double ratio) { return errors.count > 0 ? percent(ratio) : ""; };
    table.add_row({kind.kind == FigureKind::kOrder
                       ? "order, sign, yes or no"
                       : fmt::format("{}, {}", kind_name(kind.kind),
                                     kind.networks ? "networks in core" : "published figures"),
                   fmt::format("{}", kind.figures),
                   kind.networks ? "" : fmt::format("{}", kind.hold),
                   errors.count > 0 ? fmt::format("{}", errors.count) : "", share(errors.median),
                   share(errors.mean), share(errors.largest)});
  }
  return table.text(look) +
         "  |predicted / published - 1| of n figures; predicted: no number, network or\n"
         "  criterion was chosen with the figure in sight; fitted: one was\n";
}

}  // namespace

std::string figure_text(const CheckReport& check, double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return "none";  // what a formula put for "never"
  if (check.truth) return value != 0 ? "yes" : "no";
  return with_unit(plain(value / check.factor), check.unit);
}

std::string predicted_text(const CheckReport& check, const PointReport& point) {
  if (point.predicted.empty()) return "-";  // not run
  if (point.predicted.size() == 1) return figure_text(check, point.predicted[0]);
  // The unit once, behind the last, unless that has none.
  CheckReport bare = check;
  CheckReport last = check;
  (std::isfinite(point.predicted.back()) ? bare : last).unit.clear();
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < point.predicted.size(); ++i) {
    if (point.predicted.size() > kMost && i == kMost / 2) parts.push_back("..");
    const bool middle =
        point.predicted.size() > kMost && i >= kMost / 2 && i < point.predicted.size() - kMost / 2;
    if (!middle) parts.push_back(figure_text(bare, point.predicted[i]));
  }
  const std::string_view between = check.rule == "predicted_to" ? " to "
                                   : check.rule == "ascending"  ? " < "
                                                                : ", ";
  return with_unit(fmt::format("{}", fmt::join(parts, between)), last.unit);
}

std::string allowed_text(const CheckReport& check, const PointReport& point) {
  if (check.rule == "tolerance") {
    if (*check.tolerance == 0) return "exactly";
    return fmt::format("± {:g} %", *check.tolerance * 100);
  }
  if (check.rule == "between") {
    if (!point.low) return "at most " + figure_text(check, *point.high);
    if (!point.high) return "at least " + figure_text(check, *point.low);
    CheckReport bare = check;
    bare.unit.clear();
    return figure_text(bare, *point.low) + " to " + figure_text(check, *point.high);
  }
  if (check.rule == "predicted_to") return "around reference";
  if (check.rule == "ascending") return "ascending";
  return check.rule;
}

std::string table_validation(const ValidationReport& report, const WriteOptions& options) {
  const std::string measured = measured_table(report.measured, options.look);
  const Look& look = options.look;
  if (report.rows.empty()) {
    return measured + (report.measured.size() > 1 ? "\n" + kinds_table(report, look) : "");
  }
  Lines lines;
  for (const RowReport& row : report.rows) add_row(row, lines);
  return measured + (measured.empty() ? "" : "\n") + interleaved(lines, look) +
         causes(report, Verdict::kFails, "Fails", look) +
         causes(report, Verdict::kKnown, "Fails, and it is known why", look) +
         causes(report, Verdict::kNotRun, "Not run", look) +
         causes(report, Verdict::kUnexpected, "Marked as failing, and holds", look) + "\n" +
         count_line(report) + "\n" + kinds_table(report, look);
}

}  // namespace ooc
