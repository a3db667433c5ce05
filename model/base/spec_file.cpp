// Reading a file for the spec readers. The size limit is checked before anything is read, and again
// while reading, since pipes and growing files have no size to ask for.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/standard_input.hpp"

namespace ooc {
namespace {

[[noreturn]] void fail(const std::string& path, std::string found, std::string expected,
                       std::string hint = {}) {
  throw SpecError({path, "", std::move(found), std::move(expected), std::move(hint)});
}

[[noreturn]] void too_large(const std::string& path, const std::string& size,
                            const ReadLimits& limits) {
  fail(path, size, fmt::format("at most {}", exact_bytes(Bytes(limits.max_bytes))),
       "the limit on input files is set by --max-input");
}

}  // namespace

SpecDocument read_spec_file(const std::string& path, const ReadLimits& limits) {
  namespace fs = std::filesystem;
  const std::string place = readable_path(path, limits.max_bytes);
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) fail(path, "no such file", "a readable file");
  if (status.type() == fs::file_type::directory) fail(path, "a directory", "a file");
  if (status.type() == fs::file_type::regular) {
    const std::uintmax_t size = fs::file_size(place, error);
    if (!error && size > static_cast<std::uintmax_t>(limits.max_bytes)) {
      too_large(path, fmt::format("a file of {} bytes", size), limits);
    }
  }
  errno = 0;
  std::ifstream stream(place, std::ios::binary);
  if (!stream) {
    fail(path, fmt::format("a file that cannot be opened: {}", std::strerror(errno)),
         "a readable file");
  }
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) ||
         stream.gcount() > 0) {
    text.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > static_cast<std::size_t>(limits.max_bytes)) {
      too_large(path, fmt::format("more than {} bytes", limits.max_bytes), limits);
    }
  }
  if (stream.bad()) fail(path, "a file that cannot be read to its end", "a readable file");
  return read_spec_text(text, path, limits);
}

}  // namespace ooc
