// POSIX calls rather than streams: streams hide why a write failed, and a full disk must be an
// error that says so. The working name is one of a few that belong to the target, locked as long as
// its process lives: what a killed process left is found, and used or removed, by the next that
// writes there.
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

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

/// So many processes may write one target at once before their leftovers are no longer found.
constexpr int kWorkingNames = 8;

std::string working_name(const std::string& target, int number) {
  constexpr std::size_t kLongestName = 200;  // of the 255 that a file system takes
  const std::size_t name = target.rfind('/') + 1;
  return target.substr(0, name) + target.substr(name, kLongestName) + ".ooc-paleo-tmp" +
         (number == 0 ? "" : std::to_string(number + 1));
}

/// A file that only this process can be writing: its lock is ours, and nobody planted a link there. It may
/// have got its final name, or have been removed, while we waited for the lock.
bool is_ours(int descriptor, const std::string& name) {
  struct stat held {};
  struct stat named {};
  return fstat(descriptor, &held) == 0 && lstat(name.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino && S_ISREG(held.st_mode) &&
         held.st_nlink == 1 && held.st_uid == geteuid();
}

enum class Missing { kMake, kLeave };

/// The descriptor of a working file that nobody else is writing, or -1.
int take_working_file(const std::string& name, Missing missing) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int descriptor = -1;
  bool made = false;
  if (missing == Missing::kMake) descriptor = open(name.c_str(), kFlags | O_CREAT | O_EXCL, 0600);
  if (descriptor >= 0) {
    made = true;
  } else {
    descriptor = open(name.c_str(), kFlags);
  }
  if (descriptor < 0) return -1;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    if (is_ours(descriptor, name)) return descriptor;
  } else if (made && errno != EWOULDBLOCK) {
    unlink(name.c_str());  // a file system without locks
  }
  close(descriptor);
  return -1;
}

/// One of the names, whose leftovers are then gone, or any name where there are no locks.
int open_working_file(const std::string& target, std::string& name) {
  int descriptor = -1;
  for (int i = 0; i < kWorkingNames; ++i) {
    const std::string candidate = working_name(target, i);
    if (descriptor < 0) {
      descriptor = take_working_file(candidate, Missing::kMake);
      if (descriptor >= 0) name = candidate;
    } else if (const int leftover = take_working_file(candidate, Missing::kLeave); leftover >= 0) {
      unlink(candidate.c_str());
      close(leftover);
    }
  }
  if (descriptor >= 0) return descriptor;
  name = working_name(target, 0) + ".XXXXXX";
  return mkstemp(name.data());
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
  interrupt_slot_ = remove_on_interrupt({.path = temporary_, .descriptor = descriptor_});
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  if (ftruncate(descriptor_, 0) != 0 ||
      fchmod(descriptor_, replaces ? old.st_mode & 07777 : default_mode()) != 0) {
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
  // Network file systems say that a write failed when its file is closed; the lock stays with the
  // other descriptor until the file has its name.
  const int copy = dup(descriptor_);
  if (copy < 0 || (close(copy) != 0 && errno != EINTR)) {
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
  if (!temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(in_quotes(path_) + ": " + system_text(errno));
    }
    forget();
  }
  close(std::exchange(descriptor_, -1));
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
