#include "cli/sweep/sweep_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/output_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr std::chrono::milliseconds kBetween{100};
/// One that was killed holds its lock until the system is done with it.
constexpr std::chrono::seconds kToDie{2};
constexpr std::size_t kMostWaiting = std::size_t{1} << 18;  // bytes

[[noreturn]] void cannot_write(const std::string& what) {
  bad_value("--output", what, "a place that can be written");
}

/// The file that the name still means: it gets its final name, and another process begins the next.
bool is_named(int descriptor, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return fstat(descriptor, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino && S_ISREG(held.st_mode);
}

/// What the system or the database refuses is an error about the output.
template <class Action>
auto guarded(Action action) {
  try {
    return action();
  } catch (const SpecError&) {
    throw;
  } catch (const std::runtime_error& error) {
    cannot_write(error.what());
  }
}

std::string checked_target(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) {
      cannot_write(in_quotes(path) + ": " + std::generic_category().message(errno));
    }
  } else if (access(path.c_str(), W_OK) != 0) {
    cannot_write(in_quotes(path) + ": " + std::generic_category().message(errno));
  }
  return output_target(path);
}

}  // namespace

LockedFile::LockedFile(std::string path) : path_(std::move(path)) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point give_up = Clock::now() + kToDie;
  while (true) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    descriptor_ = open(path_.c_str(), kFlags, 0666);
    if (descriptor_ < 0) {
      cannot_write(in_quotes(path_) + ": " + std::generic_category().message(errno));
    }
    const bool locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
    const bool in_use = !locked && errno == EWOULDBLOCK;  // else a file system without locks
    if (!in_use && is_named(descriptor_, path_)) return;
    close(descriptor_);
    if (in_use && Clock::now() < give_up) {
      std::this_thread::sleep_for(kBetween);
      continue;
    }
    if (in_use) {
      bad_value("--output", in_quotes(path_) + ", which another process is writing",
                "a sweep that nobody else runs into the same file");
    }
    struct stat status {};
    if (lstat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
      cannot_write(in_quotes(path_) + ", which is no file");
    }
  }
}

LockedFile::~LockedFile() {
  struct stat status {};
  if (is_named(descriptor_, path_) && fstat(descriptor_, &status) == 0 && status.st_size == 0) {
    unlink(path_.c_str());
  }
  close(descriptor_);
}

std::string growing_path(const std::string& target) { return target + ".part"; }

std::vector<std::string> names_beside(const std::string& target) {
  const std::string part = growing_path(target);
  return {part, part + ".run", part + "-journal", target + ".run"};
}

SweepFile::SweepFile(std::string path, const SweepFormat& format, Existing existing)
    : path_(std::move(path)),
      existing_(existing),
      target_(checked_target(path_)),
      lock_(growing_path(target_)),
      store_(guarded([&] {
        return (format.name == "sqlite" ? open_sqlite_store : open_text_store)(
            {.target = target_, .part = growing_path(target_), .lock = lock_.descriptor()});
      })),
      keeps_all_knees_(format.ends_with_knees),
      next_(Clock::now()) {}

Standing SweepFile::begin(const SweepIdentity& identity, std::string head) {
  head_ = std::move(head);
  return guarded([&] {
    if (existing_ == Existing::kContinue) {
      const std::string part = growing_name();
      const std::optional<KeptRun> unfinished = store_->unfinished();
      const std::optional<KeptRun> complete = store_->complete();
      const bool goes_on = unfinished && !unfinished->header.empty() &&
                           differences(read_identity(unfinished->header, part), identity).empty();
      if (complete && !goes_on) {
        check_same(*complete, path_, identity);
        state_ = read(*complete, path_);
        return Standing::kComplete;
      }
      if (unfinished) check_same(*unfinished, part, identity);
      if (unfinished) state_ = read(*unfinished, part);
      if (state_.lines > 0) {
        store_->go_on({.states = state_.lines, .bytes = state_.bytes});
        if (state_.complete) {
          store_->finish();
          return Standing::kComplete;
        }
        knees_kept_ = state_.summary.knees.size();
        rows_kept_ = state_.summary.rows;
        return Standing::kGoesOn;
      }
    }
    state_ = {};
    store_->begin(identity_line(identity));
    waiting_ = head_;
    keep(false);
    return Standing::kNew;
  });
}

