// stdio, because it says why a read failed. Reading stops one byte behind the limit, so that an
// endless pipe is an error and not a full memory.
#include "cli/text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/standard_input.hpp"

namespace ooc {
namespace {

struct Close {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

[[noreturn]] void fail(const std::string& path, std::string_view place, std::string found,
                       std::string expected, std::string hint = {}) {
  throw SpecError(
      {path, std::string(place), std::move(found), std::move(expected), std::move(hint)});
}

}  // namespace

std::string read_text_file(const std::string& path, std::string_view place,
                           const ReadLimits& limits) {
  const std::string readable_at = readable_path(path, limits.max_bytes);
  const std::unique_ptr<std::FILE, Close> file(std::fopen(readable_at.c_str(), "rb"));
  const auto readable = [&](bool is) {
    if (is) return;
    if (errno == EISDIR) {
      fail("", place, in_quotes(path) + ", which is a directory", "a readable file");
    }
    fail(path, place, std::generic_category().message(errno), "a readable file");
  };
  readable(file != nullptr);
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get());
    text.append(buffer.data(), count);
    if (static_cast<std::int64_t>(text.size()) > limits.max_bytes) {
      fail(path, place, "more than " + exact_bytes(Bytes(limits.max_bytes)), "a smaller file",
           "raise the limit with --max-input");
    }
    if (count < buffer.size()) break;
  }
  readable(std::ferror(file.get()) == 0);
  return text;
}

}  // namespace ooc
