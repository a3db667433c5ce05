// `validate` for people: a line for each row of few files, a line for each of many files; then rows that need attention
// and the errors by kind of job and of figure.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reports/writers/csv.hpp"
#include "reports/writers/json.hpp"
#include "reports/writers/text_table.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {
namespace {

/// Files from which each has one line in place of one for each row.
constexpr std::size_t kMany = 8;

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }
std::string signed_percent(double ratio) {
  return std::abs(ratio) < 0.0005 ? "0.0 %" : fmt::format("{:+.1f} %", ratio * 100);
}
std::string count(std::size_t number) { return fmt::format("{}", number); }

std::string figure_text(const Figure& figure, double value, bool with_unit = true) {
  if (std::isnan(value)) return "-";
  if (figure.is_truth) return value != 0 ? "yes" : "no";
  const bool whole = value == std::floor(value) && std::abs(value) < 1e6;
  std::string text = whole ? group_thousands(std::llround(value)) : significant(value);
  return figure.unit.empty() || !with_unit ? text : text + " " + figure.unit;
}

std::string allowed_text(const Figure& figure) {
  if (figure.tolerance) {
    return *figure.tolerance == 0 ? "exactly" : fmt::format("± {:g} %", *figure.tolerance * 100);
  }
  if (!figure.low && !figure.high) return "";
  if (!figure.low) return "at most " + figure_text(figure, *figure.high);
  if (!figure.high) return "at least " + figure_text(figure, *figure.low);
  return figure_text(figure, *figure.low, false) + " to " + figure_text(figure, *figure.high);
}

std::string title_of(const FigureFile& file) {
  return printable(fmt::format("{:<4} {} [{}]", file.id, file.title, file.source));
}

std::string rows_table(const std::vector<FileReport>& files, const Look& look) {
  std::string titles;
  TextTable table{{left("file"), left("figure"), "predicted", "published", "deviation",
                   left("allowed"), left("kind"), left("verdict")}};
  for (const FileReport& file : files) {
    titles += bold(title_of(file.file), look) + "\n";
    for (const FigureReport& row : file.rows) {
      const Figure& figure = row.figure;
      table.add_row({file.file.id, label_of(figure), figure_text(figure, row.predicted),
                     figure.published ? figure_text(figure, *figure.published) : "",
                     row.deviation ? signed_percent(*row.deviation) : "", allowed_text(figure),
                     std::string(kind_name(figure.kind)), std::string(verdict_name(row.verdict))});
    }
  }
  return titles + table.text(look);
}

/// "swapping, fitted" of a group, "fitted, networks in core" of all, a title of a file.
std::string name_of(const ErrorLine& line, bool with_kind) {
  if (!with_kind) return line.name;
  if (!line.name.empty()) return fmt::format("{}, {}", line.name, kind_name(line.kind));
  if (line.kind == FigureKind::kOrder) return "order, sign, yes or no";
  return fmt::format("{}, {}", kind_name(line.kind),
                     line.networks ? "networks in core" : "published figures");
}

std::string errors_table(const std::string& title, const std::vector<ErrorLine>& lines,
                         bool with_kind, const Look& look) {
  std::vector<TextTable::Column> columns{left(title)};
  for (const char* name : {"figures", "hold", "n", "median", "mean", "largest", "bias"}) {
    columns.push_back(name);
  }
  const bool goals =
      std::ranges::any_of(lines, [](const ErrorLine& line) { return line.goal.has_value(); });
  if (goals) columns.push_back(left("goal"));
  TextTable table(columns);
  for (const ErrorLine& line : lines) {
    const ErrorStatistics errors = error_statistics(line.deviations);
    std::vector<std::string> cells{printable(name_of(line, with_kind)), count(line.figures),
                                   line.networks || line.judged == 0 ? ""
                                   : line.judged == line.figures
                                       ? count(line.hold)
                                       : fmt::format("{} of {}", line.hold, line.judged)};
    if (errors.count > 0) {
      cells.insert(cells.end(), {count(errors.count), percent(errors.median), percent(errors.mean),
                                 percent(errors.largest), signed_percent(errors.bias)});
    }
    cells.resize(8);
    const bool missed = line.goal && errors.mean > *line.goal;
    if (goals) cells.push_back(line.goal ? percent(*line.goal) + (missed ? " missed" : "") : "");
    table.add_row(std::move(cells));
  }
  return lines.empty() ? "" : table.text(look);
}

