// Tiles are tried per cut of K: memory time depends on the cut alone, so that only the fastest tile of each meets it.
#include "model/kernels/product.hpp"

#include <algorithm>
#include <cmath>

namespace ooc {
namespace {

constexpr double kRoundingSlack = 1e-9;
constexpr double kDepthStep = 8;         // tiles advance along K in steps of 8
constexpr double kLeastSplitDepth = 64;  // no part of K is shorter
constexpr double kPartialBytes = 8;      // a partial sum is written and read in float32

constexpr std::pair<int, int> kRecentLibraries{8, 0};

constexpr std::array<TileShape, 9> kSimtTiles{{{128, 32, TileClass::kWide},
                                               {32, 128, TileClass::kWide},
                                               {64, 32, TileClass::kSmall},
                                               {32, 64, TileClass::kSmall},
                                               {32, 32, TileClass::kSmall},
                                               {16, 128, TileClass::kSmall},
                                               {128, 16, TileClass::kSmall},
                                               {8, 128, TileClass::kSmall},
                                               {128, 8, TileClass::kSmall}}};

constexpr std::array<TileShape, 13> kTensorTiles{{{256, 128, TileClass::kWide},
                                                  {128, 256, TileClass::kWide},
                                                  {128, 128, TileClass::kWide},
                                                  {256, 64, TileClass::kWide},
                                                  {64, 256, TileClass::kWide},
                                                  {128, 64, TileClass::kWide},
                                                  {64, 128, TileClass::kWide},
                                                  {64, 64, TileClass::kWide},
                                                  {128, 32, TileClass::kWide},
                                                  {32, 128, TileClass::kWide},
                                                  {64, 32, TileClass::kWide},
                                                  {32, 64, TileClass::kWide},
                                                  {32, 32, TileClass::kWide}}};

/// Multiplications an operand takes part in, of the largest tile: tm tn / (tm + tn).
constexpr double kLargestTile = 256.0 * 128 / (256 + 128);

/// Math time of the fastest tile for `splits` cuts of K: a step along K takes as long as its
/// multiplications or as its operands, tm + tn elements, need to arrive.
double math_seconds(const Product& product, const ProductUnits& units, const ProductRates& rates,
                    double splits) {
  const double depth = kDepthStep * whole(product.k / splits / kDepthStep) + units.extra_depth;
  // The largest tile is always fed: the sustained rate is that of a best product.
  const double fed = kLargestTile / units.efficiency[static_cast<std::size_t>(TileClass::kWide)];
  const double supply =
      std::min(rates.element * rates.flops_per_second / units.operand_rate / 2, fed);
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape& tile : units.tiles) {
    const double blocks =
        whole(product.m / tile.rows) * whole(product.n / tile.columns) * product.count * splits;
    const double waves = whole(blocks / units.multiprocessors) + units.wave_tail;
    const double step =
        std::max(tile.rows * tile.columns / units.efficiency[static_cast<std::size_t>(tile.size)],
                 (tile.rows + tile.columns) * supply);
    if (step * waves < least) least = step * waves;
  }
  return 2 * least * depth * units.multiprocessors / rates.flops_per_second;
}

}  // namespace

double whole(double value) { return std::ceil(value - kRoundingSlack); }

double roofed(double math_seconds, double memory_seconds, double sharpness) {
  const double powered = std::pow(math_seconds, sharpness) + std::pow(memory_seconds, sharpness);
  return std::pow(powered, 1 / sharpness);
}

ProductUnits simt_units(const KernelPlatform& platform) {
  const SimtParameters& simt = platform.architecture.simt;
  return {.tiles = kSimtTiles,
          .efficiency = {simt.wide_tiles, simt.small_tiles},
          .wave_tail = simt.wave_tail,
          .extra_depth = simt.extra_depth,
          .multiprocessors = static_cast<double>(platform.machine.multiprocessors),
          .roof_sharpness = platform.architecture.roof_sharpness};
}

ProductUnits tensor_units(const KernelPlatform& platform) {
  const TensorParameters& tensor = *platform.architecture.tensor;
  return {.tiles = kTensorTiles,
          .efficiency = {tensor.tiles, tensor.tiles},
          .operand_rate = tensor.operands * streaming_rate(platform),
          .multiprocessors = static_cast<double>(platform.machine.multiprocessors),
          .roof_sharpness = platform.architecture.roof_sharpness};
}

double product_seconds(const Product& product, const ProductUnits& units,
                       const ProductRates& rates) {
  const double sharpness = units.roof_sharpness;
  double least = std::numeric_limits<double>::infinity();
  for (int splits = 1; splits <= rates.largest_split; splits *= 2) {
    if (splits > 1 && product.k / splits < kLeastSplitDepth) break;
    const double parts =
        splits == 1 ? 0 : kPartialBytes * splits * product.m * product.n * product.count;
    const double memory = (rates.bytes + parts) / rates.bytes_per_second;
    const double math = math_seconds(product, units, rates, splits);
    const double powered = std::pow(math, sharpness) + std::pow(memory, sharpness);
    if (powered < least) least = powered;
  }
  return std::pow(least, 1 / sharpness);
}

