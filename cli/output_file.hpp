// Where results go. A file is written as a temporary beside its target and renamed at the end, so
// that an unwritable place is found before the long work starts, a failure leaves the old file
// untouched and nobody ever reads half a result. "-" is stdout; devices and pipes are written in
// place.
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

class OutputFile {
 public:
  /// `flag` ("-o", "--trace") is for messages. Throws SpecError when the place cannot be written.
  OutputFile(std::string flag, std::string path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  ///< without commit(): removes the temporary

  /// Buffered. Throws SpecError when the disk is full, ReaderGone when a pipe was closed.
  void write(std::string_view text);
  /// Hands what is buffered to the system, for outputs that grow while others read.
  void flush();
  /// Flushes, closes and gives the file its name.
  void commit();

  [[nodiscard]] bool is_stdout() const { return path_ == "-"; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void open_temporary();
  void open_in_place();
  void write_fully(std::string_view text);
  void close_file();
  [[noreturn]] void fail(const std::string& found) const;

  std::string flag_;
  std::string path_;
  std::string target_;
  std::string temporary_;
  std::optional<std::size_t> interrupt_slot_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace ooc
