// The price of matrix products, M x N x K, `count` of them: the output is cut into tiles that are
// dealt over the multiprocessors in waves; with few tiles libraries cut K as well (split K) and add
// the parts up. The fastest tile and cut count. docs/model.md, 1.2.
//
//   blocks = ceil(M / tm) ceil(N / tn) count s;   waves = ceil(blocks / multiprocessors)
//   math   = 2 tm tn (ceil8(K / s) + extra depth) (waves + tail) / (rate / multiprocessors x e)
//   memory = (bytes + [s > 1] 8 s M N count) / near rate
//   time   = (math^q + memory^q)^(1/q), the least over tiles and s
//
// Where it is wrong: products with N <= 32 are up to 2.2 times too slow on V100; what the caches
// keep between tiles is not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "model/kernels/platform.hpp"

namespace ooc {

/// Sizes are real numbers: strided convolutions touch a part of K.
struct Product {
  double m = 1;
  double n = 1;
  double k = 1;
  double count = 1;
};

enum class TileClass : std::uint8_t { kWide, kSmall };

struct TileShape {
  double rows;
  double columns;
  TileClass size;
};

/// The units that multiply.
struct ProductUnits {
  std::span<const TileShape> tiles;
  std::array<double, 2> efficiency{};  ///< by TileClass
  /// Bytes/s at which operands reach the tiles, all multiprocessors together; infinite: never short.
  double operand_rate = std::numeric_limits<double>::infinity();
  double wave_tail = 0;
  double extra_depth = 0;
  double multiprocessors = 1;
  double roof_sharpness = 1;
};

[[nodiscard]] ProductUnits simt_units(const KernelPlatform& platform);
/// Precondition: the architecture has tensor cores.
[[nodiscard]] ProductUnits tensor_units(const KernelPlatform& platform);

/// Products are cut along K into at most this many parts.
inline constexpr int kLargestSplit = 64;

/// What one product runs against.
struct ProductRates {
  double flops_per_second = 0;  ///< of the whole device
  double bytes_per_second = 0;
  double bytes = 0;       ///< each operand once
  double element = 4;     ///< bytes of one
  int largest_split = 1;  ///< powers of two up to this
};

[[nodiscard]] double product_seconds(const Product& product, const ProductUnits& units,
                                     const ProductRates& rates);

/// (math^q + memory^q)^(1/q)
[[nodiscard]] double roofed(double math_seconds, double memory_seconds, double sharpness);

/// FLOP/s that large products of linear layers come to.
[[nodiscard]] double linear_rate(Dtype dtype, const KernelPlatform& platform);
/// A product of a linear layer, of attention or of a step of a recurrent one, without what the
/// kernel costs beside its work.
[[nodiscard]] double linear_work_seconds(const Product& product, Dtype dtype,
                                         const KernelPlatform& platform);
/// The same with it.
[[nodiscard]] double linear_seconds(const Product& product, Dtype dtype,
                                    const KernelPlatform& platform);

/// ceil() that forgives rounding.
[[nodiscard]] double whole(double value);

}  // namespace ooc
