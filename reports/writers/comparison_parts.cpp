#include "reports/writers/comparison_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"
#include "simulator/summary/machines_report.hpp"

namespace ooc {
namespace {

std::string smallest(const OutOfMemory& oom) {
  if (oom.smallest_budget.has_value()) return bytes_to_the_last(*oom.smallest_budget);
  if (oom.least_budget.has_value()) return "at least " + bytes_to_the_last(*oom.least_budget);
  return "unknown";
}

}  // namespace

std::string row_name(const RunReport& report) {
  return report.inputs.row.empty() ? report.inputs.schedule : report.inputs.row;
}

std::string peaks_table(std::string_view title, const std::vector<NamedReport>& rows,
                        const Look& look) {
  struct Peak {
    std::optional<BytesByCategory> RunReport::*held;
    std::size_t category;
  };
  std::vector<Peak> shown;
  std::vector<TextTable::Column> titles{{std::string(title), Align::kLeft}};
  for (const auto& [before, held] : {std::pair("", &RunReport::peak_near_by_category),
                                     std::pair("far: ", &RunReport::peak_far_by_category)}) {
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
      const bool any =
          std::any_of(rows.begin(), rows.end(), [&, held = held](const NamedReport& row) {
            const auto& peak = row.report->*held;
            return peak && peak->bytes[i].count() > 0;
          });
      if (!any) continue;
      shown.push_back({held, i});
      titles.push_back({before + category_text(static_cast<MemoryCategory>(i))});
    }
  }
  TextTable table(titles);
  for (const NamedReport& row : rows) {
    std::vector<std::string> cells{row.name};
    for (const Peak& each : shown) {
      const auto& peak = row.report->*each.held;
      cells.push_back(peak ? format_bytes(peak->bytes[each.category]) : "-");
    }
    table.add_row(std::move(cells));
  }
  return "\n" + bold("What memory holds at its peaks", look) + "\n" + table.text(look);
}

std::string not_fitting_table(std::string_view title, const std::vector<NamedReport>& rows,
                              const Look& look) {
  TextTable table({{std::string(title), Align::kLeft},
                   {"memory", Align::kLeft},
                   {"lacks"},
                   {"smallest that suffices"},
                   {"stops at", Align::kLeft, 1}});
  bool any_unsure = false;
  for (const NamedReport& row : rows) {
    const OutOfMemory& oom = *row.report->out_of_memory;
    const bool near = oom.tier == OutOfMemory::Tier::kNear;
    any_unsure = any_unsure || oom.least_budget.has_value();
    table.add_row({row.name, near ? "near" : "far", format_bytes(lacking_bytes(*row.report)),
                   smallest(oom), oom.step});
  }
  std::string text = "\n" + bold_red("Does not fit", look) + "\n" + table.text(look);
  if (any_unsure)
    text += "  at least: nothing smaller will do; tried, that does not suffice either\n";
  return text;
}

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

}  // namespace ooc
