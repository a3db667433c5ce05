// Shape of one sample: channels first, without the batch ([3, 224, 224]).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ooc {

struct TensorShape {
  std::vector<std::int64_t> dims;

  friend bool operator==(const TensorShape&, const TensorShape&) = default;

  /// Product of the dimensions; unset if it exceeds 63 bits.
  [[nodiscard]] std::optional<std::int64_t> elements() const;
  /// Text such as "3x224x224"; "scalar" if there is no dimension.
  [[nodiscard]] std::string text() const;
};

}  // namespace ooc
