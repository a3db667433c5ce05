// What the presets are taken from stands in docs/model.md, section 10.
#include "cli/state_flags.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

/// A share of 0 is none.
std::optional<Ratio> state_share(std::string_view text, std::string_view flag) {
  const Ratio share = ratio_of(text, flag, 0, 1);
  return share.count() == 0 ? std::nullopt : std::optional(share);
}

struct StatePreset {
  std::string_view name;
  bool takes_share;
  void (*set)(CaseOptions& options);
};

constexpr std::int64_t kWideGradient = 4;

constexpr StatePreset kStatePresets[] = {
    {"zero-offload", false,
     [](CaseOptions& to) {
       to.state = {.optimizer = kOne, .gradients = true, .gradient_bytes = kWideGradient};
     }},
    {"zero-offload-delayed", false,
     [](CaseOptions& to) {
       to.state = {
           .optimizer = kOne, .gradients = true, .delayed = true, .gradient_bytes = kWideGradient};
     }},
    {"zero-infinity", false,
     [](CaseOptions& to) { to.state = {.optimizer = kOne, .gradients = true, .weights = kOne}; }},
    {"fsdp-cpu", false,
     [](CaseOptions& to) {
       to.state = {.optimizer = kOne, .gradients = true, .weights = kOne};
       if (!to.precision) to.precision = Precision::kFsdpBf16;
     }},
    {"megatron-hybrid", true,
     [](CaseOptions& to) { to.state = {.optimizer = kOne, .pipelined = false}; }},
    {"megatron-hybrid-overlap", true, [](CaseOptions& to) { to.state = {.optimizer = kOne}; }},
    {"stream", false,
     [](CaseOptions& to) {
       to.state = {.optimizer = kOne, .gradients = true, .after = UpdateAfter::kEach};
     }},
    {"paged", false,
     [](CaseOptions& to) { to.state = {.optimizer = kOne, .update = UpdateAt::kNear}; }},
};

void read_preset(std::string_view text, std::string_view flag, CaseOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string> known;
  for (const StatePreset& preset : kStatePresets) {
    known.emplace_back(preset.name);
    if (preset.name != name) continue;
    preset.set(options);
    if (colon == std::string_view::npos) return;
    if (!preset.takes_share) {
      bad_value(flag, in_quotes(text), "no share, which megatron-hybrid and -overlap have");
    }
    options.state.optimizer = state_share(text.substr(colon + 1), flag);
    return;
  }
  unknown_word(flag, name, known);
}

void read_offload(const std::string& list, std::string_view flag, StateOptions& state) {
  state.optimizer.reset();
  state.weights.reset();
  state.gradients = false;
  for (const std::string& each : split_list(list, flag)) {
    const std::size_t colon = each.find(':');
    const std::string name = each.substr(0, colon);
    const bool shared = colon != std::string::npos;
    const auto share = [&] {
      return shared ? state_share(std::string_view(each).substr(colon + 1), flag)
                    : std::optional(kOne);
    };
    const bool again = (name == "optimizer" && state.optimizer) ||
                       (name == "weights" && state.weights) ||
                       (name == "gradients" && state.gradients);
    if (again) bad_value(flag, in_quotes(name) + " twice", "each part once");
    if (name == "optimizer") {
      state.optimizer = share();
    } else if (name == "weights") {
      state.weights = share();
    } else if (name == "gradients" && !shared) {
      state.gradients = true;
    } else if (name == "gradients") {
      bad_value(flag, in_quotes(each), "gradients without a share: they follow the optimizer's");
    } else {
      unknown_word(flag, name, {"optimizer", "gradients", "weights"});
    }
  }
}

/// The text of a flag that is one of two words: true for the second.
bool second_of(const Flag& flag, const std::string& text, std::string_view first,
               std::string_view second) {
  if (text == second) return true;
  if (text != first) unknown_word(flag.name, text, {std::string(first), std::string(second)});
  return false;
}

}  // namespace

void read_state_flags(const Arguments& arguments, CaseOptions& options) {
  StateOptions& state = options.state;
  if (const auto text = arguments.value(flags::kState)) {
    read_preset(*text, flags::kState.name, options);
  }
  if (const auto text = arguments.value(flags::kOffload)) {
    read_offload(*text, flags::kOffload.name, state);
  }
  for (const Flag& flag : flags::kStateFlags) {
    const bool names = flag.name == flags::kState.name || flag.name == flags::kOffload.name;
    const bool asked = arguments.has(flags::kState) || arguments.has(flags::kOffload);
    if (!names && !asked && arguments.has(FlagName::of(flag.name))) {
      bad_value(flag.name, "it where no state moves", "--offload or --state beside it");
    }
  }
  if (const auto text = arguments.value(flags::kUpdate)) {
    state.update =
        second_of(flags::kUpdate, *text, "near", "far") ? UpdateAt::kFar : UpdateAt::kNear;
  }
  if (const auto text = arguments.value(flags::kUpdateAfter)) {
    state.after = second_of(flags::kUpdateAfter, *text, "all", "each") ? UpdateAfter::kEach
                                                                       : UpdateAfter::kAll;
  }
  if (const auto text = arguments.value(flags::kUpdateDelay)) {
    state.delayed = second_of(flags::kUpdateDelay, *text, "0", "1");
  }
  if (const auto text = arguments.value(flags::kPrefetch)) {
    state.prefetch = static_cast<int>(whole_number_of(*text, flags::kPrefetch.name, 0, 1000));
  }
  if (const auto text = arguments.value(flags::kGradSlots)) {
    state.gradient_slots =
        static_cast<int>(whole_number_of(*text, flags::kGradSlots.name, 1, 1'000'000));
  }
  if (const auto text = arguments.value(flags::kGradTransfer)) {
    state.gradient_bytes = second_of(flags::kGradTransfer, *text, "16", "32") ? 4 : 2;
  }
  if (const auto text = arguments.value(flags::kUnit)) {
    state.units =
        second_of(flags::kUnit, *text, "layer", "block") ? StateUnits::kBlock : StateUnits::kLayer;
  }
  if (const auto text = arguments.value(flags::kFarCompute)) {
    options.far_compute = rate_of(*text, flags::kFarCompute.name);
  }
  check_state(state);
}

}  // namespace ooc
