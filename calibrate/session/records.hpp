// One record of ooc-paleo-gpu: an object of texts, numbers and lists of numbers on a line of its own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/session/key_values.hpp"

namespace ooc {

struct BenchRecord {
  std::string kind;     ///< "begin", "samples", "done", ...
  std::string request;  ///< as text; may be empty
  KeyValues values;     ///< the other texts and numbers
  std::map<std::string, std::vector<double>> lists;
  std::string place;  ///< "line 7", for messages
};

/// Calls `take` with each record of the text. Throws SpecError as read_samples does, also if the first record is no greeting of a
/// version that is known.
void read_records(std::string_view text, const std::string& file,
                  const std::function<void(const BenchRecord&)>& take);

}  // namespace ooc
