// The words that buffers are filled with before a copy and compared with after it. Each depends on its
// position and a seed, so a word that is stale, misplaced or damaged is seen.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define OOC_HOST_DEVICE __host__ __device__
#else
#define OOC_HOST_DEVICE
#endif

namespace ooc::bench {

// Up to this size a buffer is checked as a whole, above it only the first and the last half of so much: on a
// device everything, on the fake one, where the tests' time is the host's, both ends.
#if defined(OOC_GPU_STUB)
inline constexpr std::size_t kWholeBytes = std::size_t{16} << 20;
#else
inline constexpr std::size_t kWholeBytes = std::size_t{1} << 62;
#endif

OOC_HOST_DEVICE inline std::uint64_t pattern_word(std::uint64_t position, std::uint64_t seed) {
  std::uint64_t x = (position + 1) * 0x9e3779b97f4a7c15ULL ^ (seed * 0xd1342543de82ef95ULL);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

}  // namespace ooc::bench
