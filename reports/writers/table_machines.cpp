// `compare` over several machines or links for people: the best schedule of each, best first, then the
// machines that the job does not fit, with what it lacks there.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/base/quantity_io.hpp"
#include "reports/writers/comparison_parts.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/summary/machines_report.hpp"

namespace ooc {
namespace {

/// The rows that are shown together, and what tells them apart.
struct ShownMachines {
  const MachinesReport& report;
  std::vector<std::size_t> fits;
  std::vector<std::size_t> fails;
  BestMachines best;
  bool links = false;   ///< rows are also of links
  bool priced = false;  ///< rows have prices
  bool states = false;  ///< rows are also of presets

  [[nodiscard]] const RunReport& at(std::size_t row) const { return best_of(report.rows[row]); }
  /// Whether there is more than one, or more than one link.
  [[nodiscard]] bool machines() const {
    return links || std::any_of(report.rows.begin(), report.rows.end(), [&](const auto& row) {
             return best_of(row).inputs.hardware != at(0).inputs.hardware;
           });
  }
  template <class Holds>
  [[nodiscard]] bool any(Holds holds) const {
    return std::any_of(fits.begin(), fits.end(), [&](std::size_t i) { return holds(at(i)); });
  }
};

ShownMachines shown_of(const MachinesReport& report) {
  ShownMachines shown{.report = report, .fits = {}, .fails = {}, .best = best_machines(report)};
  for (const std::size_t i : best_first(report)) {
    (shown.at(i).feasible ? shown.fits : shown.fails).push_back(i);
    shown.links = shown.links || shown.at(i).inputs.link.has_value();
    shown.states = shown.states || !report.rows[i].state.empty();
    shown.priced = shown.priced || report.rows[i].price.has_value();
  }
  return shown;
}

std::string machine_head(const ShownMachines& shown, const Look& look) {
  const RunInputs& in = shown.at(0).inputs;
  const std::string over = in.devices == 1 ? "" : fmt::format(" over {} devices", in.devices);
  const std::string machine = shown.links ? "machine and link" : "machine";
  const std::string each = !shown.states ? machine
                           : shown.machines()
                               ? machine + (shown.links ? ", each state" : " and state")
                               : "state on " + in.hardware;
  std::string text =
      bold(printable(fmt::format("{}, batch {}{}, {}: the best schedule of each {}",
                                 network_text(in), group_thousands(in.batch), over,
                                 framework_text(in.framework, in.framework_meaning), each)),
           look);
  return text +
         fmt::format("\n{}{}links {}\n",
                     in.memory_given ? "near memory " + format_bytes(in.memory) + "; " : "",
                     in.far_memory_given ? "far memory " + format_bytes(in.far_memory) + "; " : "",
                     printable(in.mode));
}

bool moves_any(const RunReport& run) { return run.to_far + run.to_near > Bytes(0); }

std::string mark_of(const ShownMachines& shown, std::size_t row) {
  const bool fastest = shown.best.fastest == row;
  const bool cheapest = shown.best.for_the_price == row;
  if (fastest && cheapest) return "fastest, most for the price";
  return fastest ? "fastest" : cheapest ? "most for the price" : "";
}

struct MachineColumn {
  TextTable::Column column;
  std::string (*cell)(const ShownMachines& shown, std::size_t row);
  bool shown = true;
};

std::vector<MachineColumn> machine_columns(const ShownMachines& all) {
  using Shown = const ShownMachines&;
  const auto any_rounds = all.any([](const RunReport& run) { return run.rounds > 1; });
  return {
      {{"machine", Align::kLeft},
       [](Shown s, std::size_t i) { return s.at(i).inputs.hardware; },
       !all.states || all.machines()},
      {{"link"},
       [](Shown s, std::size_t i) { return format_rate(*s.at(i).inputs.link); },
       all.links},
      {{"state", Align::kLeft},
       [](Shown s, std::size_t i) { return s.report.rows[i].state; },
       all.states},
      {{"", Align::kLeft}, &mark_of},
      {{"samples/s"}, [](Shown s, std::size_t i) { return significant(s.at(i).samples_per_s); }},
      {{"price"},
       [](Shown s, std::size_t i) { return fmt::format("{}", *s.report.rows[i].price); },
       all.priced},
      {{"samples/s per price"},
       [](Shown s, std::size_t i) {
         return fmt::format("{:.4g}", *samples_per_price(s.report.rows[i]));
       },
       all.priced},
      {{"time"}, [](Shown s, std::size_t i) { return format_duration(s.at(i).iteration_time); }},
      {{"slowdown"}, [](Shown s, std::size_t i) { return significant(s.at(i).slowdown) + "x"; }},
      {{"schedule", Align::kLeft}, [](Shown s, std::size_t i) { return row_name(s.at(i)); }},
      {{"rounds", Align::kRight, 2},
       [](Shown s, std::size_t i) { return group_thousands(s.at(i).rounds); },
       any_rounds},
      {{"near memory", Align::kRight, 3},
       [](Shown s, std::size_t i) { return format_bytes(s.at(i).budget_near); }},
      {{"peak", Align::kRight, 6},
       [](Shown s, std::size_t i) { return format_bytes(s.at(i).peak_near); }},
      {{"far", Align::kRight, 5},
       [](Shown s, std::size_t i) { return format_bytes(s.at(i).peak_far); }},
      {{"limited by", Align::kLeft, 7}, [](Shown s, std::size_t i) { return s.at(i).limited_by; }},
      {{"copies by", Align::kLeft, 4},
       [](Shown s, std::size_t i) {
         return moves_any(s.at(i)) ? s.at(i).link_limited_by : std::string("-");
       }},
  };
}

std::string machine_notes(const ShownMachines& shown) {
  std::string text = shown.states
                         ? "  state: what moves, as docs/model.md, section 10 has it; `need link "
                           "--state NAME`: the slowest link that costs nothing\n"
                         : std::string();
  text +=
      "  schedule: the quickest that fits; `compare` with one machine shows all of them\n"
      "  slowdown: against computing alone on that machine; far: far memory that it needs\n"
      "  limited by, copies by: the largest loss, and what sets the rate of copies\n";
  if (shown.priced) text += "  samples/s per price: per unit of the price that was given\n";
  if (shown.any([](const RunReport& run) { return !run.inputs.row.empty(); })) {
    text +=
        "  in rounds: the batch in parts, gradients add up to one update: other work than at once; "
        "--sub-batch off: at once only\n";
  }
  if (shown.any([](const RunReport& run) { return run.norms_by_round; })) {
    text += "  in rounds, batch norms take their statistics over a round, not over the batch\n";
  }
  if (shown.at(0).inputs.devices > 1) {
    text += "  memory: of each device; far: of all devices together\n";
  }
  return text;
}

std::string machine_name(const ShownMachines& shown, std::size_t row) {
  const RunReport& run = shown.at(row);
  const std::string link = shown.links ? " at " + format_rate(*run.inputs.link) : std::string();
  const std::string& state = shown.report.rows[row].state;
  return run.inputs.hardware + link + (state.empty() ? "" : ", " + state);
}

std::vector<NamedReport> named_machines(const ShownMachines& shown,
                                        const std::vector<std::size_t>& rows) {
  std::vector<NamedReport> named;
  for (const std::size_t i : rows) {
    const RunReport& run = shown.at(i);
    named.push_back({machine_name(shown, i) + ", " + row_name(run), &run});
  }
  return named;
}

/// Of each machine what any of its rows rests on.
std::string assumed_of_machines(const MachinesReport& report, const Look& look) {
  std::string text;
  for (std::size_t i = 0; i < report.rows.size();) {
    const std::string& hardware = best_of(report.rows[i]).inputs.hardware;
    std::vector<RunReport> runs;
    for (; i < report.rows.size() && best_of(report.rows[i]).inputs.hardware == hardware; ++i) {
      const auto& results = report.rows[i].results;
      runs.insert(runs.end(), results.begin(), results.end());
    }
    text += assumed_warning(hardware, assumed_by_any(runs), look);
  }
  return text;
}

}  // namespace

std::string table_machines(const MachinesReport& report, const WriteOptions& options) {
  const ShownMachines shown = shown_of(report);
  std::string text = machine_head(shown, options.look);
  if (!shown.fits.empty()) {
    std::vector<MachineColumn> columns = machine_columns(shown);
    std::erase_if(columns, [](const MachineColumn& each) { return !each.shown; });
    std::vector<TextTable::Column> titles;
    for (const MachineColumn& each : columns) titles.push_back(each.column);
    TextTable table(titles);
    for (const std::size_t i : shown.fits) {
      std::vector<std::string> cells;
      for (const MachineColumn& each : columns) cells.push_back(each.cell(shown, i));
      table.add_row(std::move(cells));
    }
    text += "\n" + table.text(options.look) + machine_notes(shown);
    if (options.columns == Columns::kWide) {
      text += peaks_table("machine and schedule", named_machines(shown, shown.fits), options.look);
    }
  }
  if (!shown.fails.empty()) {
    text += not_fitting_table("machine and schedule that needs least",
                              named_machines(shown, shown.fails), options.look);
  }
  return text + assumed_of_machines(report, options.look);
}

}  // namespace ooc
