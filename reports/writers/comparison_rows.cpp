// What is alike in all rows stands in the head, what is not alike below the table.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "model/base/named.hpp"
#include "model/base/quantity_io.hpp"
#include "reports/writers/rows.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

using Runs = std::vector<const RunReport*>;
using Holds = std::function<bool(const RunReport& report)>;

bool any(const Runs& runs, const Holds& holds) {
  return std::ranges::any_of(runs, [&](const RunReport* each) { return holds(*each); });
}

/// Names of those for which it holds, between commas.
std::string names_where(const Runs& runs, const Holds& holds) {
  std::string names;
  for (const RunReport* each : runs) {
    if (holds(*each)) names += (names.empty() ? "" : ", ") + each->inputs.schedule;
  }
  return names;
}

bool is_in_rounds(const RunReport& report) { return !report.inputs.row.empty(); }

/// A bound holds for problem, budget and class of schedules: usually the same for all rows of a class, and said once. By
/// class, in the order of the reports; empty where rows of a class differ. Rows in rounds of their own sizes have bounds
/// of their own, which only their gap shows.
std::vector<std::pair<std::string, Duration>> common_bounds(const std::vector<RunReport>& reports) {
  std::vector<std::pair<std::string, Duration>> bounds;
  for (const RunReport& report : reports) {
    if (!report.feasible || !report.lower_bound.has_value() || is_in_rounds(report)) continue;
    const auto* known = find_named(bounds, report.bound_class);
    if (known == nullptr) {
      bounds.emplace_back(report.bound_class, *report.lower_bound);
    } else if (known->second != *report.lower_bound) {
      return {};
    }
  }
  return bounds;
}

std::string memory_text(const RunInputs& in) {
  return (in.far_memory_given ? "far memory " + format_bytes(in.far_memory) + "; " : "") +
         "links " + printable(in.mode);
}

std::string bounds_text(const std::vector<RunReport>& reports) {
  const auto bounds = common_bounds(reports);
  const bool alike = std::ranges::all_of(
      bounds, [&](const auto& bound) { return bound.second == bounds.front().second; });
  if (bounds.size() > 1 && alike) {
    return "; the lower bound is " + format_duration(bounds.front().second);
  }
  std::string text;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    text += fmt::format("{} {} is {}", i == 0 ? "; the lower bound for" : ",\nfor", bounds[i].first,
                        format_duration(bounds[i].second));
  }
  return text;
}

std::vector<std::string> comparison_head(const std::vector<RunReport>& reports) {
  const RunReport& first = reports.front();
  const auto least = std::ranges::min_element(reports, {}, &RunReport::in_core_peak);
  return {fmt::format("near memory {}, {} when nothing moves; {}", format_bytes(first.budget_near),
                      format_bytes(least->in_core_peak), memory_text(first.inputs)),
          fmt::format("compute alone takes {}{}{}", format_duration(first.reference_time),
                      first.inputs.algorithms.empty() ? "" : " with the fastest algorithms",
                      bounds_text(reports))};
}

std::string rounds_notes(const Runs& fits, std::string_view of_rounds) {
  std::string text;
  if (any(fits, is_in_rounds)) text += of_rounds;
  if (any(fits, &RunReport::norms_by_round)) {
    text += "  in rounds, batch norms take their statistics over a round, not over the batch\n";
  }
  return text;
}

