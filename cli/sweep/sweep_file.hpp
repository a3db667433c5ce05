// The file of a sweep, whatever its format (row_store.hpp): who may write it, whether it is new, goes on or is
// complete, and when rows are handed over. A file that is there is only ever replaced by a complete one.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/identity.hpp"
#include "cli/sweep/row_store.hpp"
#include "cli/sweep/rows.hpp"
#include "cli/sweep/run_state.hpp"

namespace ooc {

enum class Existing { kContinue, kOverwrite };
enum class Standing { kNew, kGoesOn, kComplete };

/// The descriptor of a file that this process alone writes; whatever is empty at the end is removed.
class LockedFile {
 public:
  /// Throws SpecError where another process has it.
  explicit LockedFile(std::string path);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Where rows of a sweep into `target` grow, and all names that it may write beside it.
[[nodiscard]] std::string growing_path(const std::string& target);
[[nodiscard]] std::vector<std::string> names_beside(const std::string& target);

class SweepFile {
 public:
  /// `path` is that of -o. Throws SpecError where it cannot be written, and where another process does.
  SweepFile(std::string path, const SweepFormat& format, Existing existing);

  /// Once it is known what goes there: `head` before the rows. Throws SpecError where something else is there.
  [[nodiscard]] Standing begin(const SweepIdentity& identity, std::string head);
  /// What all rows so far amount to, those of an earlier run included.
  [[nodiscard]] const SweepSummary& summary() const { return state_.summary; }
  [[nodiscard]] std::size_t rows_kept() const { return rows_kept_; }

  /// Rows, and what all so far amount to. They are handed over together, every kBetween or kMostWaiting; late() does that
  /// while no rows come. Throw SpecError for a full disk.
  void write(std::string_view rows, const SweepSummary& so_far);
  void late();
  void flush();
  /// All rows of a finished file of the same columns, the knee that its first rows complete, and what all amount to
  /// then.
  void take(const std::string& file, const std::optional<Knee>& knee, const SweepSummary& so_far);
  /// What stands behind all rows, in pieces, before finish().
  void add_end(std::string_view end);
  void finish();
  /// Knees of the rows before, where all are kept; they are given up here.
  [[nodiscard]] std::vector<Knee> take_knees();
  /// Nothing of it is worth keeping.
  void discard();

  /// As the user knows the place.
  [[nodiscard]] std::string growing_name() const;
  [[nodiscard]] Existing existing() const { return existing_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] RunState read(const KeptRun& run, const std::string& path) const;
  void check_same(const KeptRun& run, const std::string& path, const SweepIdentity& identity) const;
  void note_knees(std::span<const Knee> knees);
  void keep(bool complete);

  std::string path_;
  Existing existing_;
  std::string target_;
  LockedFile lock_;
  std::unique_ptr<RowStore> store_;
  RunState state_;                   ///< with the rows that wait, its bytes without them
  bool keeps_all_knees_ = false;     ///< else as many as are shown
  std::vector<Knee> waiting_knees_;  ///< that are not handed over yet
  std::size_t rows_kept_ = 0;        ///< of its rows
  std::size_t knees_kept_ = 0;       ///< of its knees
  std::string head_;
  std::string waiting_;  ///< rows that are not handed over yet
  Clock::time_point next_;
};

}  // namespace ooc
