// What the presets are taken from stands in docs/model.md, section 10. A preset is its place in the table from 1 on beside
// its share; a list is the two shares beside a bit for gradients. A share is at most a billion billionths: 30 bits.
#include "simulator/predict/state_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

constexpr int kShareBits = 30;
constexpr std::int64_t kShareMask = (std::int64_t{1} << kShareBits) - 1;
static_assert(kOne.count() <= kShareMask);
constexpr std::string_view kNothing = "none";

struct StatePreset {
  std::string_view name;
  StateOptions state;
  bool takes_share = false;
  std::optional<Precision> precision = {};  ///< if the job says none
};

constexpr std::int64_t kWideGradient = 4;
/// DeepSpeed's step on the CPUs of a server: 1.2 G parameters/s of all ranks, 44 bytes each. Fitted to ZeRO-Offload on two
/// A100, its ranks not bound to cores, as is usual (validation/ooc-cpu-adam.json; bound: 1.4 G). Wrong where the cause,
/// which is unknown, is not there: CPUs with one socket.
constexpr BytesPerSecond kDeepSpeedStep(54'000'000'000);
/// Beside Adam the step scales float32 gradients and casts float32 weights (stage_1_and_2.py, stage3.py: step).
constexpr std::int64_t kDeepSpeedPasses = 2 * 4 + 4 + 2;

/// With the optimiser far, which DeepSpeed updates on the host.
constexpr StateOptions in_deepspeed(StateOptions state) {
  state.optimizer = kOne;
  state.gradients = true;
  state.far_gradients = FarGradients::kAllocated;
  state.update_passes = kDeepSpeedPasses;
  state.update_limit = kDeepSpeedStep;
  return state;
}

constexpr StatePreset kStatePresets[] = {
    {"zero-offload", in_deepspeed({.gradient_bytes = kWideGradient})},
    {"zero-offload-delayed", in_deepspeed({.delayed = true, .gradient_bytes = kWideGradient})},
    {"zero-infinity", in_deepspeed({.weights = kOne})},
    {.name = "fsdp-cpu",
     .state = {.optimizer = kOne,
               .gradients = true,
               .weights = kOne,
               .prefetch = 0,  // a device alone gathers nothing: it copies where it computes
               .far_gradients = FarGradients::kHeld},
     .precision = Precision::kFsdpBf16},
    {"megatron-hybrid",
     {.optimizer = kOne, .pipelined = false, .far_gradients = FarGradients::kAllocated},
     true},
    {"megatron-hybrid-overlap",
     {.optimizer = kOne, .far_gradients = FarGradients::kAllocated},
     true},
    {"stream",
     {.optimizer = kOne,
      .gradients = true,
      .after = UpdateAfter::kEach,
      .far_gradients = FarGradients::kAllocated}},
    {"paged", {.optimizer = kOne, .update = UpdateAt::kNear}},
};

const StatePreset& preset_of(std::int64_t value) {
  return kStatePresets[(value >> kShareBits) - 1];
}

std::optional<Ratio> share_in(std::int64_t bits) {
  const std::int64_t share = bits & kShareMask;
  return share == 0 ? std::nullopt : std::optional(Ratio(share));
}
std::int64_t bits_of(const std::optional<Ratio>& share) { return share ? share->count() : 0; }

std::string with_share(std::string_view name, Ratio share) {
  if (share == kOne) return std::string(name);
  return fmt::format("{}:{}", name, share / kOne);
}

/// "optimizer:0.5", and its share; all of it where none is said.
struct SharedWord {
  std::string name;
  std::optional<Ratio> share = {};
};
SharedWord shared_word(std::string_view text, std::string_view place) {
  const std::size_t colon = text.find(':');
  SharedWord word{.name = std::string(text.substr(0, colon))};
  if (colon != std::string_view::npos) word.share = ratio_of(text.substr(colon + 1), place, 0, 1);
  return word;
}

}  // namespace

