// Algorithms of a task, named as in results and the calibration program: cuDNN's names in
// lower case. Backward algorithms have numbers. algo_0 multiplies matrices without forming them and
// sums with atomic operations. algo_1 sums in a fixed order; algo_3 is algo_0 with precomputed
// indices.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ooc {

enum class Algorithm : std::uint8_t {
  kDefault,  ///< only algorithm of a task, or a measurement without a name
  kImplicitGemm,
  kImplicitPrecompGemm,
  kGemm,
  kDirect,
  kFft,
  kFftTiling,
  kWinograd,
  kWinogradNonfused,
  kAlgo0,
  kAlgo1,
  kAlgo3,
};

inline constexpr std::array<std::string_view, 12> kAlgorithmNames{
    "default",    "implicit_gemm", "implicit_precomp_gemm", "gemm",   "direct", "fft",
    "fft_tiling", "winograd",      "winograd_nonfused",     "algo_0", "algo_1", "algo_3"};

[[nodiscard]] constexpr std::string_view algorithm_name(Algorithm algorithm) {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

}  // namespace ooc
