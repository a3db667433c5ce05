// One write a line, so that lines of several processes do not mix.
#include "cli/remarks.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "model/base/option_text.hpp"
#include "model/base/terminal_text.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {

void remark(Remarks remarks, std::string_view text) {
  if (remarks == Remarks::kQuiet) return;
  // What a measuring program says is not ours either. Nobody reads more than a screenful.
  constexpr std::size_t kLongest = 4000;
  const std::string_view shown = cut_text(text, kLongest);
  const std::string line =
      "ooc-paleo: " + printable(shown, "\n") + (shown.size() < text.size() ? "...\n" : "\n");
  std::fputs(folded(line, width_of(STDERR_FILENO)).c_str(), stderr);
}

void remark_on(Remarks remarks, std::string_view file, std::string_view text) {
  if (!text.empty()) remark(remarks, "remark: " + std::string(file) + ": " + std::string(text));
}

void remark_on_machine(Remarks remarks, const Machine& machine, int devices) {
  for (const std::string& line : machine.profile.implausible) remark(remarks, "remark: " + line);
  if (devices == 1 && machine.profile.devices > 1) {
    remark(remarks, "remark: " + machine.path + ": " + devices_remark(machine.profile.devices));
  }
}

void remark_on_training(Remarks remarks, const Workload& workload, const CaseOptions& options,
                        std::string_view but) {
  remark_on(remarks, workload.network->name, workload.network->remark);
  for (const std::string& text :
       {training_remark(*workload.network, options, but),
        stated_weights_remark(*workload.network, options), search_remark(options.schedule)}) {
    remark_on(remarks, workload.network->name, text);
  }
}

void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options) {
  std::vector<std::string> said;
  for (const Workload& workload : workloads) {
    for (const Machine& machine : machines) {
      const std::string text = dtype_remark(*workload.network, &machine.profile, options);
      if (text.empty() || contains(said, text)) continue;
      said.push_back(text);
      remark(remarks, "remark: " + text);
    }
  }
}

// Files and pipes get the same bytes whatever window the program was started in.

namespace {

/// Narrower ones fold the rest themselves.
constexpr std::size_t kLeastWidth = 60;

std::size_t columns_wanted() {
  const char* columns = std::getenv("COLUMNS");
  const auto width = integer_in(columns == nullptr ? "" : columns);
  return static_cast<std::size_t>(std::max<std::int64_t>(0, width.value_or(0)));
}

}  // namespace

std::size_t width_of(int descriptor) {
  if (isatty(descriptor) == 0) return 0;
  std::size_t width = columns_wanted();
  struct winsize window {};
  if (width == 0 && ioctl(descriptor, TIOCGWINSZ, &window) == 0) width = window.ws_col;
  return width == 0 ? 0 : std::max(width, kLeastWidth);
}

std::size_t width_for(const std::string& output) {
  return output == "-" ? width_of(STDOUT_FILENO) : 0;
}

}  // namespace ooc
