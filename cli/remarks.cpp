// One write a line, so that lines of several processes do not mix.
#include "cli/remarks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/terminal.hpp"
#include "model/base/terminal_text.hpp"
#include "reports/writers/folded.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/remarks.hpp"

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
  const auto text = training_remark(*workload.network, options, but);
  remark_on(remarks, workload.network->name, text.value_or(""));
}

void remark_on_dtypes(Remarks remarks, std::span<const Workload> workloads,
                      std::span<const Machine> machines, const CaseOptions& options) {
  std::vector<std::string> said;
  for (const Workload& workload : workloads) {
    for (const Machine& machine : machines) {
      const auto text = dtype_remark(*workload.network, &machine.profile, options);
      if (!text || std::find(said.begin(), said.end(), *text) != said.end()) continue;
      said.push_back(*text);
      remark(remarks, "remark: " + *text);
    }
  }
}

}  // namespace ooc
