// The shape of one sample: channels first, batch left out ([3, 224, 224]).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ooc {

struct TensorShape {
  std::vector<std::int64_t> dims;

  friend bool operator==(const TensorShape&, const TensorShape&) = default;

  /// Product of the dimensions; none when it leaves 63 bits.
  [[nodiscard]] std::optional<std::int64_t> elements() const;
  /// "3x224x224"; "scalar" without dimensions.
  [[nodiscard]] std::string text() const;
};

}  // namespace ooc
