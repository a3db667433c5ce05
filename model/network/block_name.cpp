// What "repeat" made has slashes, and the number is a part of its own; in names written by hand a part may be "layer1",
// and a number behind it says which one of it: "layer1_0".
#include "model/network/block_name.hpp"

#include <algorithm>

namespace ooc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string_view block_name(std::string_view layer) {
  const bool repeated = layer.find('/') != std::string_view::npos;
  const std::string_view separators = repeated ? "/" : "_.";
  std::size_t counted = 0;  // the end of what counts
  for (std::size_t begin = 0;;) {
    const std::size_t end = layer.find_first_of(separators, begin);
    if (end == std::string_view::npos) return layer.substr(0, counted);
    const std::string_view part = layer.substr(begin, end - begin);
    const bool number = !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
    const bool counts = !repeated && std::any_of(part.begin(), part.end(), is_digit);
    if (counted > 0 && !number) return layer.substr(0, counted);
    if (number || counts) counted = end;
    if (number) return layer.substr(0, counted);
    begin = end + 1;
  }
}

}  // namespace ooc
