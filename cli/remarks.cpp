// One write a line, so that lines of several processes do not mix.
#include "cli/remarks.hpp"

#include <cstdio>
#include <string>

namespace ooc {

void remark(Remarks remarks, std::string_view text) {
  if (remarks == Remarks::kQuiet) return;
  const std::string line = "ooc-paleo: " + std::string(text) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace ooc
