// Outputs. A file is written under a working name beside its target and renamed at the end. So an
// unwritable place is found before long work, a failure leaves the old file, and nobody reads half
// a result. "-" is stdout; devices and pipes are written in place. (Files of sweeps grow from run
// to run: cli/sweep/row_file.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace ooc {

/// Thrown if the reader of a pipe has gone: not an error, but further writing is pointless.
struct ReaderGone : std::exception {};

/// Returns the file that writing to `path` replaces or creates, links resolved; empty for stdout,
/// folders, devices and pipes.
[[nodiscard]] std::string output_target(const std::string& path);

/// Writes all of `text`. Returns false, with errno set, on failure.
[[nodiscard]] bool write_fully(int descriptor, std::string_view text);

/// Opens /dev/null for closed descriptors 0 to 2, so that no file opened later receives the
/// messages of standard error. Each is opened in the wrong direction, so reads and writes fail as
/// on a closed descriptor.
void open_closed_descriptors();

class OutputFile {
 public:
  /// Opens the output. `flag` ("-o", "--trace"): for messages. Throws SpecError if it cannot be written.
  OutputFile(std::string flag, std::string path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  ///< without commit(): removes the new file, keeps the old one

  /// Writes to the buffer. Throws SpecError if the disk is full, ReaderGone if a pipe was closed.
  void write(std::string_view text);
  /// Writes out the buffer, for outputs that others read while they grow.
  void flush();
  /// Flushes, closes and renames the file. A closed pipe is no error here: the work is done, and
  /// the exit code tells its result.
  void commit();
  /// Calls write() and commit(), for results in one piece.
  void finish(std::string_view text);
  [[nodiscard]] bool is_stdout() const { return path_ == "-"; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void open_temporary();
  void open_in_place();
  void write_fully(std::string_view text);
  void remove_unfinished() noexcept;
  void forget();
  [[noreturn]] void fail(const std::string& found);

  std::string flag_;
  std::string path_;
  std::string target_;
  std::string temporary_;
  std::optional<std::size_t> interrupt_slot_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace ooc
