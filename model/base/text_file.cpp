// The size limit is checked before anything is read, and again while reading, since pipes and growing files have no size to
// ask for. Files are opened more than once (to find the place of an error, say), and a pipe can be read only once:
// its text is kept in memory that is a file to everybody else, and takes the pipe's place.
#include "model/base/text_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"

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

std::string read_text_file(const std::string& path, std::string_view place,
                           const ReadLimits& limits) {
  namespace fs = std::filesystem;
  const auto fail = [&](std::string found, std::string expected, std::string hint = {}) {
    throw SpecError(
        {path, std::string(place), std::move(found), std::move(expected), std::move(hint)});
  };
  const auto too_large = [&](std::string found) {
    fail(std::move(found), fmt::format("at most {}", exact_bytes(Bytes(limits.max_bytes))),
         "the limit on input files is set by --max-input");
  };
  const std::string file = readable_path(path, limits.max_bytes);
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) fail("no such file", "a readable file");
  if (status.type() == fs::file_type::directory) fail("a directory", "a file");
  if (status.type() == fs::file_type::regular) {
    const std::uintmax_t size = fs::file_size(file, error);
    const bool is_large = !error && size > static_cast<std::uintmax_t>(limits.max_bytes);
    if (is_large) too_large(fmt::format("a file of {} bytes", size));
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    fail(fmt::format("a file that cannot be opened: {}", std::strerror(errno)), "a readable file");
  }
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) ||
         stream.gcount() > 0) {
    text.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > static_cast<std::size_t>(limits.max_bytes)) {
      too_large(fmt::format("more than {} bytes", limits.max_bytes));
    }
  }
  if (stream.bad()) fail("a file that cannot be read to its end", "a readable file");
  return text;
}

std::string read_text_file(const std::string& path) { return read_text_file(path, "", {}); }

}  // namespace ooc
