// `need` for people: the schedules with which something suffices, the smallest first, and why the others have
// none.
#include <fmt/format.h>

#include <algorithm>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

std::string value_text(Needed what, std::int64_t value) {
  return is_rate(what) ? format_rate(BytesPerSecond(value)) : bytes_to_the_last(Bytes(value));
}

/// The lower end of the bracket.
std::string below_text(Needed what, const NeedRow& row) {
  const auto [low, high] = *row.bracket;
  if (low == 0) return "-";
  if (is_rate(what)) return format_rate(BytesPerSecond(low));
  return high - low == 1 ? "1 B less" : format_bytes(Bytes(low));
}

std::string_view thing(Needed what) {
  switch (what) {
    case Needed::kLink:
      return "slowest link, both directions,";
    case Needed::kLinkToFar:
      return "slowest link to far memory";
    case Needed::kLinkToNear:
      return "slowest link to near memory";
    case Needed::kNearMemory:
      return "smallest near memory";
    case Needed::kFarMemory:
      return "smallest far memory";
    case Needed::kFarThroughput:
      return "slowest far memory";
  }
  return "";
}

std::string goal_text(const NeedReport& report) {
  if (report.time) return "an iteration within " + format_duration(*report.time);
  const double within =
      static_cast<double>(report.within.count()) / static_cast<double>(kOne.count());
  return fmt::format("times within {} of computing alone", format_percent(within));
}

std::string head(const NeedReport& report, const Look& look) {
  const RunInputs& in = report.inputs;
  std::string text =
      bold(printable(fmt::format("The {} for {}: {} on {}, batch {}{}, {}", thing(report.what),
                                 goal_text(report), network_text(in), in.hardware,
                                 group_thousands(in.batch),
                                 in.devices > 1 ? fmt::format(", {} devices", in.devices) : "",
                                 framework_text(in.framework, in.framework_meaning))),
           look);
  text += fmt::format("\nnow {}; ", value_text(report.what, report.now));
  if (report.what != Needed::kNearMemory) {
    text += fmt::format("near memory {}; ", format_bytes(in.memory));
  }
  const bool choice = std::any_of(report.rows.begin(), report.rows.end(), [](const NeedRow& row) {
    return row.run && !row.run->inputs.algorithms.empty();
  });
  return text + fmt::format("links {}\ncompute alone takes {}{}\n", printable(in.mode),
                            format_duration(report.reference_time),
                            choice ? " with the fastest algorithms" : "");
}

bool moves(const RunReport& run) { return run.to_far + run.to_near > Bytes(0); }

/// Columns that are there only where they tell rows apart.
struct Shown {
  bool rounds = false;
};

std::vector<std::string> cells_of(const NeedReport& report, const NeedRow& row, Shown shown) {
  const RunReport& run = *row.run;
  const bool any = *row.value == 0;
  std::vector<std::string> cells = {row.schedule, any ? "any" : value_text(report.what, *row.value),
                                    below_text(report.what, row)};
  if (shown.rounds) cells.push_back(group_thousands(run.rounds));
  cells.insert(cells.end(), {format_duration(run.iteration_time), significant(run.slowdown) + "x",
                             significant(run.samples_per_s), format_bytes(run.peak_near),
                             moves(run) ? format_bytes(run.to_far + run.to_near) : "nothing",
                             run.limited_by, moves(run) ? run.link_limited_by : "-"});
  return cells;
}

std::string sufficing(const NeedReport& report, const std::vector<std::size_t>& order,
                      const Look& look) {
  Shown shown;
  for (const std::size_t i : order) {
    const RunReport& run = *report.rows[i].run;
    shown.rounds = shown.rounds || run.rounds > 1;
  }
  std::vector<TextTable::Column> columns = {{"schedule", Align::kLeft},
                                            {std::string(needed_word(report.what))},
                                            {"too little", Align::kRight, 7}};
  if (shown.rounds) columns.push_back({"rounds", Align::kRight, 2});
  columns.insert(columns.end(), {{"time"},
                                 {"slowdown"},
                                 {"samples/s", Align::kRight, 4},
                                 {"peak", Align::kRight, 5},
                                 {"copied", Align::kRight, 6},
                                 {"limited by", Align::kLeft},
                                 {"copies by", Align::kLeft, 3}});
  TextTable table(std::move(columns));
  for (const std::size_t i : order) table.add_row(cells_of(report, report.rows[i], shown));
  std::string text = "\n" + table.text(look);
  text += fmt::format(
      "  {}: was run, and so was what is too little, at most 1 % less (-: nothing less was "
      "tried);\n  any: nothing moves\n",
      needed_word(report.what));
  if (table.shows("rounds", look))
    text += "  rounds: the batch in parts, gradients add up to one update\n";
  return text +
         "  limited by, copies by: the largest loss, and what sets the rate of copies, there\n";
}

std::string without(const NeedReport& report, const std::vector<std::size_t>& order,
                    const Look& look) {
  TextTable table(
      {{"schedule", Align::kLeft}, {"time at best"}, {"slowdown"}, {"why", Align::kLeft}});
  for (const std::size_t i : order) {
    const NeedRow& row = report.rows[i];
    const bool runs = row.run && row.run->feasible;
    table.add_row({row.schedule, runs ? format_duration(row.run->iteration_time) : "-",
                   runs ? significant(row.run->slowdown) + "x" : "-", printable(row.reason_text)});
  }
  return "\n" + bold_red("None suffices", look) + "\n" + table.text(look);
}

}  // namespace

std::string table_need(const NeedReport& report, const WriteOptions& options) {
  std::vector<std::size_t> some;
  std::vector<std::size_t> none;
  for (const std::size_t i : best_first(report)) (report.rows[i].value ? some : none).push_back(i);
  std::string text = head(report, options.look);
  if (!some.empty()) text += sufficing(report, some, options.look);
  if (!none.empty()) text += without(report, none, options.look);
  return text + assumed_warning(report.inputs.hardware, report.assumed, options.look);
}

}  // namespace ooc
