// Names and order of the rows of `compare` over several machines.
#include "simulator/summary/machines_report.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ooc {
namespace {

/// Of the rows with a figure the one with the largest.
template <class Figure>
std::optional<std::size_t> largest(const MachinesReport& report, Figure figure) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const std::optional<double> mine = figure(report.rows[i]);
    if (mine && (!best || *mine > *figure(report.rows[*best]))) best = i;
  }
  return best;
}

std::optional<double> speed_of(const MachineRow& row) {
  const RunReport& best = best_of(row);
  return best.feasible ? std::optional(best.samples_per_s) : std::nullopt;
}

}  // namespace

const RunReport& best_of(const MachineRow& row) { return row.results.front(); }

std::optional<double> samples_per_price(const MachineRow& row) {
  const std::optional<double> speed = speed_of(row);
  return speed && row.price ? std::optional(*speed / *row.price) : std::nullopt;
}

BestMachines best_machines(const MachinesReport& report) {
  return {.fastest = largest(report, &speed_of),
          .for_the_price = largest(report, &samples_per_price)};
}

std::vector<std::size_t> best_first(const MachinesReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {  // less is better
    const MachineRow& row = report.rows[i];
    const RunReport& best = best_of(row);
    if (!best.feasible) return std::pair(1, static_cast<double>(lacking_bytes(best).count()));
    return std::pair(0, -samples_per_price(row).value_or(best.samples_per_s));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace ooc
