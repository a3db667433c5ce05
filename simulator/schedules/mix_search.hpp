// Search for the decisions with the shortest iteration: seeds, then late acceptance of small changes (Burke
// and Bykov, The Late Acceptance Hill-Climbing Heuristic, 2017) where the plan loses time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/schedules/mix_segments.hpp"

namespace ooc {

/// Random integers by xorshift64, equal on all machines.
class MixRng {
 public:
  explicit MixRng(std::int64_t seed);
  /// Returns an integer in [0, count).
  std::size_t below(std::size_t count);
  bool percent(unsigned chance) { return below(100) < chance; }

 private:
  std::uint64_t state_;
};

class MixSearch {
 public:
  struct Limits {
    std::int64_t plans = 0;        ///< maximum number of plans to try
    std::int64_t seed = 1;         ///< seed of the random numbers
    std::int64_t good_enough = 0;  ///< the search stops at a plan of at most so many ns
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// `facts` must outlive the search. Preconditions: the plan of move_all() fits; PlanningProblem::evaluate is set.
  MixSearch(const MixFacts& facts, const Limits& limits);

  void run();

  /// Returns the iteration time in ns of the best plan; kNever: no plan ran.
  [[nodiscard]] std::int64_t best_time() const { return best_time_; }
  [[nodiscard]] const Decisions& best() const { return best_; }
  [[nodiscard]] std::int64_t tried() const { return tried_; }

 private:
  struct Loss {
    std::int64_t time = 0;       ///< ns in which compute waits, or reruns a task
    std::uint32_t position = 0;  ///< index in runs_: task that waits, or is rerun
    bool again = false;          ///< true: the task is a rerun; false: compute waits before it
  };
  /// Gap between two uses of a tensor in which the last plan moves the tensor.
  struct Gap {
    std::uint32_t idle = 0;  ///< index in MixFacts::idle
    std::uint32_t from = 0;  ///< position of the last use before the gap
    std::uint32_t to = 0;    ///< position of the next use
  };
  /// Decisions to start from: arguments of MixSegments::cut(), and the result.
  struct Seed {
    double price = 0;            ///< highest price (see MixSegments::kAnyPrice) of a dropped tensor
    double share = 0;            ///< share of GPU memory that a segment may drop
    std::int64_t time = kNever;  ///< ns; kNever: no plan
  };

  struct Start {
    std::int64_t time = 0;
    Decisions decisions;
  };

  /// Returns the iteration time in ns; kNever if no plan fits or runs, or if it certainly takes more than `limit` ns.
  std::int64_t evaluate(const Decisions& decisions, std::int64_t limit = kNever);
  void look();
  void lose(Duration time, std::size_t position, bool again);
  [[nodiscard]] bool over() const { return tried_ >= limits_.plans || done_; }
  [[nodiscard]] std::int64_t share_of_memory(double share) const;

  void seed_all();
  std::int64_t seed_one(Decisions decisions, std::int64_t limit = kNever);
  void seed_cut(Seed seed);
  bool take_if_best(const Decisions& decisions, std::int64_t time);
  void walk(std::int64_t plans);

  void change(Decisions& decisions);
  void change_loss(Decisions& decisions);
  void change_repeated(Decisions& decisions, std::uint32_t position);
  void change_copy(Decisions& decisions, std::uint32_t position);
  void keep_instead(Decisions& decisions, std::uint32_t idle);
  void change_neighbours(Decisions& decisions);
  [[nodiscard]] Treatment any_treatment(std::uint32_t idle);
  [[nodiscard]] double price(std::uint32_t idle) const;
  void set(Decisions& decisions, std::uint32_t idle, Treatment treatment) const;

  const MixFacts& facts_;
  Limits limits_;
  MixSegments segments_;
  MixDecoder decoder_;
  MixRng rng_;
  Trial trial_;           ///< result of the last plan
  bool blocked_ = false;  ///< true: the last plan was blocked for lack of GPU memory
  bool blocks_ = false;   ///< true: at least one plan was blocked for lack of GPU memory
  std::vector<std::uint32_t> with_algorithms_;  ///< tasks with several algorithms
  std::vector<Seed> seeds_;
  std::vector<Start> starts_;  ///< the best few seeds, fastest first, each with a different time
  Decisions best_;
  std::int64_t best_time_ = kNever;
  std::int64_t tried_ = 0;
  bool done_ = false;
  // Parts of the plan of the current decisions that change() reads. look() fills them.
  std::vector<TaskRun> runs_;
  std::vector<Gap> moved_;  ///< gaps with a move, by time of return
  std::vector<std::uint32_t> kept_;
  std::vector<Loss> losses_;
  std::int64_t lost_ = 0;
  std::vector<std::uint32_t> choice_;
};

}  // namespace ooc
