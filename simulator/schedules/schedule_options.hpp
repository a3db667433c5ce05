// Options of all schedules, one field each with its default. Options of single schedules are in own_options.hpp, which
// few files include. Schedule::options lists the flags that a schedule reads; it ignores all other fields.
//
// option_table.cpp refuses invalid texts. Programs set fields directly, so make_plan checks them as well (lms.cpp,
// vdnnpp.cpp):
//  ``    if (own.max_swaps < 0) bad_value("--max-swaps", std::to_string(*own.max_swaps), "an integer >= 0");
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "model/base/errors.hpp"
#include "model/cost/cost_table.hpp"

namespace ooc {

/// Rule of choice among several candidate plans that fit.
enum class Trials {
  kOrder,  ///< the first in the published order of preference
  kTime,   ///< the fastest when tried
};

/// Gradient accumulation: number or size of micro-batches (sub_batch.hpp). Every schedule can use it.
struct SubBatch {
  enum class Kind { kUsual, kOff, kAuto, kSize, kCount };
  Kind kind = Kind::kUsual;  ///< kUsual: kAuto for schedules with Trait::kSubBatches, else kOff
  std::int64_t samples = 0;  ///< samples of a micro-batch, for kSize
  std::int64_t count = 0;    ///< number of equal micro-batches, for kCount
  friend bool operator==(const SubBatch&, const SubBatch&) = default;
};

/// Action of lms on a chosen tensor.
enum class LmsAction {
  kSwap,
  kCompress,  ///< a float16 copy, half the bytes, stays near
  kBoth,      ///< the float16 copy is swapped
};

struct OwnOptions;  // own_options.hpp

/// Pointer to OwnOptions, so that few files include its fields. Copies share the value.
class OwnPart {
 public:
  OwnPart();  ///< the default options, one object for all
  [[nodiscard]] const OwnOptions& operator*() const { return *options_; }
  [[nodiscard]] const OwnOptions* operator->() const { return options_.get(); }
  /// Returns an own copy for immediate changes; later copies share it.
  [[nodiscard]] OwnOptions& change();

 private:
  std::shared_ptr<const OwnOptions> options_;  ///< options; never null
};

struct ScheduleOptions {
  SubBatch sub_batch = {};                                 ///< --sub-batch
  AlgorithmChoice algorithms = AlgorithmChoice::kFitting;  ///< --algorithms
  /// kFitting: workspace limit in bytes (footprint.hpp, "room"); unset: first algorithms.
  std::optional<Bytes> room = {};
  Trials trials = Trials::kOrder;  ///< --trials
  /// --far-compression: factor by which tensors are smaller in host memory.
  Ratio far_compression = kOne;
  LmsAction lms_action = LmsAction::kSwap;  ///< --lms-action
  /// True: the caller only asks whether a plan exists, so searches stop at the first plan that fits.
  bool any_plan = false;
  OwnPart own = {};  ///< options of single schedules
};

}  // namespace ooc
