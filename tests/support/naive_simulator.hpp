// Second, naive simulator, written from the text of the semantics (docs/architecture.md, 3) and fed
// with the text form of a plan. It shares nothing with the engine: no plan structures, no counters
// kept from one instant to the next. At every instant it looks at everything again: slow, but
// simple enough to be believed. Ideal allocator only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ooc::test {

struct NaiveStep {
  std::string queue;  ///< "compute", "to_far", ...
  std::string kind;
  std::string name;
  std::int64_t time = 0;     ///< ns; compute and recompute steps
  std::int64_t issue = 0;    ///< host ns to issue a compute step
  std::int64_t pinning = 0;  ///< host ns to pin memory, after the previous step of its queue
  std::int64_t bytes = 0, latency = 0;
  std::optional<std::int64_t> rate;  ///< of a copy; unset: infinite
  std::vector<std::size_t> waits;
  std::vector<std::pair<std::size_t, std::int64_t>> takes;  ///< block, bytes
  std::vector<std::size_t> frees;
  [[nodiscard]] bool copies() const { return kind == "to_far" || kind == "to_near"; }
};

struct NaivePlan {
  std::int64_t budget = 0, static_bytes = 0;
  std::int64_t duplex_to_far = 0, duplex_to_near = 0;  ///< parts per billion
  struct Initial {
    std::size_t block = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Initial> initial;
  std::vector<NaiveStep> steps;
};

/// Throws std::runtime_error for anything unknown.
[[nodiscard]] NaivePlan read_plan_text(std::string_view text);

struct NaiveResult {
  struct Span {
    std::int64_t start = 0, end = 0;
  };
  std::vector<Span> spans;  ///< by step, of those that ran
  std::int64_t iteration_time = 0;
  std::int64_t peak = 0;  ///< static bytes included
  bool finished = false;
  std::optional<std::size_t> blocked_step;  ///< head that was ready first; unset: the run finished
};

[[nodiscard]] NaiveResult simulate_naively(const NaivePlan& plan);

}  // namespace ooc::test
