// The free pages of a pool. Which of them are handed out changes nothing about how many are needed; runs of
// neighbours are kept together, because each run is a line of the plan and a mapping of the device.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ooc {

/// Pages first, first + 1, ... of a pool.
struct PageRun {
  std::int64_t first = 0;
  std::int64_t count = 0;
  friend bool operator==(const PageRun&, const PageRun&) = default;
};

class FreePages {
 public:
  /// Pages first to first + count - 1, all free.
  FreePages(std::int64_t first, std::int64_t count);
  /// There must be so many. One run if there is one, the shortest that is long enough; otherwise the
  /// longest ones.
  [[nodiscard]] std::vector<PageRun> take(std::int64_t count);
  void give_back(const PageRun& run);

 private:
  std::map<std::int64_t, std::int64_t> runs_;  ///< first -> count; never adjoining
};

}  // namespace ooc
