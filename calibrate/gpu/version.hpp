// The program's version, by hand: it is built without CMake too. Changes with what it measures and how.
#pragma once

namespace ooc::gpu {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace ooc::gpu
