// Files are opened more than once (to find the place of an error, say), and a pipe can be read only once:
// its text is kept in memory that is a file to everybody else, and takes the pipe's place.
#include "model/base/standard_input.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

void check(bool done) {
  if (done) return;
  throw SpecError({std::string(kStandardInput), "", std::strerror(errno), "readable input"});
}

void keep_all(int kept, std::int64_t max_bytes) {
  std::array<char, 65536> buffer{};
  for (std::int64_t total = 0; total <= max_bytes;) {
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    check(count >= 0);
    if (count == 0) return;
    for (ssize_t begin = 0; begin < count;) {
      const ssize_t written =
          write(kept, buffer.data() + begin, static_cast<std::size_t>(count - begin));
      check(written > 0);
      begin += written;
    }
    total += count;
  }
}

}  // namespace

std::string readable_path(const std::string& path, std::int64_t max_bytes) {
  if (path != kStandardInput) return path;
  if (lseek(STDIN_FILENO, 0, SEEK_CUR) < 0 && errno == ESPIPE) {
    const int kept = memfd_create("standard input", MFD_CLOEXEC);
    check(kept >= 0);
    keep_all(kept, max_bytes);
    check(dup2(kept, STDIN_FILENO) >= 0);
    close(kept);
  }
  return "/dev/stdin";
}

}  // namespace ooc
