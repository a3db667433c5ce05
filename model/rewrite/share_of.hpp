// Parts of integers, rounded down. Private to this folder.
#pragma once

#include <cstdint>

#include "model/base/units.hpp"

namespace ooc {

/// Returns part / of of `whole`; 0 if `of` is 0.
[[nodiscard]] inline std::int64_t part_of(std::int64_t whole, std::int64_t part, std::int64_t of) {
  return of == 0 ? 0 : static_cast<std::int64_t>(Int128{whole} * part / of);
}
[[nodiscard]] inline std::int64_t share_of(std::int64_t whole, Ratio share) {
  return part_of(whole, share.count(), kOne.count());
}

}  // namespace ooc
