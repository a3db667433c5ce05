// Where the rows of a sweep go: into a file that a later run can go on with (sweep_file.hpp), or, one by one, to
// whoever reads standard output, a pipe or a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/output_file.hpp"
#include "cli/sweep/sweep_file.hpp"

namespace ooc {

class SweepOutput {
 public:
  /// Throws SpecError where nothing can be written, and for a format that needs a file.
  SweepOutput(const std::string& path, const SweepFormat& format, Existing existing);

  [[nodiscard]] Standing begin(const SweepIdentity& identity, const std::string& head);
  /// Of an earlier run.
  [[nodiscard]] SweepSummary before() const;
  void write(std::string_view rows, const SweepSummary& so_far);
  /// Called now and then while there is nothing to write.
  void late();
  /// What stands behind all rows, in pieces, before finish().
  void add_end(std::string_view end);
  void finish();
  /// Of an earlier run, where all are kept; they are given up here.
  [[nodiscard]] std::vector<Knee> take_knees();
  void discard();
  /// Hands over what waits. How many rows are where, and how to go on, of a sweep that ends before its end.
  [[nodiscard]] std::string kept(std::size_t written, std::size_t all);

  [[nodiscard]] bool is_stdout() const { return stream_ && stream_->is_stdout(); }
  [[nodiscard]] bool goes_on() const { return file_.has_value(); }

  /// What is no file is kept beside, from here on.
  void keep_copy() { copies_ = !file_; }
  [[nodiscard]] const std::string& copy() const { return copy_; }

 private:
  void put(std::string_view text);

  bool copies_ = false;
  std::string copy_;
  std::optional<OutputFile> stream_;
  std::optional<SweepFile> file_;
};

}  // namespace ooc
