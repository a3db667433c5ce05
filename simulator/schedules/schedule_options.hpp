// What a user may ask of schedules: every option of every schedule, one named field each, with its
// default. A schedule says in Schedule::options which flags it reads, and checks their ranges in
// make_plan (option_error); fields of other schedules are none of its business.
//
// To add an option: a field here, a row in option_table.cpp, and its name in the `options` of the schedules
// that read it.
#pragma once

#include <cstdint>
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
  enum class Kind { kUsual, kOff, kAuto, kSize };
  Kind kind = Kind::kUsual;  ///< kUsual: what Trait::kSubBatches says
  std::int64_t samples = 0;  ///< kSize
  friend bool operator==(const SubBatch&, const SubBatch&) = default;
};

/// How often what was dropped is computed again.
enum class Recomputation {
  kCost,   ///< once per segment where that needs no more memory than the largest task, else per use
  kSpeed,  ///< once per segment, and kept
  kMemory,  ///< from the checkpoint for every use
};

/// What lms does with a tensor that it chooses.
enum class LmsAction {
  kSwap,
  kCompress,  ///< the half of its bytes that float16 takes stays near
  kBoth,      ///< that half is swapped
};

struct ScheduleOptions {
  SubBatch sub_batch = {};                                ///< --sub-batch
  AlgorithmChoice algorithms = AlgorithmChoice::kMemory;  ///< --algorithms
  Trials trials = Trials::kOrder;                         ///< --trials
  /// --far-compression: tensors take so many times less in far memory.
  Ratio far_compression = kOne;
  /// A copy out may begin before it was decided on; --no-backdating: it may not.
  bool backdating = true;
  std::optional<Bytes> keep_bytes = {};                ///< --keep-bytes; none: as many as fit
  std::int64_t slack_min = 0;                          ///< --slack-min, in tasks
  Bytes bytes_min = {};                                ///< --bytes-min
  std::optional<std::int64_t> max_swaps = {};          ///< --max-swaps; none: the fewest that fit
  Recomputation recomputation = Recomputation::kCost;  ///< --recompute
  LmsAction lms_action = LmsAction::kSwap;             ///< --lms-action
};

/// A value that a schedule cannot work with: SpecError at the flag.
[[noreturn]] void option_error(std::string_view flag, std::string found, std::string expected,
                               std::string hint = {});

}  // namespace ooc
