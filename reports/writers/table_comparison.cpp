// `compare` for people: the schedules that fit, best first, then those that do not, with what they
// lack.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/quantity_io.hpp"
#include "reports/writers/comparison_parts.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

// " over 2 devices, gradients exchanged at the end"
std::string devices_of(const RunInputs& inputs) {
  if (inputs.devices == 1) return "";
  return fmt::format(" over {} devices, gradients exchanged {}", inputs.devices,
                     inputs.exchange == "end" ? "at the end" : "as they come");
}

double above(Duration time, Duration bound) {
  if (bound.count() == 0) return 0;
  return static_cast<double>(time.count()) / static_cast<double>(bound.count()) - 1;
}

// A bound holds for problem, budget and class of schedules: usually the same for all rows of a class,
// and said once. By class, in the order of the reports; empty where rows of a class differ. Rows in rounds
// of their own sizes have bounds of their own, which only their gap shows.
using BoundOfClass = std::vector<std::pair<std::string, Duration>>;
BoundOfClass common_bounds(const std::vector<RunReport>& reports) {
  BoundOfClass bounds;
  for (const RunReport& report : reports) {
    if (!report.feasible || !report.lower_bound.has_value() || !report.inputs.row.empty()) continue;
    const auto known = std::find_if(bounds.begin(), bounds.end(), [&](const auto& bound) {
      return bound.first == report.bound_class;
    });
    if (known == bounds.end()) {
      bounds.emplace_back(report.bound_class, *report.lower_bound);
    } else if (known->second != *report.lower_bound) {
      return {};
    }
  }
  return bounds;
}

// One for all rows: what they may use differs, what they are set against does not.
std::string compute_alone(const RunReport& report) {
  const bool choice = !report.inputs.algorithms.empty();
  return fmt::format("compute alone takes {}{}", format_duration(report.reference_time),
                     choice ? " with the fastest algorithms" : "");
}

// When nothing moves, by the thriftiest of the rules for algorithms.
Bytes least_in_core_peak(const std::vector<RunReport>& reports) {
  return std::min_element(
             reports.begin(), reports.end(),
             [](const RunReport& a, const RunReport& b) { return a.in_core_peak < b.in_core_peak; })
      ->in_core_peak;
}

std::string head(const std::vector<RunReport>& reports, const Look& look) {
  const RunReport& first = reports.front();
  std::string text =
      bold(printable(fmt::format(
               "{} on {}, batch {}{}, {}", network_text(first.inputs), first.inputs.hardware,
               group_thousands(first.inputs.batch), devices_of(first.inputs),
               framework_text(first.inputs.framework, first.inputs.framework_meaning))),
           look) +
      "\n";
  text += fmt::format("near memory {}, {} when nothing moves; {}links {}\n",
                      format_bytes(first.budget_near), format_bytes(least_in_core_peak(reports)),
                      first.inputs.far_memory_given
                          ? "far memory " + format_bytes(first.inputs.far_memory) + "; "
                          : "",
                      printable(first.inputs.mode));
  text += compute_alone(first);
  const BoundOfClass bounds = common_bounds(reports);
  const bool alike = std::all_of(bounds.begin(), bounds.end(), [&](const auto& bound) {
    return bound.second == bounds.front().second;
  });
  if (bounds.size() > 1 && alike) {
    return text + "; the lower bound is " + format_duration(bounds.front().second) + "\n";
  }
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    text += fmt::format("{} {} is {}", i == 0 ? "; the lower bound for" : ",\nfor", bounds[i].first,
                        format_duration(bounds[i].second));
  }
  return text + "\n";
}

// "link to near, 18 %": short, for the last column.
std::string loss_of(const RunReport& report) {
  const std::optional<LargestLoss> loss = largest_loss(report);
  if (!loss.has_value()) return "none";
  std::string_view name = limit_name(*loss, report);
  if (name.starts_with("link ")) name = name.substr(0, name.find(" memory"));
  if (loss->share < 0.005) return fmt::format("{}, < 1 %", name);
  return fmt::format("{}, {:.0f} %", name, loss->share * 100);
}

// A column of the table: some are there only where they tell rows apart.
struct RowColumn {
  TextTable::Column column;
  std::string (*cell)(const RunReport& report);
  bool shown = true;
};

std::vector<RowColumn> columns_for(const std::vector<RunReport>& reports) {
  const auto any = [&](auto holds) { return std::any_of(reports.begin(), reports.end(), holds); };
  using Report = const RunReport&;
  return {
      {{"schedule", Align::kLeft}, &row_name},
      {{"rounds", Align::kRight, 3},
       [](Report r) { return group_thousands(r.rounds); },
       any([](Report r) { return r.rounds > 1; })},
      {{"time"}, [](Report r) { return format_duration(r.iteration_time); }},
      {{"slowdown"}, [](Report r) { return significant(r.slowdown) + "x"; }},
      {{"samples/s", Align::kRight, 5}, [](Report r) { return significant(r.samples_per_s); }},
      {{"peak"}, [](Report r) { return format_bytes(r.peak_near); }},
      {{"far", Align::kRight, 4}, [](Report r) { return format_bytes(r.peak_far); }},
      {{"copied", Align::kRight, 7}, [](Report r) { return format_bytes(r.to_far + r.to_near); }},
      {{"bound", Align::kRight, 2},
       [](Report r) { return r.lower_bound ? format_duration(*r.lower_bound) : "-"; },
       common_bounds(reports).empty()},
      {{"gap", Align::kRight, 6},
       [](Report r) {
         return r.lower_bound ? format_percent(above(r.iteration_time, *r.lower_bound)) : "-";
       }},
      {{"largest loss", Align::kLeft}, &loss_of},
  };
}

