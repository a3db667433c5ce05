// Names and order of the rows of `max-batch`.
#include "simulator/summary/max_batch_report.hpp"

#include <algorithm>
#include <numeric>

#include "model/base/errors.hpp"

namespace ooc {

std::string_view max_of_word(MaxOf of) { return of == MaxOf::kBatch ? "batch" : "layers"; }

std::optional<double> gain_over_in_core(const MaxBatchReport& report, const MaxBatchRow& row) {
  for (const MaxBatchRow& each : report.rows) {
    if (each.schedule != "in-core" || each.largest == 0 || row.largest == 0) continue;
    return static_cast<double>(row.largest) / static_cast<double>(each.largest);
  }
  return std::nullopt;
}

std::string_view limit_word(BatchLimit limit) {
  switch (limit) {
    case BatchLimit::kNearMemory:
      return "near_memory";
    case BatchLimit::kFarMemory:
      return "far_memory";
    case BatchLimit::kCounting:
      return "counting";
    case BatchLimit::kSearch:
      return "search_limit";
    case BatchLimit::kRounds:
      return "none";
  }
  OOC_CHECK(false, "a limit is one of five");
  return {};
}

std::vector<std::size_t> best_first(const MaxBatchReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto speed = [](const MaxBatchRow& row) { return row.run ? row.run->samples_per_s : 0; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const MaxBatchRow& first = report.rows[a];
    const MaxBatchRow& second = report.rows[b];
    if (first.largest != second.largest) return first.largest > second.largest;
    return speed(first) > speed(second);
  });
  return order;
}

}  // namespace ooc
