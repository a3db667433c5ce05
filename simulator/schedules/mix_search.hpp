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
    std::int64_t plans = 0;  ///< maximum number of plans to try
    std::int64_t seed = 1;
    std::int64_t good_enough = 0;  ///< iteration time in ns at which to stop
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// `facts` must outlive the search. Precondition: the plan of move_all() fits.
  MixSearch(const MixFacts& facts, const Limits& limits);

  void run();

  /// Returns the iteration time in ns of the best plan; kNever: no plan ran.
  [[nodiscard]] std::int64_t best_time() const { return best_time_; }
  [[nodiscard]] const Decisions& best() const { return best_; }
  [[nodiscard]] std::int64_t tried() const { return tried_; }

 private:
  /// Time in which compute waits or reruns a task.
  struct Loss {
    std::int64_t time = 0;
    std::uint32_t position = 0;
    bool again = false;
  };
  /// Gap of a tensor in the last plan, in which it is or could be in host memory.
  struct Gap {
    std::uint32_t idle = 0;
    std::uint32_t from = 0;  ///< position of its last use before the gap
    std::uint32_t to = 0;
    std::uint32_t return_after = 0;  ///< position up to which memory is too full for its return
  };
  /// Cut of the forward pass from which a start is made: by MixSegments::cut or drop_by_price.
  struct Seed {
    double price = 0;
    double share = 0;  ///< share of GPU memory that a segment may drop
    bool cut = false;
    std::int64_t time = kNever;
  };

  struct Start {
    std::int64_t time = 0;
    Decisions decisions;
  };

  /// Returns the iteration time in ns; kNever if there is no plan, or none within `limit`.
  std::int64_t evaluate(const Decisions& decisions, std::int64_t limit = kNever);
  void look();
  void lose(Duration time, std::size_t position, bool again);
  [[nodiscard]] bool over() const { return tried_ >= limits_.plans || done_; }
  [[nodiscard]] std::int64_t share_of_memory(double share) const;

  void seed_all();
  std::int64_t seed_one(Decisions decisions, std::int64_t limit = kNever);
  void seed_cut(Seed seed);
  void seed_least_workspace();
  bool take_if_best(const Decisions& decisions, std::int64_t time);
  void walk(std::int64_t plans);

  void change(Decisions& decisions);
  void change_loss(Decisions& decisions);
  void change_repeated(Decisions& decisions, std::uint32_t position);
  void change_copy(Decisions& decisions, std::uint32_t position);
  void keep_instead(Decisions& decisions, std::uint32_t idle);
  void make_room(Decisions& decisions, const Gap& moved);
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
  bool blocked_ = false;  ///< last plan was blocked for GPU memory; blocks_: any plan was
  bool blocks_ = false;
  std::vector<std::uint32_t> with_algorithms_;  ///< tasks with several algorithms
  std::vector<Seed> seeds_;
  std::vector<Start> starts_;  ///< best starts so far, fastest first, of different times
  Decisions best_;
  std::int64_t best_time_ = kNever;
  std::int64_t tried_ = 0;
  bool done_ = false;
  // Plan of the current decisions, as far as changes need it.
  std::vector<TaskRun> runs_;
  std::vector<Gap> moved_;  ///< gaps with a move, by time of return
  std::vector<Gap> kept_;
  std::vector<Loss> losses_;
  std::int64_t lost_ = 0;
  std::vector<std::uint32_t> choice_;
};

}  // namespace ooc
