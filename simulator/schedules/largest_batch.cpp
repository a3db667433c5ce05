// First in steps of 16, say, up to a batch that does not fit, then between the two. A trial that fails says
// how much memory would do; in proportion to that the border is guessed, and as nearly all bytes
// are proportional to the batch, the guess and the batch above it mostly are the border. A guess
// (a secant through the last two failures, where there are two) is made again only when the interval
// is at most half of what it was, else it is halved: so the number of trials stays logarithmic
// whatever they say.
#include "simulator/schedules/largest_batch.hpp"

#include <algorithm>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

/// A batch that does not fit, and what would.
struct Failure {
  std::int64_t batch = 0;
  Bytes needs;
  Bytes has;
};

class BatchBisection {
 public:
  explicit BatchBisection(const BatchSearch& search) : search_(search) {}

  LargestBatch run() {
    OOC_CHECK(search_.first >= 1 && search_.limit >= search_.first, "a batch has a sample");
    grow();
    while (fits_ > 0 && fails_ && *fails_ - fits_ > 1) try_batch(next());
    look_above();
    return {.batch = fits_, .fails = fails_, .attempts = attempts_};
  }

 private:
  void grow() {
    for (std::int64_t batch = search_.first; !fails_;
         batch = std::min(batch * search_.growth, search_.limit)) {
      try_batch(batch);
      if (batch == search_.limit) return;
    }
  }

  bool try_batch(std::int64_t batch) {
    ++attempts_;
    const BatchTrial trial = search_.attempt(batch);
    if (trial.fits) {
      fits_ = batch;
      return true;
    }
    fails_ = batch;
    before_last_ = std::exchange(last_, std::nullopt);
    if (trial.needs) last_ = Failure{batch, *trial.needs, trial.has};
    above_guess_ = false;
    return false;
  }

  /// Strictly between what fits and what fails.
  std::int64_t next() {
    if (std::exchange(above_guess_, false)) return fits_ + 1;
    const std::int64_t between = *fails_ - fits_;
    if (between <= guess_below_) {
      if (const std::optional<std::int64_t> guessed = guess()) {
        guess_below_ = between / 2;
        above_guess_ = true;
        return std::clamp(*guessed, fits_ + 1, *fails_ - 1);
      }
    }
    return fits_ + between / 2;
  }

  /// By the last two failures for want of the same memory, else in proportion.
  std::optional<std::int64_t> guess() const {
    if (!last_ || last_->batch != *fails_) return std::nullopt;
    Int128 bytes = last_->needs.count() - search_.fixed.count();
    Int128 samples = last_->batch;
    if (before_last_ && before_last_->has == last_->has && before_last_->batch > last_->batch) {
      bytes = before_last_->needs.count() - last_->needs.count();
      samples = before_last_->batch - last_->batch;
    } else if (last_->has != search_.budget) {
      return std::nullopt;
    }
    if (bytes <= 0) return std::nullopt;
    const Int128 too_many = last_->needs.count() - last_->has.count();
    const Int128 fewer = (too_many * samples + bytes - 1) / bytes;
    return static_cast<std::int64_t>(std::max<Int128>(last_->batch - fewer, 0));
  }

  void look_above() {
    if (fits_ == 0) return;
    for (std::int64_t more = 2; more <= search_.also_above; ++more) {
      if (!fails_ || fits_ + more > search_.limit) return;
      const std::int64_t border = fits_;
      const std::int64_t failed = *fails_;
      if (!try_batch(border + more)) {
        fails_ = failed;
        continue;
      }
      fails_.reset();  // the search goes on from there, one by one
      while (!fails_ && fits_ < search_.limit) try_batch(fits_ + 1);
      more = 1;
    }
  }

  const BatchSearch& search_;
  std::int64_t fits_ = 0;
  std::optional<std::int64_t> fails_;
  std::optional<Failure> last_;
  std::optional<Failure> before_last_;
  std::int64_t guess_below_ = kMaxBatch;  ///< guesses must not shave off one by one
  bool above_guess_ = false;  ///< the last trial was a guess: it fits, the one above may not
  int attempts_ = 0;
};

}  // namespace

LargestBatch find_largest_batch(const BatchSearch& search) { return BatchBisection(search).run(); }

}  // namespace ooc
