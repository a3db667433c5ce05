// Files and pipes get the same bytes whatever window the program was started in.
#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ooc {
namespace {

/// Narrower ones fold the rest themselves.
constexpr std::size_t kLeastWidth = 60;

std::size_t columns_wanted() {
  const char* columns = std::getenv("COLUMNS");
  const std::string_view text = columns == nullptr ? "" : columns;
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  return error == std::errc() && end == text.data() + text.size() ? width : 0;
}

}  // namespace

std::size_t width_of(int descriptor) {
  if (isatty(descriptor) == 0) return 0;
  std::size_t width = columns_wanted();
  struct winsize window {};
  if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &window) == 0) width = window.ws_col;
  return width == 0 ? 0 : std::max(width, kLeastWidth);
}

std::size_t width_for(const std::string& output) {
  return output == "-" ? width_of(STDOUT_FILENO) : 0;
}

}  // namespace ooc