/// What is not alike in rows that fit.
std::string differences(const Runs& fits, const Look& look) {
  std::string text;
  const std::string again = names_where(fits, [](const RunReport& r) {
    return r.stalls[static_cast<std::size_t>(StallCause::kRecompute)].count() > 0;
  });
  if (!again.empty()) {
    text += "  more work than others: " + again + " (tasks that run again or compress)\n";
  }
  if (any(fits, [](const RunReport& r) { return r.inputs.allocator == "caching"; })) {
    text += "  peak: with the caching allocator what it reserves\n";
  }
  std::vector<std::string> margins;
  for (const RunReport* each : fits) {
    if (!each->planned_for) continue;
    margins.push_back(row_name(*each) + " " + format_bytes(*each->planned_for));
  }
  if (!margins.empty()) {
    text += wrapped_list("  planned for less, what the allocator holds back:", margins, look);
  }
  const std::string kept = names_where(fits, &RunReport::keeps_gradients);
  if (!kept.empty()) {
    text += "  gradients of weights keep their memory, freed ones leave no plan as quick: " + kept +
            "\n";
  }
  return text +
         rounds_notes(fits,
                      "  in rounds (--sub-batch auto): the batch in parts, gradients add up to one "
                      "update;\n  other work than at once, so gap is above the bound of the same "
                      "rounds\n");
}

/// What their papers say of those that have closed forms, and are what those are about.
std::string closed_forms(const Runs& fits, const Look& look) {
  std::string text;
  for (const RunReport* report : fits) {
    if (!report->paper || !report->paper->time) continue;
    std::vector<std::string> items = {closed_form_error(*report->paper, report->iteration_time)};
    for (const auto& [time, cause] : closed_form_reasons(*report->paper, report->iteration_time)) {
      items.push_back((items.size() == 1 ? "for " : "") + time + " " + cause);
    }
    text += wrapped_list(
        fmt::format("  {} by {}: {},", row_name(*report), closed_form_name(*report->paper),
                    format_duration(*report->paper->time)),
        items, look);
  }
  return text;
}

std::vector<RowColumn> failing_columns(std::vector<RowColumn> columns) {
  columns.insert(columns.end(), {{"memory", "oom_tier"},
                                 {"lacks", "lacking_bytes"},
                                 {"smallest that suffices", "suffices"},
                                 {"stops at", "oom_step", 1}});
  return columns;
}