std::string reason_of(const FigureReport& row) {
  const Figure& figure = row.figure;
  if (row.verdict == Verdict::kKnown) return figure.known;
  if (row.verdict == Verdict::kUnexpected) return "remove \"known\", this holds now";
  if (!row.why.empty()) return row.why;
  std::string text = "predicted " + figure_text(figure, row.predicted);
  if (figure.published) text += ", published " + figure_text(figure, *figure.published);
  return text + ", " + allowed_text(figure);
}

std::string attention(const ValidationReport& report, Verdict verdict, const std::string& title,
                      const Look& look) {
  std::string text;
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) {
      const bool has_number = verdict == Verdict::kReported && row.why.empty();
      if (row.verdict != verdict || has_number) continue;
      const std::string line = printable(
          fmt::format("  {:<4}  {}: {}", file.file.id, label_of(row.figure), reason_of(row)));
      text += folded(line, 100);
    }
  }
  if (text.empty()) return text;
  return (verdict == Verdict::kFails ? bold_red(title, look) : bold(title, look)) + "\n" + text;
}

std::string left_out_table(const ValidationReport& report, const Look& look) {
  TextTable table{{left("cannot be asked"), left("why"), "figures"}};
  bool any = false;
  for (const FileReport& file : report.files) {
    for (const LeftOut& each : file.file.left_out) {
      table.add_row({file.file.id, printable(each.reason), count(each.figures)});
      any = true;
    }
  }
  return any ? table.text(look) : "";
}

/// "4 rows: 2 hold, 1 FAILS, 1 fails as known"
std::string count_line(const ValidationReport& report) {
  std::size_t rows = 0;
  for (const FileReport& file : report.files) rows += file.file.networks ? 0 : file.rows.size();
  if (rows == 0) return "";
  const std::size_t marked = count_of(report, Verdict::kUnexpected);
  const std::size_t hold = count_of(report, Verdict::kHolds) + marked;
  const std::size_t order = count_of(report, Verdict::kFails, FigureKind::kOrder);
  std::string text =
      fmt::format("{} row{}: {} hold{}", rows, rows == 1 ? "" : "s", hold, hold == 1 ? "s" : "");
  const auto add = [&](std::size_t number, std::string_view one, std::string_view many) {
    if (number > 0) text += fmt::format(", {} {}", number, number == 1 ? one : many);
  };
  add(count_of(report, Verdict::kFails) - order, "FAILS", "FAIL");
  add(order, "FAILS in order only", "FAIL in order only");
  add(count_of(report, Verdict::kKnown), "fails as known", "fail as known");
  add(count_of(report, Verdict::kReported), "only reported", "only reported");
  if (marked > 0) text += fmt::format("; {} of them marked as failing", marked);
  return text + "\n";
}

}  // namespace

std::string table_validation(const ValidationReport& report, const WriteOptions& options) {
  const Look& look = options.look;
  const bool in_full = report.files.size() < kMany;
  std::string text;
  for (const std::string& part :
       {in_full ? rows_table(report.files, look) : "",
        errors_table("networks in core", by_file(report, true), true, look),
        in_full ? "" : errors_table("published figures", by_file(report, false), false, look),
        attention(report, Verdict::kFails, "Fails", look),
        attention(report, Verdict::kKnown, "Fails, and it is known why", look),
        attention(report, Verdict::kUnexpected, "Marked as failing, and holds", look),
        attention(report, Verdict::kReported, "No number", look), count_line(report),
        errors_table("kind of job", by_group(report), true, look), left_out_table(report, look),
        errors_table("what it is worth", by_kind(report), true, look)}) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  }
  return text +
         "  |predicted / published - 1| of n figures; predicted: no number, network or\n"
         "  criterion was chosen to meet the figure; fitted: one was\n";
}

// A row of a validation as columns, and their CSV: one line a figure or network, numbers in the row's unit.

namespace {

MetricValue text_of(const std::string& text) {
  return text.empty() ? MetricValue{} : MetricValue{text};
}

MetricValue number_of(const std::optional<double>& number, bool is_truth = false) {
  if (!number || std::isnan(*number)) return {};
  return is_truth ? MetricValue{*number != 0} : MetricValue{*number};
}

MetricValue command_of(const std::optional<Asked>& asked) {
  if (!asked) return {};
  return fmt::format("{}", fmt::join(words_of(*asked), " "));
}

Cells cells_of(const FigureFile& file, const FigureReport& row) {
  const Figure& figure = row.figure;
  return {{"id", file.id},
          {"name", figure.name},
          {"at", text_of(figure.at)},
          {"kind", std::string(kind_name(figure.kind))},
          {"group", text_of(figure.group)},
          {"predicted", number_of(row.predicted, figure.is_truth)},
          {"published", number_of(figure.published, figure.is_truth)},
          {"unit", figure.unit},
          {"deviation", number_of(row.deviation)},
          {"tolerance", number_of(figure.tolerance)},
          {"low", number_of(figure.low)},
          {"high", number_of(figure.high)},
          {"verdict", std::string(verdict_key(row.verdict))},
          {"job", command_of(figure.asked)},
          {"metric", text_of(figure.asked.metric)},
          {"relation", text_of(!figure.against        ? ""
                               : figure.is_difference ? "minus"
                                                      : "against")},
          {"other_job", command_of(figure.against)},
          {"other_metric", figure.against ? text_of(figure.against->metric) : MetricValue{}},
          {"source", figure.source},
          {"note", text_of(row.why.empty() ? figure.note : row.why)},
          {"known", text_of(figure.known)}};
}

}  // namespace

