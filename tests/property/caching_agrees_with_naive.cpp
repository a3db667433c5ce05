// Does the caching allocator follow its rules whatever is taken and freed in whatever order? Random kernels and copies
// in, one after another, and the same blocks handed out by a second allocator that was written for clarity: lists.
// Reserved memory and the step that blocks must agree, and reserved memory stays between what lives and what
// there is.
#include <list>
#include <random>

#include "tests/support/property_cases.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/engine_scenario.hpp"

namespace ooc::test {
namespace {

constexpr std::uint64_t kSeeds = 2'000;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

std::int64_t up_to_multiple(std::int64_t bytes, std::int64_t of) {
  return (bytes + of - 1) / of * of;
}

class NaiveCache {
 public:
  explicit NaiveCache(std::int64_t budget) : budget_(budget) {}

  struct Part {
    std::int64_t bytes;
    bool free;
  };
  struct Segment {
    bool small;
    bool of_copies;
    std::int64_t bytes;
    std::list<Part> parts;
  };
  using Place = std::list<Part>::iterator;

  std::optional<Place> take(std::int64_t bytes, bool for_copy) {
    bytes = up_to_multiple(bytes, 512);
    const bool small = bytes <= kMiB;
    Segment* best = nullptr;
    Place part;
    for (Segment& segment : segments_) {  // oldest first, so that of equals the first stays
      if (segment.small != small || segment.of_copies != for_copy) continue;
      for (auto it = segment.parts.begin(); it != segment.parts.end(); ++it) {
        if (!it->free || it->bytes < bytes || (best != nullptr && part->bytes <= it->bytes))
          continue;
        best = &segment;
        part = it;
      }
    }
    if (best == nullptr) {
      const std::int64_t wanted = small               ? 2 * kMiB
                                  : bytes < 10 * kMiB ? 20 * kMiB
                                                      : up_to_multiple(bytes, 2 * kMiB);
      if (reserved() + wanted > budget_) segments_.remove_if(&unused);
      if (reserved() + wanted > budget_) return std::nullopt;
      best = &segments_.emplace_back(Segment{small, for_copy, wanted, {{wanted, true}}});
      part = best->parts.begin();
      most_ = std::max(most_, reserved());
    }
    const std::int64_t rest = part->bytes - bytes;
    part->free = false;
    if (small ? rest >= 512 : rest > kMiB) {
      part->bytes = bytes;
      best->parts.insert(std::next(part), Part{rest, true});
    }
    return part;
  }

  void give_back(Place part) {
    part->free = true;
    for (Segment& segment : segments_) {
      for (auto it = segment.parts.begin(); it != segment.parts.end();) {
        const auto next = std::next(it);
        if (next != segment.parts.end() && it->free && next->free) {
          it->bytes += next->bytes;
          segment.parts.erase(next);
        } else {
          it = next;
        }
      }
    }
  }

  [[nodiscard]] std::int64_t reserved() const {
    std::int64_t sum = 0;
    for (const Segment& segment : segments_) sum += segment.bytes;
    return sum;
  }
  [[nodiscard]] std::int64_t most_reserved() const { return most_; }

 private:
  static bool unused(const Segment& segment) {
    return segment.parts.size() == 1 && segment.parts.front().free;
  }

  std::int64_t budget_;
  std::int64_t most_ = 0;
  std::list<Segment> segments_;
};

struct Taken {
  std::int64_t bytes;
  std::size_t freed_after;  ///< number of a step; behind the last one: never
};

struct ScriptStep {
  bool copies = false;
  std::vector<Taken> takes = {};
};
using Script = std::vector<ScriptStep>;

Script random_script(std::mt19937_64& dice) {
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(dice);
  };
  const auto size = [&] {
    switch (number(0, 3)) {
      case 0:
        return number(1, 4096);
      case 1:
        return number(1, 3 * kMiB);
      case 2:
        return number(1, 12) * kMiB - number(0, 1) * 512;
      default:
        return number(5 * kMiB, 30 * kMiB);
    }
  };
  Script script(static_cast<std::size_t>(number(5, 60)));
  for (std::size_t step = 0; step < script.size(); ++step) {
    script[step].copies = number(0, 2) == 0;
    for (std::int64_t left = number(0, 3); left > 0; --left) {
      script[step].takes.push_back({size(), step + static_cast<std::size_t>(number(0, 12))});
    }
  }
  return script;
}

struct Said {
  std::optional<std::size_t> blocked;
  std::int64_t most_reserved = 0;
  std::int64_t most_live = 0;  ///< rounded up to 512 B
};

Said say_naively(const Script& script, std::int64_t budget) {
  Said said;
  NaiveCache cache(budget);
  std::vector<std::vector<std::pair<NaiveCache::Place, std::int64_t>>> freed(script.size() + 13);
  std::int64_t live = 0;
  for (std::size_t step = 0; step < script.size(); ++step) {
    for (const Taken& taken : script[step].takes) {
      const auto place = cache.take(taken.bytes, script[step].copies);
      if (!place) {
        said.blocked = step;
        return said;
      }
      const std::int64_t bytes = up_to_multiple(taken.bytes, 512);
      freed[taken.freed_after].emplace_back(*place, bytes);
      live += bytes;
    }
    said.most_live = std::max(said.most_live, live);
    for (const auto& [place, bytes] : freed[step]) {
      cache.give_back(place);
      live -= bytes;
    }
  }
  said.most_reserved = cache.most_reserved();
  return said;
}

TEST_CASE("the caching allocator agrees with a naive one, within what lives and what there is") {
  std::size_t ran = 0, blocked = 0;
  const std::uint64_t cases = for_each_seed(kSeeds, [&](std::uint64_t seed) {
    INFO(rerun("property_engine", seed));
    std::mt19937_64 dice(seed);
    const Script script = random_script(dice);
    const std::int64_t budget =
        std::uniform_int_distribution<std::int64_t>(40 * kMiB, 300 * kMiB)(dice);
    Scenario s;
    std::vector<StepId> steps;
    for (const ScriptStep& step : script) {
      steps.push_back(step.copies ? s.to_near({.bytes = 1}) : s.compute(1));
      if (steps.size() > 1) s.wait(steps.back(), steps[steps.size() - 2]);
    }
    for (std::size_t i = 0; i < script.size(); ++i) {
      for (const Taken& taken : script[i].takes) {
        const BlockId block = s.takes(steps[i], taken.bytes);
        if (taken.freed_after < steps.size()) s.releases(block, steps[taken.freed_after]);
      }
    }
    const Said naive = say_naively(script, budget);
    const Outcome& outcome = s.run(budget, Allocator::kCaching);
    REQUIRE(std::holds_alternative<Blocked>(outcome) == naive.blocked.has_value());
    if (naive.blocked) {
      ++blocked;
      REQUIRE(s.blocked().step == steps[*naive.blocked]);
      return;
    }
    ++ran;
    REQUIRE(s.timeline().peak_near == Bytes(naive.most_reserved));
    REQUIRE(naive.most_reserved <= budget);
    REQUIRE(naive.most_reserved >= naive.most_live);
  });
  if (cases < 100) return;
  CHECK(ran > cases / 4);
  CHECK(blocked > cases / 10);
}

}  // namespace
}  // namespace ooc::test