std::int64_t parse_state_preset(std::string_view given, std::string_view place) {
  const std::string_view text = trimmed(given);
  if (text == kNothing) return 0;
  const SharedWord word = shared_word(text, place);
  std::vector<std::string> known = names_of(kStatePresets);
  const auto found = std::ranges::find(known, word.name);
  if (found == known.end()) {
    known.emplace_back(kNothing);
    unknown_word(place, word.name, known);
  }
  const auto index = found - known.begin();
  if (word.share && !kStatePresets[index].takes_share) {
    bad_value(place, in_quotes(text), "no share, which megatron-hybrid and -overlap have");
  }
  const std::int64_t share = word.share.value_or(kOne).count();
  return share == 0 ? 0 : ((index + 1) << kShareBits) + share;
}

std::string show_state_preset(std::int64_t value) {
  return value == 0 ? std::string(kNothing)
                    : with_share(preset_of(value).name, Ratio(value & kShareMask));
}

void apply_state_preset(std::int64_t value, CaseOptions& options) {
  options.state = {};
  if (value != 0) {
    const StatePreset& preset = preset_of(value);
    options.state = preset.state;
    if (!options.precision) options.precision = preset.precision;
    if (preset.takes_share) options.state.optimizer = share_in(value);
  }
  apply_state_changes(options.state_changes, options.state);
}

std::int64_t parse_offload(std::string_view text, std::string_view place) {
  if (trimmed(text) == kNothing) return 0;
  std::optional<Ratio> optimizer;
  std::optional<Ratio> weights;
  bool gradients = false;
  for (const std::string& each : split_list(std::string(text), place)) {
    const auto [name, share] = shared_word(each, place);
    const bool again = name == "optimizer" ? optimizer.has_value()
                       : name == "weights" ? weights.has_value()
                                           : name == "gradients" && gradients;
    if (again) bad_value(place, in_quotes(name) + " twice", "each part once");
    if (name == "optimizer") {
      optimizer = share.value_or(kOne);
    } else if (name == "weights") {
      weights = share.value_or(kOne);
    } else if (name != "gradients") {
      unknown_word(place, name, {"optimizer", "gradients", "weights", std::string(kNothing)});
    } else if (share) {
      bad_value(place, in_quotes(each), "gradients without a share: they follow the optimizer's");
    } else {
      gradients = true;
    }
  }
  return (((bits_of(optimizer) << kShareBits) + bits_of(weights)) << 1) + (gradients ? 1 : 0);
}

std::string show_offload(std::int64_t value) {
  CaseOptions options;
  apply_offload(value, options);
  return value == 0 ? std::string(kNothing) : offload_text(options.state);
}

std::string_view shard_text(Shard shard) {
  return text_at(shard,
                 {"none", "optimizer", "optimizer,gradients", "optimizer,gradients,weights"});
}

std::string offload_text(const StateOptions& state) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  if (state.optimizer) add(with_share("optimizer", *state.optimizer));
  if (state.gradients) add("gradients");
  if (state.weights) add(with_share("weights", *state.weights));
  return text;
}

void apply_offload(std::int64_t value, CaseOptions& options) {
  options.state.optimizer = share_in((value >> 1) >> kShareBits);
  options.state.gradients = (value & 1) != 0;
  options.state.weights = share_in(value >> 1);
  apply_state_changes(options.state_changes, options.state);
}

void apply_state_changes(const StateChanges& changes, StateOptions& state) {
  const auto change = [](auto& of, const auto& to) {
    if (to) of = *to;
  };
  change(state.update, changes.update);
  change(state.after, changes.after);
  change(state.delayed, changes.delayed);
  if (changes.shard == Shard::kWeights) state.prefetch = StateOptions().prefetch;
  change(state.prefetch, changes.prefetch);
  change(state.gradient_slots, changes.gradient_slots);
  change(state.gradient_bytes, changes.gradient_bytes);
  change(state.units, changes.units);
  change(state.in_backward, changes.in_backward);
  change(state.accumulate, changes.accumulate);
  change(state.shard, changes.shard);
  change(state.threads, changes.threads);
}

}  // namespace ooc
