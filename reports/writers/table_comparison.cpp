// `compare` for people: the schedules that fit, best first, then those that do not, with what they
// lack. At most 120 columns wide with the schedules' own names.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/base/quantity_io.hpp"
#include "reports/summary/summarize.hpp"
#include "reports/writers/text_table.hpp"

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
// and said once. By class, in the order of the reports; empty where rows of a class differ.
using BoundOfClass = std::vector<std::pair<std::string, Duration>>;
BoundOfClass common_bounds(const std::vector<RunReport>& reports) {
  BoundOfClass bounds;
  for (const RunReport& report : reports) {
    if (!report.feasible || !report.lower_bound.has_value()) continue;
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

// "2.299 s", or where schedules differ in what they may use, both times and who uses the fastest.
std::string compute_alone(const std::vector<RunReport>& reports) {
  const RunReport* first = nullptr;    // with every task's first alternative
  const RunReport* fastest = nullptr;  // with any
  std::string who;
  for (const RunReport& report : reports) {
    const bool all = report.reference_over == Alternatives::kAll;
    (all ? fastest : first) = &report;
    if (all) who += (who.empty() ? "" : ", ") + report.inputs.schedule;
  }
  if (first == nullptr || fastest == nullptr || first->reference_time == fastest->reference_time) {
    return "compute alone takes " + format_duration(reports.front().reference_time);
  }
  return fmt::format(
      "compute alone takes {} with convolutions that need no workspace, {} with the fastest "
      "algorithms,\nwhich here only {} may use: slowdown, bound and gap are against what a "
      "schedule may use",
      format_duration(first->reference_time), format_duration(fastest->reference_time), who);
}

std::string head(const std::vector<RunReport>& reports, Colour colour) {
  const RunReport& first = reports.front();
  std::string text =
      bold(
          printable(fmt::format("{} on {}, batch {}{}", network_text(first.inputs), first.inputs.hardware,
                                group_thousands(first.inputs.batch), devices_of(first.inputs))),
          colour) +
      "\n";
  text += fmt::format("near memory {}, {} when nothing moves; links {}\n",
                      format_bytes(first.budget_near), format_bytes(first.in_core_peak),
                      printable(first.inputs.mode));
  text += compute_alone(reports);
  const BoundOfClass bounds = common_bounds(reports);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    text += fmt::format("{} {} is {}", i == 0 ? "; the lower bound for" : ",\nfor", bounds[i].first,
                        format_duration(bounds[i].second));
  }
  return text + "\n";
}

// "link to near, 18 %": short, for the last column.
std::string wait_of(const RunReport& report) {
  const std::optional<LargestWait> wait = largest_wait(report);
  if (!wait.has_value()) return "none";
  std::string_view name = limit_name(wait->cause);
  if (name.starts_with("link ")) name = name.substr(0, name.find(" memory"));
  if (wait->share < 0.005) return fmt::format("{}, under 1 %", name);
  return fmt::format("{}, {:.0f} %", name, wait->share * 100);
}

std::string fitting(const std::vector<RunReport>& reports, const std::vector<std::size_t>& order,
                    Colour colour) {
  const bool one_bound = !common_bounds(reports).empty();
  std::vector<TextTable::Column> columns = {{"schedule", Align::kLeft},
                                            {"time"},
                                            {"slowdown"},
                                            {"samples/s"},
                                            {"peak"},
                                            {"to far"},
                                            {"to near"},
                                            {"gap"},
                                            {"busy"},
                                            {"largest wait", Align::kLeft}};
  if (!one_bound) columns.insert(columns.begin() + 7, {"bound"});
  TextTable table(columns);
  for (const std::size_t i : order) {
    const RunReport& report = reports[i];
    const bool bounded = report.lower_bound.has_value();
    std::vector<std::string> row = {
        report.inputs.schedule,
        format_duration(report.iteration_time),
        significant(report.slowdown) + "x",
        significant(report.samples_per_s),
        format_bytes(report.peak_near),
        format_bytes(report.to_far),
        format_bytes(report.to_near),
        bounded ? format_percent(above(report.iteration_time, *report.lower_bound)) : "-",
        format_percent(report.compute_utilization),
        wait_of(report)};
    if (!one_bound) {
      row.insert(row.begin() + 7, bounded ? format_duration(*report.lower_bound) : "-");
    }
    table.add_row(std::move(row));
  }
  return table.text(colour) +
         "  gap: time above the lower bound; busy: share of the time in which compute runs\n"
         "  largest wait: what costs the most of the rest, tasks run again included\n" +
         (reports[order.front()].inputs.devices > 1
              ? "  memory: of each device; to far, to near: of all devices together\n"
              : "");
}

// What any of them rests on: schedules differ in how they copy.
std::vector<std::string> assumed_by_any(const std::vector<RunReport>& reports) {
  std::vector<std::string> assumed;
  for (const RunReport& report : reports) {
    for (const std::string& field : report.assumed) {
      if (std::find(assumed.begin(), assumed.end(), field) == assumed.end()) {
        assumed.push_back(field);
      }
    }
  }
  return assumed;
}

std::string smallest(const OutOfMemory& oom) {
  if (oom.smallest_budget.has_value()) return bytes_to_the_last(*oom.smallest_budget);
  if (oom.least_budget.has_value()) return "at least " + bytes_to_the_last(*oom.least_budget);
  return "unknown";
}

std::string not_fitting(const std::vector<RunReport>& reports,
                        const std::vector<std::size_t>& order, Colour colour) {
  TextTable table({{"schedule", Align::kLeft},
                   {"memory", Align::kLeft},
                   {"lacks"},
                   {"smallest that suffices"},
                   {"stops at", Align::kLeft}});
  bool any_unsure = false;
  for (const std::size_t i : order) {
    const OutOfMemory& oom = *reports[i].out_of_memory;
    const bool near = oom.tier == OutOfMemory::Tier::kNear;
    any_unsure = any_unsure || oom.least_budget.has_value();
    const std::optional<Bytes> least =
        oom.smallest_budget.has_value() ? oom.smallest_budget : oom.least_budget;
    const Bytes lacks = near && least.has_value()
                            ? *least - reports[i].budget_near
                            : oom.wanted - std::min(oom.wanted, oom.largest_hole);
    table.add_row({reports[i].inputs.schedule, near ? "near" : "far", format_bytes(lacks),
                   smallest(oom), oom.step});
  }
  std::string text = "\n" + bold_red("Does not fit", colour) + "\n" + table.text(colour);
  if (any_unsure)
    text += "  at least: nothing smaller will do; tried, that does not suffice either\n";
  return text;
}

}  // namespace

std::string table_comparison(const std::vector<RunReport>& reports, const WriteOptions& options) {
  if (reports.empty()) return "nothing to compare\n";
  std::vector<std::size_t> fits;
  std::vector<std::size_t> fails;
  for (const std::size_t i : best_first(reports)) {
    (reports[i].feasible ? fits : fails).push_back(i);
  }
  std::string text = head(reports, options.colour);
  if (!fits.empty()) text += "\n" + fitting(reports, fits, options.colour);
  if (!fails.empty()) text += not_fitting(reports, fails, options.colour);
  if (options.chart == Chart::kText) text += comparison_chart(reports, fits);
  return text + assumed_warning(reports.front().inputs.hardware, assumed_by_any(reports));
}

}  // namespace ooc