/// Most samples a second first, then those that do not fit by what they lack.
std::vector<const MachineRow*> best_first(const MachinesReport& report) {
  std::vector<const MachineRow*> order;
  for (const MachineRow& row : report.rows) order.push_back(&row);
  const auto rank = [](const MachineRow* row) {
    const RunReport& best = best_of(*row);
    return best.feasible ? std::pair(0, -best.samples_per_s)
                         : std::pair(1, static_cast<double>(lacking_bytes(best).count()));
  };
  std::ranges::stable_sort(order, [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace

/// Says that the best two differ by less than such ratios were off; empty without errors.
std::string too_close(const Runs& fits, const Look& look) {
  const RunReport& best = *fits.front();
  const auto next = std::ranges::find_if(
      fits, [&](const RunReport* each) { return each->iteration_time > best.iteration_time; });
  if (next == fits.end() || !best.errors || best.errors->ratio == 0) return "";
  const double lead = (*next)->iteration_time / best.iteration_time - 1;
  if (lead >= best.errors->ratio) return "";
  return wrapped_list(
      fmt::format("  {} is {} quicker than {}:", row_name(best), format_percent(lead),
                  row_name(**next)),
      {"too close to call", "for ratios of measured runs were off by " +
                                format_percent(best.errors->ratio) + " in the median"},
      look);
}

ResultRows comparison_rows(const std::vector<RunReport>& reports, const WriteOptions& options) {
  ResultRows rows{.format = "ooc-paleo/comparison",
                  .list = "results",
                  .json_runs = RowRuns::kResult,
                  .title = job_text(reports.front().inputs),
                  .head = comparison_head(reports)};
  Runs fits;
  for (const std::size_t i : best_first(reports)) {
    rows.rows.push_back({.runs = {reports[i]}, .fails = !reports[i].feasible});
    if (reports[i].feasible) fits.push_back(&reports[i]);
  }
  rows.columns = {{"schedule", "row"},
                  {"rounds", "rounds", 3, "", "1"},
                  {"time", "iteration_time_ns"},
                  {"slowdown", "slowdown"},
                  {"samples/s", "samples_per_s", 5},
                  {"peak", "peak_near_bytes"},
                  {"far", "peak_far_bytes", 4, "far memory that it needs"},
                  {"copied", "copied_bytes", 7, "to far and to near memory together"}};
  if (common_bounds(reports).empty()) rows.columns.push_back({"bound", "lower_bound_ns", 2});
  rows.columns.push_back(
      {"gap", "gap", 6, "time above the lower bound, by waits, slower algorithms or more work"});
  rows.columns.push_back({"largest loss", "largest_loss", 0,
                          "what costs compute the most time, tasks run again included"});
  rows.failing_columns = failing_columns({{"schedule", "row"}});
  if (fits.empty()) return rows;
  rows.notes = differences(fits, options.look) + closed_forms(fits, options.look) +
               too_close(fits, options.look);
  if (reports.front().inputs.devices > 1) {
    rows.notes += "  memory, far and copied: of each device\n";
  }
  const bool only_in_rounds =
      std::ranges::all_of(fits, [](const RunReport* each) { return is_in_rounds(*each); });
  if (only_in_rounds) rows.notes += "\nAt once, in one round, nothing fits\n";
  return rows;
}

ResultRows machine_rows(const MachinesReport& report) {
  const RunInputs& in = best_of(report.rows.front()).inputs;
  Runs fits;
  const auto any_row = [&](auto holds) { return std::ranges::any_of(report.rows, holds); };
  const bool links =
      any_row([](const MachineRow& row) { return best_of(row).inputs.transfers.link.has_value(); });
  const bool states = any_row([](const MachineRow& row) { return !row.state.empty(); });
  const bool machines = links || any_row([&](const MachineRow& row) {
                          return best_of(row).inputs.hardware != in.hardware;
                        });
  std::string each = links ? "machine and link" : "machine";
  if (states) each = machines ? each + " and state" : "state";
  ResultRows rows{
      .format = "ooc-paleo/machines",
      .list = "machines",
      .json_runs = RowRuns::kResults,
      .title = fmt::format("{}: the best schedule of each {}", job_text(in, !machines), each),
      .head = {(in.memory_given ? "near memory " + format_bytes(in.memory) + "; " : "") +
               memory_text(in)},
      .extra = {"state"}};
  for (const MachineRow* row : best_first(report)) {
    const RunReport& run = best_of(*row);
    rows.rows.push_back({.extra = {row->state.empty() ? MetricValue() : MetricValue(row->state)},
                         .runs = row->results,
                         .remarks = row->remarks,
                         .fails = !run.feasible});
    if (run.feasible) fits.push_back(&run);
  }
  if (machines || !states) rows.columns.push_back({"machine", "hardware"});
  rows.columns.insert(rows.columns.end(),
                      {{"link", "link_bytes_per_s"},
                       {"state", "state", 0, "what moves, as docs/model.md, section 10 has it"},
                       {"samples/s", "samples_per_s"},
                       {"time", "iteration_time_ns"},
                       {"slowdown", "slowdown", 0, "against computing alone on that machine"},
                       {"schedule", "row", 0,
                        "the quickest that fits; `compare` with one machine shows all of them"},
                       {"rounds", "rounds", 2, "", "1"},
                       {"near memory", "budget_near_bytes", 3},
                       {"peak", "peak_near_bytes", 6},
                       {"far", "peak_far_bytes", 5, "far memory that it needs"},
                       {"limited by", "limited_by", 7, "the largest loss"},
                       {"copies by", "copies_by", 4, "what sets the rate of copies"}});
  rows.failing_columns = failing_columns({{"machine", "hardware"},
                                          {"link", "link_bytes_per_s"},
                                          {"state", "state"},
                                          {"schedule", "row"}});
  rows.notes = rounds_notes(
      fits,
      "  in rounds: the batch in parts, gradients add up to one update: other work than at once; "
      "--sub-batch off: at once only\n");
  if (!fits.empty() && in.devices > 1) rows.notes += "  memory and far: of each device\n";
  return rows;
}

}  // namespace ooc
