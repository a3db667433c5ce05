// From the texts of the flags to values. Every bad value is a SpecError that names the flag, what
// was found and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/remarks.hpp"
#include "model/base/dtype.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"
#include "model/cost/compute_cost.hpp"
#include "model/cost/transfer_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "reports/writers/writer.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/plan/join_devices.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/schedules/schedule.hpp"

namespace ooc {

[[nodiscard]] CaseOptions case_options(const Arguments& arguments);

struct ResultOptions {
  const Writer* writer = nullptr;
  std::string output = "-";
  Look look = {};
  Remarks remarks = Remarks::kShown;
};

/// --max-input, else the usual limits. Throws SpecError for more than the machine's memory.
[[nodiscard]] ReadLimits read_limits(const Arguments& arguments);

[[nodiscard]] ResultOptions result_options(const Arguments& arguments);

/// "json" or "csv" where the end of an output's name says so, in any case, else "". Throws SpecError for
/// .sqlite, which a later version will write.
[[nodiscard]] std::string format_of_name(const std::string& path);

/// The only positional argument; SpecError when it is missing.
[[nodiscard]] std::string required_positional(const Arguments& arguments, std::string_view name,
                                              std::string_view expected);
[[nodiscard]] std::string required_value(const Arguments& arguments, const Flag& flag,
                                         std::string_view expected);

/// "N" of --batch: 1 ... 2^31.
[[nodiscard]] std::int64_t parse_batch(std::string_view text, std::string_view flag);
/// --dtype, or none.
[[nodiscard]] std::optional<Dtype> dtype_option(const Arguments& arguments);

[[nodiscard]] const Schedule& schedule_named(const std::string& name, std::string_view flag);
/// "all" or names between commas; SpecError for an unknown or repeated one.
[[nodiscard]] std::vector<const Schedule*> schedules_named(const std::string& list,
                                                           std::string_view flag);

/// Accountings without lifetimes give footprints, not schedules: everything that moves tensors
/// refuses them.
void check_accounting(const Schedule& schedule, Accounting accounting);

}  // namespace ooc
