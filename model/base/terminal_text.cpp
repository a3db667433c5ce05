// By the bytes of UTF-8: texts may hold anything, so nothing is decoded.
#include "model/base/terminal_text.hpp"

namespace ooc {

std::size_t control_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto within = [](unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && within(byte(1), 0x80, 0x9f)) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool in_20xx =
      byte(1) == 0x80 && (within(byte(2), 0x8e, 0x8f) || within(byte(2), 0xa8, 0xae));
  const bool in_206x = byte(1) == 0x81 && within(byte(2), 0xa6, 0xa9);
  return in_20xx || in_206x ? 3 : 0;
}

}  // namespace ooc
