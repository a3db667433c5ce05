// What one task forces on plans that move tensors and compute them again: while it runs, so many bytes of what is needed
// before and behind it are not near. Which ones, and what becomes of each, is a small program whose relaxation is bound A
// and which branch and bound tightens to B (docs/model.md, bounds).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ooc {

/// A tensor that is needed before and behind the task, and not by it. Times in ns.
struct CutItem {
  double bytes = 0;
  double price = -1;  ///< at least so much compute to make it again; < 0: it cannot be
  double out = 0;     ///< a copy of it, or of what may be moved for it, takes no less
  double in = 0;
  double defined = 0;  ///< compute up to its definition
  double rest = 0;     ///< compute from its next use on
  bool clean = false;  ///< far memory has it
};

/// ns for a byte, 0 where it costs nothing.
struct ByteTimes {
  double out = 0;
  double in = 0;
  struct Joint {
    double out = 0;
    double in = 0;
  };
  std::array<Joint, 2> together = {};  ///< both directions take no less than each of these
};

/// The task and one way to run it.
struct CutTask {
  double excess = 0;  ///< so many bytes are absent when it starts, and when it ends
  double before = 0;  ///< compute ahead of it
  double time = 0;
  double after = 0;
};

class MixedCut {
 public:
  explicit MixedCut(const ByteTimes& link) : link_(link) {}

  /// To be filled anew for each task; then prepare().
  std::vector<CutItem>& items() { return items_; }
  void prepare();

  static constexpr double kNoPlan = 1e300;

  /// The least time with divisible tensors. Not exact where that is no more than `enough`: then anything up to that.
  [[nodiscard]] double divisible(const CutTask& task, double enough);
  /// With whole ones, as far as `nodes` get, and no further than `enough`.
  [[nodiscard]] double whole(const CutTask& task, long nodes, double enough = kNoPlan);

 private:
  enum class Fate : std::uint8_t {
    kNear,     ///< when the task starts and when it ends
    kAway,     ///< at both
    kDropped,  ///< and computed again behind the task
    kComesIn,  ///< away when it starts, on its way or near when it ends
    kLeaves,   ///< the other way round
  };
  static constexpr int kFates = 5;
  struct Node {
    double value = 0;
    std::vector<Fate> fates;  ///< of the first items
  };
  /// What the fixed fates of a node come to.
  struct Fixed {
    double start_absent = 0;  ///< bytes
    double end_absent = 0;
    double again = 0;      ///< ns
    double out_bytes = 0;  ///< copied out before the task starts
    double in_bytes = 0;   ///< copied in after its start
    double in_behind = 0;  ///< of these, after its end
    double in_during = 0;  ///< ns of the copies in that begin while it runs
    double outs_end = 0;   ///< the earliest that all copies out can have ended, 0: none
    double ins_take =
        0;  ///< the least from the task's end on for what is copied in, and what needs it
    double during_take = 0;  ///< the least from its start on for what comes in meanwhile
    double defined = 0;
    double rest = 0;
    bool possible = true;
  };

  [[nodiscard]] Fixed add_up(const CutTask& task, const std::vector<Fate>& fates);
  [[nodiscard]] double value_of(const CutTask& task, const std::vector<Fate>& fates, double enough);
  [[nodiscard]] double time_at(const CutTask& task, const Fixed& fixed, std::size_t depth,
                               double again_bytes, double again) const;

  ByteTimes link_;
  std::vector<CutItem> items_;  ///< the largest first
  std::vector<std::uint32_t>
      cheap_;  ///< those that can be computed again, least price per byte first
  // By the number of items whose fate is fixed: of all others.
  std::vector<double> bytes_from_;
  std::vector<double> clean_from_;
  std::vector<double> defined_from_;
  std::vector<double> rest_from_;
  std::vector<std::uint32_t> order_;  ///< scratch
};

}  // namespace ooc
