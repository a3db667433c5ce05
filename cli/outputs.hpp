// Outputs of a command, opened together before the work starts. A file is written under a working name beside its
// target and renamed at the end. So an unwritable place is found before long work, a failure leaves the old file, and
// nobody reads half a result. "-" is stdout; devices and pipes are written in place. (Files of sweeps grow from run to
// run: cli/sweep/row_file.hpp.)
#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "reports/writers/page.hpp"
#include "reports/writers/writer.hpp"

namespace ooc {

/// Thrown by writes to a pipe whose reader has ended: not an error, but further writing is pointless.
struct ReaderGone : std::exception {};

/// Returns the file that writing to `path` replaces or creates, links resolved; empty for stdout,
/// folders, devices and pipes.
[[nodiscard]] std::string output_target(const std::string& path);

/// Writes all of `text` to the descriptor. Returns false, with errno set, on failure.
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

  /// Writes, through a buffer. Throws SpecError if writing fails (full disk), ReaderGone if a pipe was closed.
  void write(std::string_view text);
  /// Writes out the buffer, for outputs that others read while they grow.
  void flush();
  /// Flushes and closes the file, and gives it its name. Throws SpecError if that fails. A closed pipe
  /// is no error here: the work is done, and the exit code tells its result.
  void commit();
  /// Calls write() and commit(), for results in one piece. A closed pipe is no error.
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
  std::optional<std::size_t> interrupt_slot_;  ///< of remove_on_interrupt(); unset: not registered
  int descriptor_ = -1;
  std::string buffer_;
};

/// --report: a page with the charts of a result. The charts are drawn by JavaScript of reports/pages.
/// scripts/build-pages bundles it with its library (needs npm); the program finds it like other data.
class Pictures {
 public:
  /// Opens the file of `flag`, if given. Throws SpecError before any work if charts are not built, or as OutputFile().
  explicit Pictures(const Arguments& arguments, std::string_view flag = flags::kReport);

  [[nodiscard]] bool wanted() const { return page_.has_value(); }
  void finish(std::string_view title, std::span<const PageDocument> documents);

 private:
  std::string script_;  ///< path of reports/pages' script; empty: not wanted
  std::optional<OutputFile> page_;
};

struct Outputs {
  OutputFile result;
  std::optional<OutputFile> trace;
  std::optional<OutputFile> plan;
  std::optional<OutputFile> policy;
  std::optional<OutputFile> snapshot;
  Pictures pictures;
};

/// Input files of a command, as the user named them.
struct Inputs {
  std::span<const std::string> networks = {};
  std::span<const std::string> profiles = {};
  std::span<const std::string> others = {};  ///< paths of further input files
};

/// Throws SpecError if two outputs are one file, or if one would replace an input. Opens no file.
void check_outputs(const Arguments& arguments, const Inputs& inputs);

/// Opens -o (default stdout), --trace, --memory-snapshot, --export-plan, --export-policy and --report. Throws
/// SpecError as check_outputs(), with the input files of flags and jobs beside `inputs`, and if one cannot be
/// written.
[[nodiscard]] Outputs open_outputs(const Arguments& arguments, const Inputs& inputs);

/// Writes the result, and with --report a page called `title` with charts of the result and of `beside`.
/// `write(writer)`: returns the result as text of that writer.
template <class Write>
void finish_result(Outputs& outputs, const Writer& writer, std::string_view title,
                   const Write& write, std::initializer_list<PageDocument> beside = {}) {
  if (outputs.pictures.wanted()) {
    const std::string json = write(*find_writer("json"));
    std::vector<PageDocument> documents{{.json = json}};
    documents.insert(documents.end(), beside.begin(), beside.end());
    outputs.pictures.finish(title, documents);
  }
  outputs.result.finish(write(writer));
}

}  // namespace ooc