double linear_rate(Dtype dtype, const KernelPlatform& platform) {
  if (on_tensor_cores(platform, dtype)) return sustained_rate(platform, dtype);
  const SimtParameters& simt = platform.architecture.simt;
  const bool recent = platform.software.cudnn >= kRecentLibraries;
  return sustained_rate(platform, simt_dtype(dtype)) * simt.linear_rate *
         (recent ? simt.linear_recent : 1);
}

/// Rows that do not begin at multiples of 16 bytes are for older generations' kernels, which load words of 4 bytes or, where rows
/// begin at odd 16-bit numbers, each number by itself. FLOP of a multiprocessor in a cycle, on any card: 207 to 275 TFLOP/s of an
/// H100 at 1.98 GHz in 16 bits, 115 to 135 in tf32; 87 to 101 forward and 125 to 154 in the other passes by single numbers
/// (products of 20 shapes, tests/data/measured/h100-sxm). Judged by jobs of GPT-2 and BERT; that other cards are alike is assumed.
constexpr double kByWords = 2000;  // divided by the bytes of a number
constexpr double kByNumbersForward = 371;
constexpr double kByNumbersBackward = 570;

double tensor_rate(const Product& product, Dtype dtype, const KernelPlatform& platform) {
  const double best = linear_rate(dtype, platform);
  const double cycles = cycles_per_second(platform.machine);
  if (product.row_start >= 16 || cycles == 0) return best;
  const auto element = static_cast<double>(dtype_info(dtype).bytes);
  return std::min(best, cycles * (product.row_start >= 4 ? kByWords / element
                                  : product.is_forward   ? kByNumbersForward
                                                         : kByNumbersBackward));
}

double linear_work_seconds(const Product& product, Dtype dtype, const KernelPlatform& platform) {
  const double elements =
      product.count * (product.m * product.n + product.n * product.k + product.m * product.k);
  const bool tensor = on_tensor_cores(platform, dtype);
  const double element = static_cast<double>(dtype_info(dtype).bytes);
  const double ordinary = dtype == Dtype::kTf32 && tensor
                              ? linear_work_seconds(product, Dtype::kFloat32, platform)
                              : std::numeric_limits<double>::infinity();
  const double share = tensor ? 1 : platform.architecture.simt.linear_memory;
  const double own =
      product_seconds(product, tensor ? tensor_units(platform) : simt_units(platform),
                      {.flops_per_second = tensor ? tensor_rate(product, dtype, platform)
                                                  : linear_rate(dtype, platform),
                       .bytes_per_second = streaming_rate(platform) * share,
                       .bytes = elements * element,
                       .element = element,
                       .largest_split = kLargestSplit});
  return std::min(own, ordinary);  // libraries take the faster one
}

double linear_seconds(const Product& product, Dtype dtype, const KernelPlatform& platform) {
  return linear_work_seconds(product, dtype, platform) + platform.architecture.kernel_seconds;
}

// A step is a small product; persistent kernels keep the weights on chip, which the factors below 1
// of newer architectures stand for.

namespace {

constexpr std::pair<int, int> kPersistent{7, 0};
constexpr std::pair<int, int> kSlowGru{6, 0};  // backward, in this version alone

double gates_of(RecurrentCellKind cell) {
  return cell == RecurrentCellKind::kLstm ? 4 : cell == RecurrentCellKind::kGru ? 3 : 1;
}

}  // namespace

RecurrentTimes recurrent_times(const RecurrentKernel& kernel, const KernelPlatform& platform) {
  const RecurrentParameters& numbers = platform.architecture.recurrent;
  const std::pair<int, int> cudnn = platform.software.cudnn;
  const double rows = gates_of(kernel.cell) * kernel.hidden;
  const double columns = kernel.batch * kernel.steps;
  const auto product = [&](double m, double n, double k) {
    return linear_work_seconds({m, n, k}, kernel.dtype, platform);
  };
  // Gates of a step are written and read, beside three states.
  const double gates = static_cast<double>(dtype_info(kernel.dtype).bytes) * kernel.hidden *
                       kernel.batch * (2 * gates_of(kernel.cell) + 3) / streaming_rate(platform);
  double forward = numbers.forward;
  double backward = numbers.backward;
  if (cudnn < kPersistent) {
    forward *= numbers.old_forward;
    backward *= numbers.old_backward;
    if (kernel.cell == RecurrentCellKind::kGru && cudnn >= kSlowGru) {
      backward *= numbers.old_gru_backward;
    }
  }
  RecurrentTimes times;
  times.forward = kernel.steps * (product(rows, kernel.batch, kernel.hidden) * forward + gates +
                                  numbers.step_seconds);
  times.backward_data = kernel.steps * (product(kernel.hidden, kernel.batch, rows) * backward +
                                        2 * gates + numbers.step_seconds);
  times.backward_weights = product(rows, kernel.hidden, columns);
  if (kernel.features > 0) {
    times.forward += product(rows, columns, kernel.features);
    times.backward_data += product(kernel.features, columns, rows);
    times.backward_weights += product(rows, kernel.features, columns);
  }
  return times;
}

}  // namespace ooc
