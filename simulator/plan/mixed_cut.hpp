// Lower bound on the time of plans that move and recompute tensors, from one task: while it runs, some bytes needed
// before and after it are not in GPU memory. Choosing these tensors, and whether each is copied or recomputed, is a
// small integer program. Its relaxation is bound A; branch and bound tightens it to bound B (docs/model.md, bounds).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ooc {

/// Tensor needed before and after the task, but not by the task. Times in ns.
struct CutItem {
  double bytes = 0;
  double price = -1;   ///< least compute time to recompute the tensor; < 0: impossible
  double out = 0;      ///< least time to copy out this tensor, or one that may move in its place
  double in = 0;       ///< least time to copy in this tensor
  double defined = 0;  ///< compute time before the copy out can begin
  double rest = 0;     ///< compute time from the tensor's next use to the end
  bool clean = false;  ///< true if host memory has the tensor already (network input)
};

/// Copy times in ns a byte by direction; 0: free.
struct ByteTimes {
  double out = 0;
  double in = 0;
  /// Least time of copies in both directions: bytes out x out + bytes in x in.
  struct Joint {
    double out = 0;
    double in = 0;
  };
  std::array<Joint, 2> together = {};  ///< the larger of the two least times counts
};

/// Task with one of its algorithms. Times in ns.
struct CutTask {
  double excess = 0;  ///< bytes that cannot be in GPU memory while the task runs
  double before = 0;  ///< compute time of earlier tasks
  double time = 0;
  double after = 0;
};

class MixedCut {
 public:
  explicit MixedCut(const ByteTimes& link) : link_(link) {}

  /// Tensors that may be absent during the task. Fill the list, then call prepare().
  std::vector<CutItem>& items() { return items_; }
  void prepare();

  static constexpr double kNoPlan = 1e300;

  /// Returns bound A in ns; kNoPlan: impossible. Stops at a value of at most `enough`, which may exceed bound A.
  [[nodiscard]] double divisible(const CutTask& task, double enough);
  /// Returns bound B in ns, or less once `nodes` nodes are searched or `enough` is reached; kNoPlan: impossible.
  [[nodiscard]] double whole(const CutTask& task, long nodes, double enough = kNoPlan);

 private:
  enum class Fate : std::uint8_t {
    kNear,     ///< near at the task's start and end
    kAway,     ///< away at the task's start and end
    kDropped,  ///< dropped, recomputed after the task
    kComesIn,  ///< away at the start; near or on its way at the end
    kLeaves,   ///< near at the start; away or on its way at the end
  };
  static constexpr int kFates = 5;
  struct Node {
    double value = 0;         ///< lower bound in ns with these fates
    std::vector<Fate> fates;  ///< fates of the first items
  };
  /// Sums over the items whose fate a node has fixed. Start and end are those of the task.
  struct Fixed {
    double start_absent = 0;  ///< bytes absent at the start
    double end_absent = 0;
    double again = 0;        ///< ns to recompute the dropped items
    double out_bytes = 0;    ///< bytes copied out before the task starts
    double in_bytes = 0;     ///< bytes copied in after the task's start
    double in_behind = 0;    ///< part of in_bytes copied in after the task's end
    double in_during = 0;    ///< ns of copies in that begin during the task
    double outs_end = 0;     ///< earliest end of all copies out; 0: none
    double ins_take = 0;     ///< least ns from the task's end: copies in, compute from their readers to the end
    double during_take = 0;  ///< as ins_take from the task's start on, for copies begun during it
    double defined = 0;
    double rest = 0;
    bool possible = true;
  };

  [[nodiscard]] Fixed add_up(const CutTask& task, const std::vector<Fate>& fates);
  [[nodiscard]] double value_of(const CutTask& task, const std::vector<Fate>& fates, double enough);
  [[nodiscard]] double time_at(const CutTask& task, const Fixed& fixed, std::size_t depth,
                               double again_bytes, double again) const;

  ByteTimes link_;
  std::vector<CutItem> items_;        ///< items, largest first
  std::vector<std::uint32_t> cheap_;  ///< items that can be recomputed, lowest price a byte first
  // By number of items whose fate is fixed: sums of bytes and least times over the other items.
  std::vector<double> bytes_from_;
  std::vector<double> clean_from_;
  std::vector<double> defined_from_;
  std::vector<double> rest_from_;
  std::vector<std::uint32_t> order_;  ///< scratch memory
};

}  // namespace ooc