// Names of the rows that fit and for which it holds, between commas.
template <class Holds>
std::string names_of(const std::vector<RunReport>& reports, const std::vector<std::size_t>& fits,
                     Holds holds) {
  std::string names;
  for (const std::size_t i : fits) {
    if (holds(reports[i])) names += (names.empty() ? "" : ", ") + reports[i].inputs.schedule;
  }
  return names;
}

// What is not alike in these rows.
std::string differences(const std::vector<RunReport>& reports, const std::vector<std::size_t>& fits,
                        const Look& look) {
  const auto any = [&](auto holds) {
    return std::any_of(fits.begin(), fits.end(), [&](std::size_t i) { return holds(reports[i]); });
  };
  std::string text;
  const std::string again = names_of(reports, fits, [](const RunReport& r) {
    return r.stalls[static_cast<std::size_t>(StallCause::kRecompute)].count() > 0;
  });
  if (!again.empty())
    text += "  more work than others: " + again + " (tasks that run again or compress)\n";
  if (any([](const RunReport& r) { return r.inputs.allocator == "caching"; })) {
    text += "  peak: with the caching allocator what it reserves\n";
  }
  std::vector<std::string> margins;
  for (const std::size_t i : fits) {
    if (!reports[i].planned_for) continue;
    margins.push_back(row_name(reports[i]) + " " + format_bytes(*reports[i].planned_for));
  }
  if (!margins.empty()) {
    text += wrapped_list("  planned for less, what the allocator holds back:", margins, look);
  }
  const std::string kept =
      names_of(reports, fits, [](const RunReport& r) { return r.keeps_gradients; });
  if (!kept.empty()) {
    text += "  gradients of weights keep their memory, freed ones leave no plan as quick: " + kept +
            "\n";
  }
  if (any([](const RunReport& r) { return !r.inputs.row.empty(); })) {
    text +=
        "  in rounds (--sub-batch auto): the batch in parts, gradients add up to "
        "one "
        "update;\n  other work than at once, so gap is above the bound of the same rounds\n";
  }
  if (any([](const RunReport& r) { return r.norms_by_round; })) {
    text += "  in rounds, batch norms take their statistics over a round, not over the batch\n";
  }
  return text;
}

// What their papers say of those that have closed forms, and are what those are about.
std::string closed_forms(const std::vector<RunReport>& reports,
                         const std::vector<std::size_t>& fits, const Look& look) {
  std::string text;
  for (const std::size_t i : fits) {
    const RunReport& report = reports[i];
    if (!report.paper || !report.paper->time) continue;
    std::vector<std::string> items = {closed_form_error(*report.paper, report.iteration_time)};
    for (const auto& [time, cause] : closed_form_reasons(*report.paper, report.iteration_time)) {
      items.push_back((items.size() == 1 ? "for " : "") + time + " " + cause);
    }
    text += wrapped_list(
        fmt::format("  {} by {}: {},", row_name(report), closed_form_name(*report.paper),
                    format_duration(*report.paper->time)),
        items, look);
  }
  return text;
}

std::string fitting(const std::vector<RunReport>& reports, const std::vector<std::size_t>& order,
                    const Look& look) {
  std::vector<RowColumn> shown = columns_for(reports);
  std::erase_if(shown, [](const RowColumn& each) { return !each.shown; });
  std::vector<TextTable::Column> titles;
  for (const RowColumn& each : shown) titles.push_back(each.column);
  TextTable table(titles);
  for (const std::size_t i : order) {
    std::vector<std::string> cells;
    for (const RowColumn& each : shown) cells.push_back(each.cell(reports[i]));
    table.add_row(std::move(cells));
  }
  std::string notes;
  if (table.shows("copied", look)) {
    notes += fmt::format("  {}copied: to far and to near memory together\n",
                         table.shows("far", look) ? "far: far memory that it needs; " : "");
  }
  if (table.shows("gap", look)) {
    notes += "  gap: time above the lower bound, by waits, slower algorithms or more work\n";
  }
  return table.text(look) + notes +
         "  largest loss: what costs compute the most time, tasks run again included\n" +
         differences(reports, order, look) + closed_forms(reports, order, look) +
         (reports[order.front()].inputs.devices > 1
              ? "  memory: of each device; far and copied: of all devices together\n"
              : "");
}

std::vector<NamedReport> named(const std::vector<RunReport>& reports,
                               const std::vector<std::size_t>& order) {
  std::vector<NamedReport> rows;
  for (const std::size_t i : order) rows.push_back({row_name(reports[i]), &reports[i]});
  return rows;
}

}  // namespace

std::string table_comparison(const std::vector<RunReport>& reports, const WriteOptions& options) {
  if (reports.empty()) return "nothing to compare\n";
  std::vector<std::size_t> fits;
  std::vector<std::size_t> fails;
  for (const std::size_t i : best_first(reports)) {
    (reports[i].feasible ? fits : fails).push_back(i);
  }
  std::string text = head(reports, options.look);
  if (!fits.empty()) text += "\n" + fitting(reports, fits, options.look);
  if (!fits.empty() && options.columns == Columns::kWide) {
    text += peaks_table("schedule", named(reports, fits), options.look);
  }
  const bool only_in_rounds = std::all_of(
      fits.begin(), fits.end(), [&](std::size_t i) { return !reports[i].inputs.row.empty(); });
  if (!fits.empty() && only_in_rounds) text += "\nAt once, in one round, nothing fits\n";
  if (!fails.empty()) {
    text += not_fitting_table("schedule", named(reports, fails), options.look);
  }
  if (options.chart == Chart::kText) text += comparison_chart(reports, fits, options.look);
  return text +
         assumed_warning(reports.front().inputs.hardware, assumed_by_any(reports), options.look);
}

}  // namespace ooc
