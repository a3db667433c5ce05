// Search by trials for the border between numbers that succeed and larger numbers that fail. If all
// numbers above a failing one fail, the border is exact. Otherwise the returned number succeeds,
// and the next number fails, as do all up to `also_beyond` above the returned one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace ooc {

struct BorderTrial {
  bool does = false;                       ///< true: the number succeeds
  std::optional<std::int64_t> guess = {};  ///< where the border is expected; unset: no guess
};

struct BorderSearch {
  std::function<BorderTrial(std::int64_t number)> attempt;
  std::int64_t first = 1;  ///< smallest number that may be tried
  std::int64_t last = 1;   ///< largest number that may be tried
  std::int64_t start = 1;  ///< number tried first
  std::int64_t step = 1;   ///< first distance from `start`; the next is `growth` times as large
  std::int64_t growth = 2;
  std::int64_t also_beyond = 0;  ///< how many numbers above the border must fail; 0 means 1
};

struct Border {
  std::optional<std::int64_t> does = {};   ///< largest that succeeds; unset: none, not even `first`
  std::optional<std::int64_t> fails = {};  ///< `does` + 1, or `first`; unset: no number tried fails
};

[[nodiscard]] Border find_border(const BorderSearch& search);

}  // namespace ooc
