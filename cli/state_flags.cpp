// A flag that changes how state moves says so where none does: it would be lost.
#include "cli/state_flags.hpp"

#include <string>
#include <vector>

#include "model/base/option_text.hpp"
#include "simulator/predict/state_words.hpp"

namespace ooc {
namespace {

/// The text of a flag that is one of two words: true for the second.
bool second_of(const Flag& flag, const std::string& text, std::string_view first,
               std::string_view second) {
  if (text == second) return true;
  if (text != first) unknown_word(flag.name, text, {std::string(first), std::string(second)});
  return false;
}

}  // namespace

void read_state_changes(const Arguments& arguments, CaseOptions& options) {
  StateChanges& changes = options.state_changes;
  if (const auto text = arguments.value(flags::kUpdate)) {
    changes.update =
        second_of(flags::kUpdate, *text, "near", "far") ? UpdateAt::kFar : UpdateAt::kNear;
  }
  if (const auto text = arguments.value(flags::kUpdateAfter)) {
    changes.after = second_of(flags::kUpdateAfter, *text, "all", "each") ? UpdateAfter::kEach
                                                                         : UpdateAfter::kAll;
  }
  if (const auto text = arguments.value(flags::kUpdateDelay)) {
    changes.delayed = second_of(flags::kUpdateDelay, *text, "0", "1");
  }
  if (const auto text = arguments.value(flags::kPrefetch)) {
    changes.prefetch = static_cast<int>(whole_number_of(*text, flags::kPrefetch.name, 0, 1000));
  }
  if (const auto text = arguments.value(flags::kGradSlots)) {
    changes.gradient_slots =
        static_cast<int>(whole_number_of(*text, flags::kGradSlots.name, 1, 1'000'000));
  }
  if (const auto text = arguments.value(flags::kGradTransfer)) {
    changes.gradient_bytes = second_of(flags::kGradTransfer, *text, "16", "32") ? 4 : 2;
  }
  if (const auto text = arguments.value(flags::kUnit)) {
    changes.units =
        second_of(flags::kUnit, *text, "layer", "block") ? StateUnits::kBlock : StateUnits::kLayer;
  }
  const bool placed = arguments.has(flags::kState) || arguments.has(flags::kOffload);
  if (arguments.has(flags::kUpdateInBackward)) {
    changes.in_backward = true;
    if (!changes.after) changes.after = UpdateAfter::kEach;  // of far ones
    if (!placed) apply_state_changes(changes, options.state);
    return;
  }
  if (placed) return;
  for (const Flag& flag : flags::kStateChangeFlags) {
    if (!arguments.has(FlagName::of(flag.name))) continue;
    bad_value(flag.name, "it where no state moves", "--offload or --state beside it");
  }
  if (arguments.has(flags::kFarCompute)) {
    bad_value(flags::kFarCompute.name, "it where no state moves", "--offload or --state beside it");
  }
}

}  // namespace ooc
