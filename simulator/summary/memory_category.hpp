// Memory by purpose. Every byte of a peak has exactly one category (docs/formats.md, 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/units.hpp"

namespace ooc {

enum class MemoryCategory : std::uint8_t {
  kWeights,
  kWeightCopies,  ///< weights in the type of matrix products; only under a precision
  kGradients,     ///< weight gradients; in host memory: parts that devices exchange
  kOptimizer,
  kInputs,               ///< network inputs
  kSaved,                ///< written by forward, still to be read by backward
  kActivations,          ///< written by forward, not saved
  kActivationGradients,  ///< gradients within the backward pass
  kWorkspace,
  kInFlight,  ///< destination of an unfinished copy, whatever its contents
  kUnused,    ///< reserved by an allocator beyond live blocks
};
inline constexpr std::size_t kMemoryCategories = 11;

/// Name in the result format, such as "activation_gradients".
[[nodiscard]] std::string_view category_name(MemoryCategory category);

struct BytesByCategory {
  std::array<Bytes, kMemoryCategories> bytes{};

  [[nodiscard]] Bytes& operator[](MemoryCategory category) {
    return bytes[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] const Bytes& operator[](MemoryCategory category) const {
    return bytes[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] Bytes total() const {
    Bytes sum;
    for (const Bytes each : bytes) sum += each;
    return sum;
  }
  [[nodiscard]] bool operator==(const BytesByCategory&) const = default;
};

}  // namespace ooc
