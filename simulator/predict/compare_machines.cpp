#include "simulator/predict/compare_machines.hpp"

#include <algorithm>
#include <utility>

#include "model/base/json_writer.hpp"
#include "simulator/predict/rate_range.hpp"
#include "simulator/predict/state_words.hpp"
#include "simulator/summary/summarize.hpp"

namespace ooc {
namespace {

MachineRow row_on(const MachinesRequest& request, std::size_t machine,
                  const std::optional<BytesPerSecond>& link, std::optional<std::int64_t> state) {
  CaseOptions options = request.options;
  options.transfers.link = link;
  if (state) {
    apply_state_preset(*state, options);
    ask(options.asked, "state", json_string(show_state_preset(*state)));
  }
  const HardwareProfile& profile = request.machines[machine].profile;
  // A preset may bring a precision.
  std::optional<Workload> own;
  if (options.precision != request.options.precision) {
    own = read_workload(request.workload.path, options);
  }
  const Case which = make_case(own ? *own : request.workload, request.machines[machine], options);
  Comparison compared = compare({.which = which, .chosen = request.chosen[machine]});
  MachineRow row;
  if (state) row.state = show_state_preset(*state);
  for (const std::size_t i : best_first(compared.rows)) {
    row.results.push_back(std::move(compared.rows[i]));
  }
  if (state) {
    // More near memory, for which one that lacks it asks, is no answer while far memory lacks.
    std::stable_partition(row.results.begin(), row.results.end(), [](const RunReport& each) {
      return each.feasible || each.out_of_memory->tier == OutOfMemory::Tier::kFar;
    });
  }
  for (std::string& text : compared.left_out) row.remarks.push_back("without " + std::move(text));
  const std::string ranges = ranges_remark(profile, row.results);
  if (!ranges.empty()) row.remarks.push_back(ranges);
  return row;
}

}  // namespace

MachinesReport compare_machines(const MachinesRequest& request) {
  MachinesReport report;
  for (std::size_t machine = 0; machine < request.machines.size(); ++machine) {
    for (const std::optional<BytesPerSecond>& link : request.links) {
      const std::size_t states = std::max<std::size_t>(1, request.states.size());
      for (std::size_t i = 0; i < states; ++i) {
        MachineRow row =
            row_on(request, machine, link,
                   request.states.empty() ? std::nullopt : std::optional(request.states[i]));
        if (!request.prices.empty()) row.price = request.prices[report.rows.size() / states];
        report.rows.push_back(std::move(row));
      }
    }
  }
  return report;
}

}  // namespace ooc
