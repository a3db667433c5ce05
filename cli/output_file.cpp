// POSIX calls rather than streams: streams hide why a write failed, and a full disk must be an
// error that says so.
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

std::string system_text(int error) { return std::generic_category().message(error); }

/// Where a link whose target is missing leads: weakly_canonical() takes such a link for a missing file
/// and would name the link itself. A loop of links is left where it is found: opening it will fail.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // where Linux gives up too
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) break;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
}

/// A file beside the target that nobody else writes; -1 where none can be made.
int open_working_file(const std::string& target, std::string& name) {
  constexpr std::size_t kLongestName = 200;  // of the 255 that a file system takes
  const std::size_t file = target.rfind('/') + 1;
  name = target.substr(0, file) + target.substr(file, kLongestName) + ".ooc-paleo-tmp.XXXXXX";
  return mkostemp(name.data(), O_CLOEXEC);
}

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

std::string output_target(const std::string& path) {
  struct stat status {};
  if (path.empty() || path == "-") return "";
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return "";
  // A link is followed: its target is replaced or made, the link stays.
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(
      behind_links(std::filesystem::absolute(path, ignored)), ignored);
  return ignored || resolved.empty() ? path : resolved.string();
}

bool write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void open_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one.
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened > STDERR_FILENO) close(opened);
  }
}

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  if (path_.empty()) fail("an empty path");
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    const int opened = fcntl(descriptor_, F_GETFL);
    if (opened < 0 || (opened & O_ACCMODE) == O_RDONLY) fail("standard output, which is closed");
    return;
  }
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(in_quotes(path_) + ": " + system_text(errno));
    open_temporary();
  } else if (S_ISDIR(status.st_mode)) {
    fail(in_quotes(path_) + ", which is a directory");
  } else if (S_ISREG(status.st_mode)) {
    if (access(path_.c_str(), W_OK) != 0) fail(in_quotes(path_) + ": " + system_text(errno));
    open_temporary();
  } else {
    open_in_place();
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : flag_(std::move(other.flag_)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      interrupt_slot_(std::exchange(other.interrupt_slot_, std::nullopt)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  remove_unfinished();
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

void OutputFile::open_temporary() {
  target_ = output_target(path_);
  descriptor_ = open_working_file(target_, temporary_);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
  interrupt_slot_ = remove_on_interrupt(temporary_);
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  if (fchmod(descriptor_, replaces ? old.st_mode & 07777 : default_mode()) != 0) {
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
}

void OutputFile::open_in_place() {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(in_quotes(path_) + ": " + system_text(errno));
}

void OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() >= kBufferBytes) {
    write_fully(text);
  } else {
    buffer_ += text;
  }
}

void OutputFile::flush() {
  const std::string pending = std::exchange(buffer_, {});
  write_fully(pending);
}

void OutputFile::write_fully(std::string_view text) {
  if (ooc::write_fully(descriptor_, text)) return;
  if (errno == EPIPE) throw ReaderGone();
  fail((is_stdout() ? "standard output" : path_) + ": " + system_text(errno));
}

void OutputFile::commit() {
  try {
    flush();
  } catch (const ReaderGone&) {
    return;
  }
  if (is_stdout()) return;
  // Network file systems say that a write failed when its file is closed.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
  if (!temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(in_quotes(path_) + ": " + system_text(errno));
    }
    forget();
  }
}

void OutputFile::finish(std::string_view text) {
  try {
    write(text);
  } catch (const ReaderGone&) {
    return;
  }
  commit();
}

void OutputFile::remove_unfinished() noexcept {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget();
}

/// The working file has another name now, or none.
void OutputFile::forget() {
  temporary_.clear();
  if (interrupt_slot_) forget_on_interrupt(*std::exchange(interrupt_slot_, std::nullopt));
}

void OutputFile::fail(const std::string& found) {
  // A constructor that throws runs no destructor.
  remove_unfinished();
  bad_value(flag_, found, "a place that can be written");
}

}  // namespace ooc
