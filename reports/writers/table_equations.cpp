// OOC-Paleo's equations for people: a line for each that is one figure, then the steps at which something changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

constexpr std::size_t kEquationSteps = 12;
constexpr double kNoticeable = 0.0005;  // of a utilisation that is printed in thousandths

std::string rate_or_dash(const std::optional<BytesPerSecond>& rate) {
  return rate ? format_rate(*rate) : "-";
}

std::string caught_text(const std::optional<Equations::Caught>& caught) {
  return caught ? format_duration(caught->time) : "never";
}

/// "at conv1_2", "at conv1_2; this run at pool1"
std::string caught_at(const Equations& equations) {
  const auto& [paper, run] = std::pair(equations.caught, equations.caught_run);
  if (paper && run && paper->layer == run->layer) return "at " + paper->layer;
  std::string text = paper ? "at " + paper->layer : "";
  if (run) text += (paper ? "; this run at " : "this run at ") + run->layer;
  return text;
}

std::string signed_bytes(Bytes bytes) {
  return bytes < Bytes(0) ? "-" + format_bytes(Bytes(0) - bytes) : format_bytes(bytes);
}

std::string single_figures(const Equations& equations, const RunReport& report, const Look& look) {
  TextTable table({left(""), "on paper", "this run", left("")});
  table.add_row({"(5) Swap_in_Th", format_rate(equations.swap_in),
                 rate_or_dash(equations.swap_in_run), std::string(equations.binds) + " binds"});
  table.add_row({"(9) utilisation backward", format_percent(equations.utilization),
                 format_percent(equations.utilization_run), "vDNN-like"});
  table.add_row({"(11) T_catch", caught_text(equations.caught), caught_text(equations.caught_run),
                 caught_at(equations)});
  table.add_row({"(12) utilisation backward", format_percent(equations.utilization_12),
                 format_percent(equations.utilization_run), "capacity-based"});
  table.add_row({fmt::format("({}) iteration", equations.total.equations),
                 format_duration(*equations.total.time), format_duration(report.iteration_time),
                 closed_form_error(equations.total, report.iteration_time)});
  return table.text(look) +
         fmt::format("  Conn_Th {}, FM_Th {}, NM_Th {}{}\n", format_rate(equations.connection),
                     rate_or_dash(equations.far), rate_or_dash(equations.near),
                     equations.far ? "" : ": Conn_Th was measured end to end") +
         fmt::format("  Capacity {}, of it NM_Ca (never leaves) {}\n",
                     format_bytes(equations.capacity), format_bytes(equations.retained));
}

std::string differences(const Equations& equations, const RunReport& report, const Look& look) {
  TextTable table({"", left("")});
  const auto reasons = closed_form_reasons(equations.total, report.iteration_time);
  if (reasons.empty()) return "";
  for (const auto& [time, cause] : reasons) table.add_row({time, cause});
  return section(fmt::format("What ({}) leave out", equations.total.equations), table, look);
}

bool changes(const EquationStep& before, const EquationStep& step) {
  const auto differs = [](double a, double b) { return std::abs(a - b) >= kNoticeable; };
  return differs(before.utilization, step.utilization) ||
         differs(before.utilization_12, step.utilization_12) ||
         differs(before.utilization_run, step.utilization_run);
}

/// The first, the last and those at which a utilisation changes; of many those that lose most time.
std::vector<const EquationStep*> shown_of(const std::vector<EquationStep>& steps) {
  std::vector<const EquationStep*> shown;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == 0 || i + 1 == steps.size() || changes(steps[i - 1], steps[i])) {
      shown.push_back(&steps[i]);
    }
  }
  if (shown.size() <= kEquationSteps) return shown;
  const auto lost = [](const EquationStep* step) {
    return std::max(step->section, step->section_run) - step->processing;
  };
  std::ranges::stable_sort(shown, [&](const auto* a, const auto* b) { return lost(a) > lost(b); });
  shown.resize(kEquationSteps);
  std::ranges::sort(shown);
  return shown;
}

std::string steps(const Equations& equations, const Look& look) {
  TextTable sections({left("layer"), "T_proc", "T (7)", "this run", "(9)", "(12)", "this run"});
  TextTable available({left("layer"), "Num_buffer", "(3)", "(4)", "(6)", "this run"});
  const std::vector<const EquationStep*> shown = shown_of(equations.steps);
  for (const EquationStep* step : shown) {
    sections.add_row({step->layer, format_duration(step->processing),
                      format_duration(step->section), format_duration(step->section_run),
                      format_percent(step->utilization), format_percent(step->utilization_12),
                      format_percent(step->utilization_run)});
    available.add_row({step->layer, format_bytes(step->bytes), signed_bytes(step->available_3),
                       signed_bytes(step->available_4), signed_bytes(step->available_6),
                       format_bytes(step->available_run)});
  }
  const std::string count =
      fmt::format("{} of {}", shown.size(), group_thousands(std::int64_t(equations.steps.size())));
  return "\n" + bold("Backward sections, (7) to (9) and (12)", look) + ", " + count + "\n" +
         sections.text(look) + section("Num_avail as they start, (3), (4), (6)", available, look) +
         "  T: T_proc or, if longer, this plan's copies in for the next layer; all in JSON\n"
         "  Num_avail of this run counts tensors that are near as a whole\n";
}

}  // namespace

std::string table_equations(const RunReport& report, const Look& look) {
  if (!report.equations) return "";
  const Equations& equations = *report.equations;
  const std::string title = "\n" + bold("OOC-Paleo's equations", look);
  if (!equations.unfit.empty()) return title + ": " + equations.unfit + "\n";
  return title + "\n" + single_figures(equations, report, look) +
         differences(equations, report, look) + steps(equations, look);
}

}  // namespace ooc
