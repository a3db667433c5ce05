// Runs by their first page. See free_pages.hpp.
#include "simulator/replay/free_pages.hpp"

#include <algorithm>
#include <iterator>

#include "model/base/errors.hpp"

namespace ooc {

FreePages::FreePages(std::int64_t first, std::int64_t count) {
  if (count > 0) runs_.emplace(first, count);
}

std::vector<PageRun> FreePages::take(std::int64_t count) {
  std::vector<PageRun> taken;
  while (count > 0) {
    auto best = runs_.end();
    for (auto run = runs_.begin(); run != runs_.end(); ++run) {
      if (best == runs_.end()) {
        best = run;
        continue;
      }
      const bool enough = run->second >= count;
      const bool best_enough = best->second >= count;
      const bool better =
          enough && best_enough ? run->second < best->second : run->second > best->second;
      if (better) best = run;
    }
    OOC_CHECK(best != runs_.end(), "the pool has as many pages as are ever needed");
    const auto [first, length] = *best;
    const std::int64_t part = std::min(length, count);
    taken.push_back({first, part});
    runs_.erase(best);
    if (part < length) runs_.emplace(first + part, length - part);
    count -= part;
  }
  std::sort(taken.begin(), taken.end(),
            [](const PageRun& a, const PageRun& b) { return a.first < b.first; });
  return taken;
}

void FreePages::give_back(const PageRun& run) {
  auto place = runs_.emplace(run.first, run.count).first;
  const auto after = std::next(place);
  if (after != runs_.end() && place->first + place->second == after->first) {
    place->second += after->second;
    runs_.erase(after);
  }
  if (place == runs_.begin()) return;
  const auto before = std::prev(place);
  if (before->first + before->second != place->first) return;
  before->second += place->second;
  runs_.erase(place);
}

}  // namespace ooc
