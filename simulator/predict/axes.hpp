// The axes of sweeps: what can differ from one row to the next. A row of the table says all there is to know of
// one: its flag, how a value is read and shown, what it changes of a job, and how much of the job's making that
// leaves to be shared. Networks, machines, frameworks and schedules go by names; of these the values are places in
// lists. `predict` and its kin take the others as flags of one value each, from the same rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"

namespace ooc {

/// What another value makes anew, and with it all that stands behind it here.
enum class AxisLevel {
  kGraph,   ///< reading a network, building its graph
  kCosts,   ///< the costs of tasks and the sizes of tensors
  kPlan,    ///< the schedule's plan
  kPrices,  ///< the prices of copies, which most plans do not depend on
};

struct AxisKind {
  std::string_view flag;  ///< "--far-memory"; a study file has it as "far_memory"
  AxisLevel level = AxisLevel::kCosts;
  std::string_view column;  ///< of results that has it
  std::string_view help;    ///< of the flag as a list
  /// SpecError at `place` for a text that is no value. Null: named.
  std::int64_t (*parse)(std::string_view text, std::string_view place) = nullptr;
  /// The same of a range's step; null: as values are.
  std::int64_t (*parse_step)(std::string_view text, std::string_view place) = nullptr;
  std::string (*show)(std::int64_t value) = nullptr;
  void (*apply)(std::int64_t value, CaseOptions& options) = nullptr;
  bool more_is_harder =
      true;           ///< to count: a value at that end may be too large a job where others are not
  bool steps = true;  ///< ranges make sense; else its values are names of a table
  char separator = ',';       ///< of the values of a list
  std::string_view all = {};  ///< the list that "all" stands for; none: that is no list
};

/// "far memory"
[[nodiscard]] std::string axis_label(const AxisKind& kind);
/// "far_memory"
[[nodiscard]] std::string axis_key(const AxisKind& kind);

/// In the order in which rows count: the first changes slowest. Levels never fall.
[[nodiscard]] std::span<const AxisKind> axis_kinds();
/// Its place there, of a flag that stands there.
[[nodiscard]] std::size_t axis_place(std::string_view flag);

}  // namespace ooc
