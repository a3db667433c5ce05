// Cost of `count` matrix products M x N x K. The output is cut into tiles, which run on the
// multiprocessors in waves. If tiles are few, libraries also cut K (split K) and sum the parts. The
// time is that of the fastest tile and split count. docs/model.md, 1.2.
//
//   blocks = ceil(M / tm) ceil(N / tn) count s;   waves = ceil(blocks / multiprocessors)
//   math   = 2 tm tn (ceil8(K / s) + extra depth) (waves + tail) / (rate / multiprocessors x e)
//   memory = (bytes + [s > 1] 8 s M N count) / near rate
//   time   = (math^q + memory^q)^(1/q), the least over tiles and s
//
// Where it is wrong: products with N <= 32 are up to 2.2 times too slow on V100; reuse in caches
// between tiles is not modelled.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "model/kernels/platform.hpp"

namespace ooc {

/// `count` matrix products M x N x K. Sizes are real: strided convolutions touch a fraction of K.
struct Product {
  double m = 1;
  double n = 1;
  double k = 1;
  double count = 1;
  std::int64_t row_start = 16;  ///< rows of all matrices start at multiples of so many bytes
  bool is_forward = false;      ///< true for a product of a layer's forward task
};

enum class TileClass : std::uint8_t { kWide, kSmall };

struct TileShape {
  double rows;
  double columns;
  TileClass size;  ///< index into ProductUnits::efficiency
};

/// Arithmetic units that multiply: SIMT units or tensor cores.
struct ProductUnits {
  std::span<const TileShape> tiles;
  std::array<double, 2> efficiency{};  ///< by TileClass: share of the rate that tiles reach
  /// Bytes/s of operands that can reach all tiles together; infinite: no limit.
  double operand_rate = std::numeric_limits<double>::infinity();
  double wave_tail = 0;    ///< as SimtParameters::wave_tail
  double extra_depth = 0;  ///< as SimtParameters::extra_depth
  double multiprocessors = 1;
  double roof_sharpness = 1;
};

[[nodiscard]] ProductUnits simt_units(const KernelPlatform& platform);
/// Precondition: the architecture has tensor cores.
[[nodiscard]] ProductUnits tensor_units(const KernelPlatform& platform);

/// Largest number of parts into which any product's K is cut.
inline constexpr int kLargestSplit = 64;

/// Rates and traffic of one product.
struct ProductRates {
  double flops_per_second = 0;  ///< rate of all multiprocessors together
  double bytes_per_second = 0;  ///< rate of GPU memory
  double bytes = 0;             ///< memory traffic, each operand counted once
  double element = 4;           ///< bytes of an element
  int largest_split = 1;        ///< most parts that K is cut into (1, 2, 4, ...); 1: K is not cut
};

/// Returns the seconds with the fastest tile and number of parts of K, without launch.
[[nodiscard]] double product_seconds(const Product& product, const ProductUnits& units,
                                     const ProductRates& rates);

/// Returns (math^q + memory^q)^(1/q), q being `sharpness`: the time of a kernel limited by both.
[[nodiscard]] double roofed(double math_seconds, double memory_seconds, double sharpness);

/// Returns the FLOP/s that large products of linear layers reach.
[[nodiscard]] double linear_rate(Dtype dtype, const KernelPlatform& platform);
/// Returns the seconds of a product of a linear, attention or recurrent layer, without launch.
[[nodiscard]] double linear_work_seconds(const Product& product, Dtype dtype,
                                         const KernelPlatform& platform);
/// Returns linear_work_seconds with launch.
[[nodiscard]] double linear_seconds(const Product& product, Dtype dtype,
                                    const KernelPlatform& platform);

/// Returns ceil(value - 1e-9), so that rounding errors do not reach the next integer.
[[nodiscard]] double whole(double value);

// Cost of a recurrent layer in one direction. Each step has the product with the hidden state and
// the gates. The product with the input covers all steps at once, as does the product for the
// weight gradients. docs/model.md, 1.2.
//
//   forward        T (P(G h, b, h) f + gates + step)     (+ P(G h, b T, x) for the input)
//   backward data  T (P(h, b, G h) g + 2 gates + step)   (+ P(x, b T, G h))
//   weights        P(G h, h, b T)                        (+ P(G h, x, b T))
//
// Fitted on single layers (DeepBench) without their input product. Unlike cuDNN's, layers do not
// overlap here.

enum class RecurrentCellKind { kVanilla, kLstm, kGru };

struct RecurrentKernel {
  RecurrentCellKind cell = RecurrentCellKind::kLstm;
  double hidden = 1;
  double batch = 1;
  double steps = 1;
  double features = 0;  ///< features of the input; 0: without the product with the input
  Dtype dtype = Dtype::kFloat32;
};

/// Seconds of all steps together, without launches.
struct RecurrentTimes {
  double forward = 0;
  double backward_data = 0;
  double backward_weights = 0;
};

[[nodiscard]] RecurrentTimes recurrent_times(const RecurrentKernel& kernel,
                                             const KernelPlatform& platform);

}  // namespace ooc
