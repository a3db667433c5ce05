// Texts for model states in host memory, for flags and sweep axes: presets named after software,
// and lists of parts. As values of an axis they are integers; 0 is "none".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Returns the integer for "zero-infinity", "megatron-hybrid:0.5" or "none" (0). Throws SpecError at `place`, a flag.
[[nodiscard]] std::int64_t parse_state_preset(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_state_preset(std::int64_t value);
/// Sets `state` to the preset, and `precision` to the preset's if unset; then applies CaseOptions::state_changes again.
void apply_state_preset(std::int64_t value, CaseOptions& options);

/// Returns the integer for "optimizer:0.5,gradients" or "none" (0). A share of 0 omits the part. Throws SpecError.
[[nodiscard]] std::int64_t parse_offload(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_offload(std::int64_t value);
/// Returns the sharded states, such as "optimizer,gradients"; "none" for Shard::kNone.
[[nodiscard]] std::string_view shard_text(Shard shard);
[[nodiscard]] std::string offload_text(const StateOptions& state);
/// Sets which states are in host memory, then applies CaseOptions::state_changes again.
void apply_offload(std::int64_t value, CaseOptions& options);

/// Overwrites each field of `state` that `changes` sets. With Shard::kWeights an unset `prefetch` means the default.
void apply_state_changes(const StateChanges& changes, StateOptions& state);

}  // namespace ooc
