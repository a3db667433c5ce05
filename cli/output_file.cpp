// POSIX calls rather than streams: streams hide why a write failed, and a full disk must be an
// error that says so. mkstemp makes the temporary; its mode is then set to what open() would have
// given, or to that of the file it replaces.
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
/// and would name the link itself. A loop of links is no concern: stat() has refused it.
std::filesystem::path behind_links(std::filesystem::path path) {
  std::error_code error;
  while (std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
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

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  if (path_.empty()) fail("an empty path");
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
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
  close_file();
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (interrupt_slot_) keep_on_interrupt(*interrupt_slot_);
}

void OutputFile::open_temporary() {
  target_ = output_target(path_);
  std::string name = target_ + ".XXXXXX";
  descriptor_ = mkstemp(name.data());
  if (descriptor_ < 0) fail(in_quotes(path_) + ": " + system_text(errno));
  temporary_ = name;
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
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw ReaderGone();
      fail((is_stdout() ? "standard output" : path_) + ": " + system_text(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  flush();
  if (is_stdout()) return;
  const int descriptor = std::exchange(descriptor_, -1);
  if (close(descriptor) != 0 && errno != EINTR) fail(in_quotes(path_) + ": " + system_text(errno));
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0)
    fail(in_quotes(path_) + ": " + system_text(errno));
  temporary_.clear();
  if (interrupt_slot_) keep_on_interrupt(*std::exchange(interrupt_slot_, std::nullopt));
}

void OutputFile::close_file() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
  descriptor_ = -1;
}

void OutputFile::fail(const std::string& found) const {
  // A constructor that throws runs no destructor.
  if (!temporary_.empty()) unlink(temporary_.c_str());
  throw SpecError({.file = "",
                   .place = flag_,
                   .found = found,
                   .expected = "a place that can be written",
                   .hint = {}});
}

}  // namespace ooc
