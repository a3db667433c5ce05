// The border between numbers that do and larger ones that do not, found by trying: a search that knows nothing of jobs.
// Where everything beyond a number that fails fails as well, its answer is the border. Elsewhere it is a number that
// does, with one above it that does not and the `also_beyond` next ones that do not either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace ooc {

struct BorderTrial {
  bool does = false;
  std::optional<std::int64_t> guess = {};  ///< a number that may be the border
};

struct BorderSearch {
  std::function<BorderTrial(std::int64_t number)> attempt;
  std::int64_t first = 1;  ///< nothing smaller is tried
  std::int64_t last = 1;   ///< nothing larger is tried
  std::int64_t start = 1;  ///< tried first
  std::int64_t step = 1;   ///< from there to the next; each later step is `growth` times as large
  std::int64_t growth = 2;
  std::int64_t also_beyond = 0;
};

struct Border {
  std::optional<std::int64_t> does = {};   ///< unset: not even the first
  std::optional<std::int64_t> fails = {};  ///< one more, tried; unset: the last one does
};

[[nodiscard]] Border find_border(const BorderSearch& search);

}  // namespace ooc