RunState SweepFile::read(const KeptRun& run, const std::string& path) const {
  return read_states(run.states, run.bytes, path);
}

void SweepFile::check_same(const KeptRun& run, const std::string& path,
                           const SweepIdentity& identity) const {
  const std::string quoted = in_quotes(path);
  const auto refuse = [](std::string found, std::string expected) {
    bad_value("--output", std::move(found), std::move(expected),
              "--overwrite begins anew and replaces it at the end");
  };
  if (run.header.empty()) {
    refuse(quoted + ", which is there already and not known as the result of a sweep",
           "a new file, or one of this sweep");
  }
  const std::vector<std::string> found = differences(read_identity(run.header, path), identity);
  if (!found.empty()) {
    refuse(fmt::format("{}, the result of another sweep: {}", quoted, fmt::join(found, "; ")),
           "a new file, or one of this sweep");
  }
  const RunState state = read(run, path);
  const bool counted = run.bytes != std::numeric_limits<std::int64_t>::max();
  if (state.complete && counted && state.bytes != run.bytes) {
    refuse(fmt::format("{}, which has {} bytes", quoted, run.bytes),
           fmt::format("the {} that the sweep wrote", state.bytes));
  }
}

void SweepFile::write(std::string_view rows, const SweepSummary& so_far) {
  waiting_ += rows;
  note_knees(so_far.new_knees);
  state_.summary = so_far;
  late();
}

void SweepFile::note_knees(std::span<const Knee> knees) {
  for (const Knee& knee : knees) {
    if (keeps_all_knees_ || knees_kept_ + waiting_knees_.size() < kKneesKept) {
      waiting_knees_.push_back(knee);
    }
  }
}

void SweepFile::late() {
  if (waiting_.empty()) return;
  if (waiting_.size() < kMostWaiting && Clock::now() < next_) return;
  flush();
}

void SweepFile::flush() {
  if (!waiting_.empty()) guarded([&] { keep(false); });
}

void SweepFile::keep(bool complete) {
  state_.bytes += static_cast<std::int64_t>(waiting_.size());
  state_.complete = complete;
  store_->keep(waiting_, state_line(state_, waiting_knees_));
  waiting_.clear();
  knees_kept_ += waiting_knees_.size();
  waiting_knees_.clear();
  rows_kept_ = state_.summary.rows;
  next_ = Clock::now() + kBetween;
}

void SweepFile::take(const std::string& file, const std::optional<Knee>& knee,
                     const SweepSummary& so_far) {
  flush();
  note_knees(so_far.new_knees);
  state_.summary = so_far;
  struct stat status {};
  if (stat(file.c_str(), &status) == 0) {
    state_.bytes += status.st_size - static_cast<std::int64_t>(head_.size());
  }
  guarded([&] {
    store_->take({.file = file, .head = head_.size(), .knee = knee},
                 state_line(state_, waiting_knees_));
  });
  knees_kept_ += waiting_knees_.size();
  waiting_knees_.clear();
  rows_kept_ = state_.summary.rows;
}

void SweepFile::add_end(std::string_view end) {
  flush();
  guarded([&] { store_->add(end); });
  state_.bytes += std::ssize(end);
}

void SweepFile::finish() {
  guarded([&] {
    keep(true);
    store_->finish();
  });
}

std::vector<Knee> SweepFile::take_knees() {
  std::vector<Knee>& kept = state_.summary.knees;
  std::vector<Knee> all = kept;
  if (kept.size() > kKneesKept) kept.resize(kKneesKept);
  kept.shrink_to_fit();
  return all;
}

void SweepFile::discard() {
  guarded([&] { store_->discard(); });
}

std::string SweepFile::growing_name() const {
  // As the user knows the place, unless a link leads elsewhere.
  struct stat given {};
  const bool link = lstat(path_.c_str(), &given) == 0 && S_ISLNK(given.st_mode);
  return growing_path(link ? target_ : path_);
}

}  // namespace ooc
