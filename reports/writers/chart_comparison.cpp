// The chart of `compare`: one bar a schedule that fits, best first, as long as its iteration. What
// compute does for the first time is drawn apart from the rest, so that a long bar says at once whether
// its schedule waits or uses slow algorithms; the lower bound is a mark. ASCII: it is pasted into mails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/quantity_io.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

/// Of the longest bar: what the names leave, a mark behind it included.
int bar_width(const std::vector<const RunReport*>& reports, const Look& look) {
  constexpr int kUsual = 72;
  constexpr int kLeast = 20;
  if (look.width == 0) return kUsual;
  std::size_t names = 0;
  for (const RunReport* report : reports) {
    names = std::max(names, columns_of(row_name(*report)));
  }
  return std::clamp(static_cast<int>(look.width) - static_cast<int>(names) - 5, kLeast, kUsual);
}

/// A bar of its time where `longest` fills the width.
std::string bar(const RunReport& report, Duration longest, int width) {
  const auto cells = [&](double ns) {
    return static_cast<int>(std::lround(ns * width / static_cast<double>(longest.count())));
  };
  const auto time = static_cast<double>(report.iteration_time.count());
  const int length = std::max(1, cells(time));
  const int busy = std::min(length, cells(time * report.compute_utilization));
  std::string text = std::string(static_cast<std::size_t>(busy), '#') +
                     std::string(static_cast<std::size_t>(length - busy), '.');
  if (report.lower_bound) {
    const int at = cells(static_cast<double>(report.lower_bound->count()));
    if (at < length) text[static_cast<std::size_t>(at)] = '|';
    if (at >= length) text += '|';
  }
  return text;
}

}  // namespace

std::string comparison_chart(const std::vector<const RunReport*>& reports, const Look& look) {
  // One bar says nothing that the table does not.
  if (reports.size() < 2) return "";
  Duration longest;
  for (const RunReport* each : reports) longest = std::max(longest, each->iteration_time);
  if (longest.count() == 0) return "";
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  const int width = bar_width(reports, look);
  for (const RunReport* each : reports) {
    table.add_row({row_name(*each), bar(*each, longest, width)});
  }
  return fmt::format(
             "\nTime, {} at the widest: # compute, . waits and tasks run again, | lower bound\n",
             format_duration(longest)) +
         table.text({});
}

}  // namespace ooc
