// What a user may ask of schedules: every option of every schedule, one named field each, with its
// default. Here stand those that several schedules share or that others than schedules ask for; what
// only its schedule reads stands in own_options.hpp, which few files include. A schedule says in
// Schedule::options which flags it reads; fields of other schedules are none of its business.
//
// The row in option_table.cpp refuses texts that are no value. Programs set fields without it, so make_plan
// refuses what it cannot work with, in these words (lms_choice.cpp, vdnnpp.cpp):
//     if (own.slack_min < 0) option_error("--slack-min", std::to_string(own.slack_min), "an integer >= 0");
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/cost/cost_table.hpp"

namespace ooc {

/// How a schedule with several candidates chooses among those that fit.
enum class Trials {
  kOrder,  ///< the first one in the published order of preference
  kTime,   ///< the one that takes least time when it is tried out
};

/// Whether the batch is run in rounds of fewer samples (sub_batch.hpp): every schedule can.
struct SubBatch {
  enum class Kind { kUsual, kOff, kAuto, kSize, kCount };
  Kind kind = Kind::kUsual;  ///< kUsual: what Trait::kSubBatches says
  std::int64_t samples = 0;  ///< kSize
  std::int64_t count = 0;    ///< kCount: of rounds, cut evenly
  friend bool operator==(const SubBatch&, const SubBatch&) = default;
};

/// What lms does with a tensor that it chooses.
enum class LmsAction {
  kSwap,
  kCompress,  ///< the half of its bytes that float16 takes stays near
  kBoth,      ///< that half is swapped
};

struct OwnOptions;  // own_options.hpp

/// A value of OwnOptions whose fields only those see who include own_options.hpp. Copies share it.
class OwnPart {
 public:
  OwnPart();  ///< the defaults, which all share
  [[nodiscard]] const OwnOptions& operator*() const { return *options_; }
  [[nodiscard]] const OwnOptions* operator->() const { return options_.get(); }
  /// This part's own copy, to set a field of at once: a copy of the part made later shares it.
  [[nodiscard]] OwnOptions& change();

 private:
  std::shared_ptr<const OwnOptions> options_;  ///< never null
};

struct ScheduleOptions {
  SubBatch sub_batch = {};                                ///< --sub-batch
  AlgorithmChoice algorithms = AlgorithmChoice::kFitting;  ///< --algorithms
  /// With kFitting: the room that algorithms are chosen in (fitting_algorithms.hpp); unset: the first of each task.
  std::optional<Bytes> room = {};
  Trials trials = Trials::kOrder;                         ///< --trials
  /// --far-compression: tensors take so many times less in far memory.
  Ratio far_compression = kOne;
  LmsAction lms_action = LmsAction::kSwap;  ///< --lms-action
  /// Whether there is a plan is all that is asked: who searches for the quickest takes the first that fits.
  bool any_plan = false;
  OwnPart own = {};                         ///< what single schedules read
};

/// A value that a schedule cannot work with: SpecError at the flag.
[[noreturn]] void option_error(std::string_view flag, std::string found, std::string expected,
                               std::string hint = {});

}  // namespace ooc
