// From the texts of the flags to values. Every bad value is a SpecError that names the flag, what
// was found and what was expected.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

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

namespace ooc {

/// What the flags of a job say, those in `but` left out: where they mean something else.
[[nodiscard]] CaseOptions case_options(const Arguments& arguments,
                                       std::initializer_list<FlagName> but = {});

/// What the flags say that are no axes of sweeps (simulator/predict/options.hpp).
[[nodiscard]] CaseOptions options_beside_axes(const Arguments& arguments,
                                              std::initializer_list<FlagName> but = {});

struct ResultOptions {
  const Writer* writer = nullptr;
  std::string output = "-";
  WriteOptions write = {};
  Remarks remarks = Remarks::kShown;
};

/// --max-input, else the usual limits. Throws SpecError for more than the machine's memory.
[[nodiscard]] ReadLimits read_limits(const Arguments& arguments);

[[nodiscard]] ResultOptions result_options(const Arguments& arguments);

/// What stands behind the last point of a file's name, in small letters: "json"; "" where there is none.
[[nodiscard]] std::string ending_of(const std::string& path);
/// "json" or "csv" where the end of an output's name says so, in any case, else "". Throws SpecError for
/// .sqlite, which only `sweep` writes: a table of text is not what that name promises.
[[nodiscard]] std::string format_of_name(const std::string& path);

/// The only positional argument; SpecError when it is missing.
[[nodiscard]] std::string required_positional(const Arguments& arguments, std::string_view name,
                                              std::string_view expected);
/// NETWORK and --hardware; SpecError when missing.
[[nodiscard]] std::string network_of(const Arguments& arguments);
[[nodiscard]] std::string hardware_of(const Arguments& arguments);

/// 1 ... 2^31: --batch and what counts batches.
[[nodiscard]] std::int64_t parse_batch(std::string_view text, std::string_view flag);

}  // namespace ooc
