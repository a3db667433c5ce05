// Steps that grow lead to a pair of which one does and one fails; between the two the guess of the last trial is tried,
// and the number above a guess that does, as that mostly is the border. A guess is made again only when the interval is
// at most half of what it was, else it is halved: so the number of trials stays logarithmic whatever the guesses are.
#include "simulator/predict/border_search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

class Searcher {
 public:
  explicit Searcher(const BorderSearch& search) : search_(search) {}

  Border run() {
    const auto& [attempt, first, last, start, step, growth, also_beyond] = search_;
    OOC_CHECK(first <= start && start <= last, "a search begins inside its range");
    try_number(start);
    for (std::int64_t far = step; !fails() && *found_.does < last; far *= growth) {
      try_number(*found_.does + std::min(far, last - *found_.does));
    }
    for (std::int64_t far = step; !found_.does && *found_.fails > first; far *= growth) {
      try_number(*found_.fails - std::min(far, *found_.fails - first));
    }
    while (found_.does && fails() && *found_.fails - *found_.does > 1) try_number(next());
    look_beyond();
    return found_;
  }

 private:
  [[nodiscard]] bool fails() const { return found_.fails.has_value(); }

  bool try_number(std::int64_t number) {
    const BorderTrial trial = search_.attempt(number);
    (trial.does ? found_.does : found_.fails) = number;
    guess_ = trial.guess;
    if (!trial.does) above_guess_ = false;
    return trial.does;
  }

  /// Strictly between what does and what fails.
  std::int64_t next() {
    const std::int64_t low = *found_.does;
    const std::int64_t high = *found_.fails;
    if (std::exchange(above_guess_, false)) return low + 1;
    if (guess_ && high - low <= guess_below_) {
      guess_below_ = (high - low) / 2;
      above_guess_ = true;
      return std::clamp(*guess_, low + 1, high - 1);
    }
    return low + (high - low) / 2;
  }

  void look_beyond() {
    if (!found_.does) return;
    for (std::int64_t more = 2; more <= search_.also_beyond; ++more) {
      if (!fails() || *found_.does + more > search_.last) return;
      const Border before = found_;
      if (!try_number(*before.does + more)) {
        found_ = before;
        continue;
      }
      found_.fails.reset();  // the search goes on from there, one by one
      while (!fails() && *found_.does < search_.last) try_number(*found_.does + 1);
      more = 1;
    }
  }

  const BorderSearch& search_;
  Border found_;
  std::optional<std::int64_t> guess_;  ///< of the last trial
  std::int64_t guess_below_ = std::numeric_limits<std::int64_t>::max();
  bool above_guess_ = false;  ///< the last trial was a guess and does: the one above it may not
};

}  // namespace

Border find_border(const BorderSearch& search) { return Searcher(search).run(); }

}  // namespace ooc
