// What memory holds, by purpose. Every byte of a peak has exactly one category (docs/formats.md, 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/base/units.hpp"

namespace ooc {

enum class MemoryCategory : std::uint8_t {
  kWeights,
  kWeightCopies,  ///< in the type that products multiply in; only where a precision is set
  kGradients,     ///< of the weights; in far memory the parts of them that devices exchange
  kOptimizer,
  kInputs,               ///< of the network
  kSaved,                ///< what the forward pass wrote and the backward pass will still read
  kActivations,          ///< what else the forward pass wrote
  kActivationGradients,  ///< what the backward pass hands on
  kWorkspace,
  kInFlight,  ///< whatever it is: a copy to here has not ended
  kUnused,    ///< held by an allocator beyond what lives
};
inline constexpr std::size_t kMemoryCategories = 11;

/// "activation_gradients": the names of the result format.
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
