#include "simulator/predict/compare_machines.hpp"

#include <utility>

#include "simulator/predict/rate_range.hpp"

namespace ooc {
namespace {

MachineRow row_on(const MachinesRequest& request, std::size_t machine,
                  const std::optional<BytesPerSecond>& link) {
  CaseOptions options = request.options;
  options.transfers.link = link;
  const HardwareProfile& profile = request.machines[machine].profile;
  const Case which = make_case(request.workload, request.machines[machine], options);
  Comparison compared = compare(
      {.which = which, .chosen = request.chosen[machine], .algorithms = request.algorithms});
  MachineRow row;
  for (const std::size_t i : best_first(compared.rows)) {
    row.results.push_back(std::move(compared.rows[i]));
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
      MachineRow row = row_on(request, machine, link);
      if (!request.prices.empty()) row.price = request.prices[report.rows.size()];
      report.rows.push_back(std::move(row));
    }
  }
  return report;
}

}  // namespace ooc