std::string csv_validation(const ValidationReport& report, const WriteOptions&) {
  std::string text;
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) add_csv_line(text, cells_of(file.file, row));
  }
  return text;
}

// The JSON of a validation (docs/formats.md, 8): every row with its job, numbers in the row's unit.

namespace {

void put_errors(JsonWriter& json, const ErrorStatistics& errors) {
  json.member("n", static_cast<std::int64_t>(errors.count)).member("mean", errors.mean);
  json.member("median", errors.median).member("largest", errors.largest);
  json.member("bias", errors.bias);
}

void put_line(JsonWriter& json, const ErrorLine& line) {
  json.member("kind", kind_name(line.kind));
  if (line.name.empty()) {
    json.member("of", line.networks ? "networks in core" : "published figures");
  } else {
    json.member("group", line.name);
  }
  json.member("figures", static_cast<std::int64_t>(line.figures));
  if (!line.networks) {
    json.member("judged", static_cast<std::int64_t>(line.judged));
    json.member("holds", static_cast<std::int64_t>(line.hold));
  }
  if (!line.deviations.empty()) put_errors(json, error_statistics(line.deviations));
}

void put_file(JsonWriter& json, const FileReport& report) {
  const FigureFile& file = report.file;
  json.member("id", file.id).member("title", file.title).member("source", file.source);
  json.member("conditions", if_any(file.conditions)).member("file", file.document->file);
  json.member("axis", if_any(file.axis));
  if (file.networks) {
    json.member("kind", kind_name(file.rows.front().kind)).member("goal", file.goal);
    put_errors(json, errors_of(report));
  }
  if (file.left_out.empty()) return;
  json.objects("left_out", file.left_out, [&](const LeftOut& each) {
    json.member("figures", static_cast<std::int64_t>(each.figures));
    json.member("reason", each.reason);
  });
}

/// Sets of measured networks with their rows, as other programs read them; `files` and `rows` have the same.
void put_networks(JsonWriter& json, const ValidationReport& report) {
  json.begin_list("measured_networks");
  for (const FileReport& set : report.files) {
    if (!set.file.networks) continue;
    json.begin_object();
    put_file(json, set);
    json.objects("rows", set.rows, [&](const FigureReport& row) {
      json.member("row", row.figure.name).member("predicted_s", row.predicted);
      json.member("measured_s", row.figure.published).member("deviation", row.deviation);
      if (!row.why.empty()) json.member("why", row.why);
    });
    json.end();
  }
  json.end();
}

}  // namespace

std::string json_validation(const ValidationReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  begin_result(json, "ooc-paleo/validation", options.tool);
  json.begin_object("summary");
  const auto count = [&](const char* key, Verdict verdict, std::optional<FigureKind> kind = {}) {
    json.member(key, static_cast<std::int64_t>(count_of(report, verdict, kind)));
  };
  count("holds", Verdict::kHolds);
  count("fails", Verdict::kFails);
  count("order_fails", Verdict::kFails, FigureKind::kOrder);
  count("fails_known", Verdict::kKnown);
  count("marked_but_holds", Verdict::kUnexpected);
  count("reported", Verdict::kReported);
  const auto put = [&](const ErrorLine& line) { put_line(json, line); };
  json.objects("kinds", by_kind(report), put).objects("groups", by_group(report), put);
  json.objects("jobs", by_job_kind(report), [&](const ErrorLine& line) {
    put(line);
    const ErrorStatistics errors = error_statistics(line.deviations);
    json.member("lowest", errors.lowest).member("highest", errors.highest);
  });
  json.end();
  put_networks(json, report);
  json.objects("files", report.files, [&](const FileReport& file) { put_file(json, file); });
  json.begin_list("rows");
  for (const FileReport& file : report.files) {
    for (const FigureReport& row : file.rows) put_record(json, cells_of(file.file, row));
  }
  json.end();
  json.end();
  return std::move(text) + "\n";
}

}  // namespace ooc
