// flock on a file that is removed at the end. Whoever opened it before it was removed and locked it
// afterwards holds a lock on nothing: it looks whether the name still means the same file.
#include "calibrate/session/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "model/base/errors.hpp"

namespace ooc {

LockFile::LockFile(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile::~LockFile() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());
  close(descriptor_);
}

std::optional<LockFile> LockFile::take(const std::string& path, const std::string& flag) {
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) {
      throw SpecError({.file = "",
                       .place = flag,
                       .found = path + ": " + std::generic_category().message(errno),
                       .expected = "a place that can be written",
                       .hint = {}});
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor);
      return std::nullopt;
    }
    struct stat locked {};
    struct stat named {};
    if (fstat(descriptor, &locked) == 0 && stat(path.c_str(), &named) == 0 &&
        locked.st_ino == named.st_ino && locked.st_dev == named.st_dev) {
      return LockFile(path, descriptor);
    }
    close(descriptor);
  }
}

}  // namespace ooc
