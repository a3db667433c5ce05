// Options of all schedules, one field each with its default. Options of single schedules are in own_options.hpp, which
// few files include. Schedule::options lists the flags that a schedule reads; the schedule ignores all other fields.
//
// option_table.cpp refuses invalid texts. Programs set fields directly, so make_plan checks them as well (lms.cpp,
// vdnnpp.cpp):
//       if (own.max_swaps < 0) bad_value("--max-swaps", std::to_string(*own.max_swaps), "an integer >= 0");
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "model/base/errors.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

/// Rule by which vdnn-dyn chooses among candidate plans that fit.
enum class Trials {
  kOrder,  ///< the first in the published order of preference
  kTime,   ///< the fastest when tried
};

/// Gradient accumulation: number or size of micro-batches (sub_batch.hpp). Every schedule can use it.
struct SubBatch {
  enum class Kind { kUsual, kOff, kAuto, kSize, kCount };
  Kind kind = Kind::kUsual;  ///< kUsual: as kAuto for schedules with Trait::kSubBatches, else kOff
  std::int64_t samples = 0;  ///< samples of a micro-batch, for kSize
  std::int64_t count = 0;    ///< number of equal micro-batches, for kCount
  friend bool operator==(const SubBatch&, const SubBatch&) = default;
};

/// Action of lms on a chosen tensor.
enum class LmsAction {
  kSwap,      ///< a copy out and a copy in
  kCompress,  ///< a float16 copy, half the bytes, stays near
  kBoth,      ///< the float16 copy is swapped
};

struct OwnOptions;  // own_options.hpp

/// Pointer to OwnOptions, so that few files include its fields. Copies share the value.
class OwnPart {
 public:
  OwnPart();  ///< shares the default options
  [[nodiscard]] const OwnOptions& operator*() const { return *options_; }
  [[nodiscard]] const OwnOptions* operator->() const { return options_.get(); }
  /// Replaces the value by a copy that no other OwnPart shares yet, and returns the copy to be changed at once.
  [[nodiscard]] OwnOptions& change();

 private:
  std::shared_ptr<const OwnOptions> options_;  ///< never null
};

struct ScheduleOptions {
  SubBatch sub_batch = {};                                 ///< --sub-batch: micro-batches
  AlgorithmChoice algorithms = AlgorithmChoice::kFitting;  ///< --algorithms: rule to choose them
  /// For kFitting: limit on a task's tensors and workspace together (footprint.hpp); unset: tasks' first algorithms.
  std::optional<Bytes> room = {};
  Trials trials = Trials::kOrder;  ///< --trials: rule of vdnn-dyn
  /// --far-compression: factor by which vdnn++ makes tensors smaller in host memory.
  Ratio far_compression = kOne;
  LmsAction lms_action = LmsAction::kSwap;  ///< --lms-action: what lms does with a chosen tensor
  /// True: only asked whether a plan exists, so searches stop at the first plan that fits.
  bool any_plan = false;
  OwnPart own = {};  ///< options of single schedules
};

}  // namespace ooc
