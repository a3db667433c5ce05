// Words and order of the rows of `need`.
#include "simulator/summary/need_report.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace ooc {

std::string_view needed_word(Needed what) {
  switch (what) {
    case Needed::kLink:
      return "link";
    case Needed::kLinkToFar:
      return "link-to-far";
    case Needed::kLinkToNear:
      return "link-to-near";
    case Needed::kNearMemory:
      return "near-memory";
    case Needed::kFarMemory:
      return "far-memory";
    case Needed::kFarThroughput:
      return "far-throughput";
  }
  return "";
}

std::optional<Needed> needed_named(std::string_view word) {
  for (const Needed what : {Needed::kLink, Needed::kLinkToFar, Needed::kLinkToNear,
                            Needed::kNearMemory, Needed::kFarMemory, Needed::kFarThroughput}) {
    if (needed_word(what) == word) return what;
  }
  return std::nullopt;
}

bool is_rate(Needed what) { return what != Needed::kNearMemory && what != Needed::kFarMemory; }

std::vector<std::size_t> best_first(const NeedReport& report) {
  std::vector<std::size_t> order(report.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const auto rank = [&](std::size_t i) {
    const NeedRow& row = report.rows[i];
    const bool runs = row.run && row.run->feasible;
    return std::tuple(row.value.value_or(kLast), runs ? row.run->iteration_time.count() : kLast);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

}  // namespace ooc
