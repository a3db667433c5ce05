// Search for the decisions with which an iteration takes least time: seeds, then late acceptance of small changes (Burke
// and Bykov, The Late Acceptance Hill-Climbing Heuristic, 2017), guided by where the plan at hand loses time.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/schedules/mix_segments.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {

/// Whole numbers at random, the same everywhere (xorshift64).
class MixDice {
 public:
  explicit MixDice(std::int64_t seed);
  /// From 0 to `count` - 1.
  std::size_t below(std::size_t count);
  bool percent(unsigned chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

class MixSearch {
 public:
  struct Limits {
    std::int64_t plans = 0;  ///< so many are tried
    std::int64_t seed = 1;
    std::int64_t good_enough = 0;  ///< ns: nothing can be quicker
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// `facts` must outlive it. Precondition: with everything away that can be it fits.
  MixSearch(const MixFacts& facts, const Limits& limits);

  void run();

  /// kNever: no plan ran.
  [[nodiscard]] std::int64_t best_time() const { return best_time_; }
  [[nodiscard]] const Decisions& best() const { return best_; }
  [[nodiscard]] std::int64_t tried() const { return tried_; }

 private:
  /// The plan that runs with the decisions at hand, as far as changes look at it.
  struct Scene {
    struct Loss {
      enum class Cause : std::uint8_t { kWait, kRepeat };
      std::int64_t time = 0;
      std::uint32_t position = 0;
      Cause cause = Cause::kWait;
    };
    struct Away {
      std::uint32_t idle = 0;
      std::uint32_t from = 0;  ///< its last use before
      std::uint32_t to = 0;
      std::uint32_t return_after = 0;  ///< before that position there is no room for it
    };
    std::vector<TaskRun> runs;
    std::vector<Away> moved;   ///< in the order of return
    std::vector<Away> kept;    ///< could be away, and is not
    std::vector<Loss> losses;  ///< where compute waits or repeats something
    std::int64_t lost = 0;
  };
  struct Seed {
    std::int64_t time = 0;
    Decisions decisions;
  };
  struct Point {
    std::int64_t time = 0;
    double price = 0;
    double share = 0;  ///< of memory that a segment may drop
    bool cut = false;
  };

  /// kNever where there is no plan, or one that takes longer than `limit`.
  std::int64_t evaluate(const Decisions& decisions, std::int64_t limit = kNever);
  void tell();
  void look();
  void lose(Duration time, std::size_t position, Scene::Loss::Cause cause);
  [[nodiscard]] bool over() const { return tried_ >= limits_.plans || done_; }

  void sow();
  void sow_points();
  void sow_least_workspace();
  std::int64_t sow_one(Decisions decisions, std::int64_t limit = kNever);
  void sow_point(std::vector<Point>& points, double price, double share, bool cut);
  [[nodiscard]] std::int64_t share_of_memory(double share) const;

  bool take_if_best(const Decisions& decisions, std::int64_t time);
  void walk(std::int64_t plans);
  void change(Decisions& decisions);
  void change_unused(Decisions& decisions);
  void change_loss(Decisions& decisions);
  void change_repeated(Decisions& decisions, std::uint32_t position);
  void change_copy(Decisions& decisions, std::uint32_t position);
  void make_room(Decisions& decisions, const Scene::Away& moved);
  void change_kind(Decisions& decisions);
  void change_neighbours(Decisions& decisions);
  void exchange_two(Decisions& decisions);
  void change_way(Decisions& decisions);
  [[nodiscard]] Treatment any_treatment(std::uint32_t idle);
  void set(Decisions& decisions, std::uint32_t idle, Treatment treatment) const;

  struct Change;
  [[nodiscard]] std::vector<Change> changes() const;
  [[nodiscard]] std::int64_t plans_of_pairs() const;
  void try_pairs(const Decisions& from);

  void find_kinds();

  const MixFacts& facts_;
  Limits limits_;
  MixSegments segments_;
  MixDecoder decoder_;
  MixDice dice_;
  std::vector<std::vector<std::uint32_t>>
      kinds_;                             ///< idle times of equal tensors, three or more, in order
  std::vector<std::uint32_t> with_ways_;  ///< tasks with more than one

  std::vector<Seed> seeds_;  ///< the best ones, of different times, the best first
  Decisions best_;
  std::int64_t best_time_ = kNever;
  Decisions current_;
  Decisions next_;
  std::int64_t current_time_ = kNever;
  Trial trial_;  ///< of the plan tried last
  Scene scene_;
  std::vector<std::uint32_t> choice_;  ///< of a change
  std::int64_t tried_ = 0;
  bool blocked_ = false;  ///< the plan tried last, by what an allocator holds back
  bool blocks_ = false;   ///< some plan did
  bool done_ = false;
};

}  // namespace ooc
