// One write a line, so that lines of several processes do not mix.
#include "cli/remarks.hpp"

#include <cstdio>
#include <string>

namespace ooc {
#include "cli/pipeline.hpp"
#include "model/base/terminal_text.hpp"


void remark(Remarks remarks, std::string_view text) {
  if (remarks == Remarks::kQuiet) return;
  // What a measuring program says is not ours either. Nobody reads more than a screenful.
  constexpr std::size_t kLongest = 4000;
  const std::string_view shown = cut_text(text, kLongest);
  const std::string line =
      "ooc-paleo: " + printable(shown, "\n") + (shown.size() < text.size() ? "...\n" : "\n");
  std::fputs(line.c_str(), stderr);
}

std::string devices_remark(int devices) {
  return "/devices: " + std::to_string(devices) +
         " devices, of which one is simulated; --devices N splits the batch";
}

std::string norms_remark(std::int64_t sub_batch) {
  return "batch norms take their statistics over a round of " + std::to_string(sub_batch) +
         " samples, not over the batch";
}

void remark_on_devices(Remarks remarks, std::string_view profile, int devices) {
  if (devices <= 1) return;
  remark(remarks, "remark: " + std::string(profile) + ": " + devices_remark(devices));
}

}  // namespace ooc
