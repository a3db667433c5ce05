// libFuzzer's door into a target; built by the `fuzz` preset only (clang).
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)ooc::fuzz::is_accepted({reinterpret_cast<const char*>(data), size});
  return 0;
}
