// The dumb simulator: one function per sentence of the semantics.
#include "tests/support/naive_simulator.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ooc::test {

namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t kBillion = 1'000'000'000;

enum class Phase { kNotStarted, kComputing, kLatency, kMoving, kEnded };

struct State {
  Phase phase = Phase::kNotStarted;
  std::int64_t ready = -1;  // -1: not yet
  std::int64_t start = 0;
  std::int64_t end = 0;
  Wide remainder = 0;  // bytes x 10^9
};

class Naive {
 public:
  explicit Naive(const NaivePlan& plan) : plan_(plan), states_(plan.steps.size()) {
    std::map<std::string, std::size_t> queues;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      queues_.push_back(queues.try_emplace(plan.steps[s].queue, queues.size()).first->second);
      for (const std::size_t block : plan.steps[s].frees) releasers_[block].push_back(s);
    }
  }

  NaiveResult run() {
    NaiveResult result;
    note_peak(result);
    if (result.peak > plan_.budget) {
      if (!plan_.steps.empty()) result.blocked_step = 0;
      return result;
    }
    for (;;) {
      // At one instant: ends, then releases (blocks are counted afresh), then starts; again, as
      // long as something happens.
      for (bool something = true; something;) {
        something = do_ends();
        something = do_starts(result) || something;
      }
      const std::int64_t next = next_time();
      if (next < 0) break;
      const auto rates = current_rates();
      for (std::size_t s = 0; s < states_.size(); ++s) {
        if (states_[s].phase == Phase::kMoving)
          states_[s].remainder -= Wide{rates.at(s)} * (next - now_);
      }
      now_ = next;
    }
    result.finished = std::all_of(states_.begin(), states_.end(),
                                  [](const State& s) { return s.phase == Phase::kEnded; });
    result.iteration_time = now_;
    for (const State& s : states_) result.spans.push_back({s.start, s.end});
    if (!result.finished) result.blocked_step = first_blocked();
    return result;
  }

 private:
  bool running(std::size_t s) const {
    const Phase phase = states_[s].phase;
    return phase != Phase::kNotStarted && phase != Phase::kEnded;
  }
  bool ended(std::size_t s) const { return states_[s].phase == Phase::kEnded; }

  void end(std::size_t s) {
    states_[s].phase = Phase::kEnded;
    states_[s].end = now_;
  }

  bool do_ends() {
    bool any = false;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const NaiveStep& step = plan_.steps[s];
      State& state = states_[s];
      if (state.phase == Phase::kComputing && state.start + step.time == now_) {
        end(s);
        any = true;
      } else if (state.phase == Phase::kLatency && state.start + step.latency == now_) {
        state.phase = Phase::kMoving;
        if (step.bytes == 0 || !step.rate) end(s);
        any = true;
      } else if (state.phase == Phase::kMoving && state.remainder <= 0) {
        end(s);
        any = true;
      }
    }
    return any;
  }

  /// Bytes of blocks that have been taken and not been freed.
  std::int64_t used() const {
    std::map<std::size_t, std::int64_t> held;  // block -> bytes
    for (const auto& block : plan_.initial) held[block.block] = block.bytes;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (states_[s].phase == Phase::kNotStarted) continue;
      for (const auto& [block, bytes] : plan_.steps[s].takes) held[block] = bytes;
    }
    std::int64_t sum = plan_.static_bytes;
    for (const auto& [block, bytes] : held) {
      const auto releasers = releasers_.find(block);
      const bool freed = releasers != releasers_.end() &&
                         std::all_of(releasers->second.begin(), releasers->second.end(),
                                     [&](std::size_t s) { return ended(s); });
      if (!freed) sum += bytes;
    }
    return sum;
  }

  void note_peak(NaiveResult& result) const { result.peak = std::max(result.peak, used()); }

  /// When the host has issued a compute step: it issues them one after the other, from 0 on. A far
  /// update says when it has issued all before it.
  std::int64_t issued(std::size_t s) const {
    std::int64_t at = 0;
    std::int64_t end_before = 0;
    for (std::size_t before = 0; before <= s; ++before) {
      if (queues_[before] != queues_[s]) continue;
      const std::int64_t issue = plan_.steps[before].issue;
      at = plan_.steps[before].kind == "far_compute" ? std::max(at, issue) : at + issue;
      if (before < s) end_before = states_[before].end;
    }
    // It pins memory for what leaves behind the step before when that has ended.
    return plan_.steps[s].pinning == 0 ? at : std::max(at, end_before + plan_.steps[s].pinning);
  }

  /// The heads of queues whose waits have all ended, in the order in which they are tried.
  std::vector<std::size_t> ready_heads() {
    std::vector<std::size_t> heads;
    std::set<std::size_t> seen;  // queues whose head, or running step, has been met
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (ended(s)) continue;
      if (!seen.insert(queues_[s]).second || running(s)) continue;
      const auto& waits = plan_.steps[s].waits;
      if (!std::all_of(waits.begin(), waits.end(), [&](std::size_t w) { return ended(w); }))
        continue;
      if (issued(s) > now_) continue;
      if (states_[s].ready < 0) states_[s].ready = now_;
      heads.push_back(s);
    }
    std::sort(heads.begin(), heads.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(states_[a].ready, a) < std::pair(states_[b].ready, b);
    });
    return heads;
  }

  bool do_starts(NaiveResult& result) {
    bool any = false;
    for (const std::size_t s : ready_heads()) {
      const NaiveStep& step = plan_.steps[s];
      std::int64_t wanted = 0;
      for (const auto& [block, bytes] : step.takes) wanted += bytes;
      if (used() + wanted > plan_.budget) continue;
      State& state = states_[s];
      state.start = now_;
      state.phase = step.copies() ? Phase::kLatency : Phase::kComputing;
      state.remainder = Wide{step.bytes} * kBillion;
      if (step.copies() && step.latency == 0 && step.bytes > 0 && step.rate) {
        state.phase = Phase::kMoving;
      }
      any = true;
    }
    note_peak(result);
    return any;
  }

  /// Bytes/s of every step that moves bytes now.
  std::map<std::size_t, std::int64_t> current_rates() const {
    std::map<std::size_t, std::int64_t> rates;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (states_[s].phase != Phase::kMoving) continue;
      const NaiveStep& step = plan_.steps[s];
      const bool to_far = step.kind == "to_far";
      const Wide duplex = to_far ? plan_.duplex_to_far : plan_.duplex_to_near;
      bool meets = false;  // a copy that goes the other way
      for (std::size_t other = 0; other < states_.size(); ++other) {
        meets = meets || (states_[other].phase == Phase::kMoving &&
                          (plan_.steps[other].kind == "to_far") != to_far);
      }
      rates[s] = *step.rate;
      if (meets)
        rates[s] =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(*step.rate * duplex / kBillion));
    }
    return rates;
  }

  /// The next instant at which something happens by itself; -1: nothing is running.
  std::int64_t next_time() const {
    const auto rates = current_rates();
    std::int64_t next = -1;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const State& state = states_[s];
      if (state.phase == Phase::kNotStarted && issued(s) > now_ && (next < 0 || issued(s) < next)) {
        next = issued(s);
      }
      if (!running(s)) continue;
      std::int64_t at = 0;
      if (state.phase == Phase::kComputing) at = state.start + plan_.steps[s].time;
      if (state.phase == Phase::kLatency) at = state.start + plan_.steps[s].latency;
      if (state.phase == Phase::kMoving) {
        const Wide rate = rates.at(s);
        at = now_ + static_cast<std::int64_t>((state.remainder + rate - 1) / rate);
      }
      if (next < 0 || at < next) next = at;
    }
    return next;
  }

  std::optional<std::size_t> first_blocked() {
    const auto heads = ready_heads();
    if (heads.empty()) return std::nullopt;
    return heads.front();
  }

  const NaivePlan& plan_;
  std::map<std::size_t, std::vector<std::size_t>> releasers_;  // block -> steps that free it
  std::vector<std::size_t> queues_;  // of steps, by number: names take longest to compare
  std::vector<State> states_;
  std::int64_t now_ = 0;
};

}  // namespace

NaiveResult simulate_naively(const NaivePlan& plan) { return Naive(plan).run(); }

}  // namespace ooc::test
