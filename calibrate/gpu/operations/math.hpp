// The arithmetic of single elements, which the kernels of compute=real and their stand-ins on the stub device
// share, so that it is tested without a GPU. For nvcc these are device functions, for others ordinary ones.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define OOC_KERNEL_CODE __device__
#else
#define OOC_KERNEL_CODE
#endif

namespace ooc::gpu {

// Division by a number that is known before: two instructions instead of about twenty, which memory-bound
// kernels would notice. Exact for dividends below 2^31 (Granlund & Montgomery, PLDI 1994, theorem 4.2).
struct Divider {
  unsigned divisor = 1;
  unsigned shift = 31;
  std::uint64_t factor = std::uint64_t{1} << 31;

  Divider() = default;
  explicit Divider(unsigned by) : divisor(by) {
    while ((std::uint64_t{1} << (shift - 31)) < by) ++shift;
    factor = ((std::uint64_t{1} << shift) + by - 1) / by;
  }
  OOC_KERNEL_CODE unsigned quotient(unsigned x) const {
    return static_cast<unsigned>((x * factor) >> shift);
  }
  OOC_KERNEL_CODE unsigned remainder(unsigned x) const { return x - quotient(x) * divisor; }
};

enum class Activation { kRelu, kSigmoid, kTanh, kGelu, kSilu };

OOC_KERNEL_CODE inline float sigmoid_of(float x) { return 1.0F / (1.0F + expf(-x)); }

OOC_KERNEL_CODE inline float activate(Activation kind, float x) {
  switch (kind) {
    case Activation::kRelu:
      return x > 0.0F ? x : 0.0F;
    case Activation::kSigmoid:
      return sigmoid_of(x);
    case Activation::kTanh:
      return tanhf(x);
    case Activation::kGelu:
      return 0.5F * x * (1.0F + erff(x * 0.70710678F));
    case Activation::kSilu:
      return x * sigmoid_of(x);
  }
  return x;
}

// The derivative, from what the activation saves: its output (relu, sigmoid, tanh) or its input (gelu, silu).
OOC_KERNEL_CODE inline float activation_slope(Activation kind, float saved) {
  switch (kind) {
    case Activation::kRelu:
      return saved > 0.0F ? 1.0F : 0.0F;
    case Activation::kSigmoid:
      return saved * (1.0F - saved);
    case Activation::kTanh:
      return 1.0F - saved * saved;
    case Activation::kGelu: {
      const float density = 0.39894228F * expf(-0.5F * saved * saved);
      return 0.5F * (1.0F + erff(saved * 0.70710678F)) + saved * density;
    }
    case Activation::kSilu: {
      const float s = sigmoid_of(saved);
      return s * (1.0F + saved * (1.0F - s));
    }
  }
  return 1.0F;
}

// Well-mixed bits of a counter (the finaliser of MurmurHash3, public domain): the same in every iteration, so
// that a repeated forward task draws the same mask.
OOC_KERNEL_CODE inline std::uint32_t random_bits(std::uint32_t counter, std::uint32_t seed) {
  std::uint32_t x = counter ^ (seed * 0x9e3779b9U);
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

// In [-1, 1).
OOC_KERNEL_CODE inline float random_number(std::uint32_t counter, std::uint32_t seed) {
  return static_cast<float>(random_bits(counter, seed) >> 8) * (2.0F / 16777216.0F) - 1.0F;
}

// A sliding window in one dimension.
struct WindowDim {
  int size = 1;  // of the input
  int out = 1;
  int kernel = 1;
  int stride = 1;
  int pad = 0;
};

struct Range {
  int begin;
  int end;
};

// The pixels of the input under position `o`.
OOC_KERNEL_CODE inline Range pixels_under(const WindowDim& dim, int o) {
  const int begin = o * dim.stride - dim.pad;
  const int end = begin + dim.kernel;
  return {begin < 0 ? 0 : begin, end > dim.size ? dim.size : end};
}

// The positions whose windows cover pixel `i`: o · stride - pad <= i < o · stride - pad + kernel.
OOC_KERNEL_CODE inline Range positions_over(const WindowDim& dim, int i) {
  const int first = i + dim.pad - dim.kernel + 1;
  const int begin = first <= 0 ? 0 : (first + dim.stride - 1) / dim.stride;
  const int end = (i + dim.pad) / dim.stride + 1;
  return {begin, end > dim.out ? dim.out : end};
}

// The same for a window that is adapted to the sizes: floor(o · size / out) to ceil((o + 1) · size / out).
OOC_KERNEL_CODE inline Range adaptive_pixels_under(const WindowDim& dim, int o) {
  return {o * dim.size / dim.out, ((o + 1) * dim.size + dim.out - 1) / dim.out};
}

OOC_KERNEL_CODE inline Range adaptive_positions_over(const WindowDim& dim, int i) {
  // o · size / out < i + 1 and (o + 1) · size / out > i
  return {i * dim.out / dim.size, ((i + 1) * dim.out + dim.size - 1) / dim.size};
}

// Where position `o` of an image that is `scale` times as large lies between pixels (corners not aligned): `first`
// with share 1 - share, the next one with `share`.
struct Between {
  int first;
  int second;
  float share;
};

OOC_KERNEL_CODE inline Between between(int o, int scale, int size) {
  const float at = (static_cast<float>(o) + 0.5F) / static_cast<float>(scale) - 0.5F;
  const float inside = at < 0.0F ? 0.0F : at;
  const int first = static_cast<int>(inside);
  return {first, first + 1 < size ? first + 1 : size - 1, inside - static_cast<float>(first)};
}

// How much of position `o` is pixel `i`.
OOC_KERNEL_CODE inline float share_of(int o, int i, int scale, int size) {
  const Between at = between(o, scale, size);
  return (at.first == i ? 1.0F - at.share : 0.0F) + (at.second == i ? at.share : 0.0F);
}

}  // namespace ooc::gpu
