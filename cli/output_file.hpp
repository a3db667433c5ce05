// Where results go. A file is written under a working name beside its target and renamed at the end, so
// that an unwritable place is found before the long work starts, a failure leaves the old file
// untouched and nobody ever reads half a result. "-" is stdout; devices and pipes are written in place.
// (A sweep's file, which grows from run to run, is another thing: cli/sweep/row_file.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace ooc {

/// The reader of a pipe has gone away: no error, but there is nobody left to write for.
struct ReaderGone : std::exception {};

/// The file that writing to `path` replaces or makes, links resolved; empty for stdout, folders, devices
/// and pipes.
[[nodiscard]] std::string output_target(const std::string& path);

/// All of it; false, with errno, where that fails.
[[nodiscard]] bool write_fully(int descriptor, std::string_view text);

/// Descriptors 0 to 2 that are closed become /dev/null's, so that no file that is opened takes the place
/// of standard error and gets its messages. Only the wrong direction is open: what reads or writes
/// there fails, as it would have.
void open_closed_descriptors();

class OutputFile {
 public:
  /// `flag` ("-o", "--trace") is for messages. Throws SpecError when the place cannot be written.
  OutputFile(std::string flag, std::string path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  ///< without commit(): removes the file; an older one in its place stays

  /// Buffered. Throws SpecError when the disk is full, ReaderGone when a pipe was closed.
  void write(std::string_view text);
  /// Hands what is buffered to the system, for outputs that grow while others read.
  void flush();
  /// Flushes, closes and gives the file its name. A reader that is gone ends nothing here: the work is done, and
  /// the exit status tells what came of it.
  void commit();
  /// write() and commit(): of a result in one piece.
  void finish(std::string_view text);
  [[nodiscard]] bool is_stdout() const { return path_ == "-"; }
  /// Stdout, a device or a pipe: what is written is out.
  [[nodiscard]] bool is_in_place() const { return target_.empty(); }
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
