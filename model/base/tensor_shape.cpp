#include "model/base/tensor_shape.hpp"

#include <limits>

#include "model/base/units.hpp"

namespace ooc {

std::optional<std::int64_t> TensorShape::elements() const {
  Int128 product = 1;
  for (const std::int64_t dim : dims) {
    product *= dim;
    if (product > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  }
  return static_cast<std::int64_t>(product);
}

std::string TensorShape::text() const {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const std::int64_t dim : dims) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim);
  }
  return text;
}

}  // namespace ooc
