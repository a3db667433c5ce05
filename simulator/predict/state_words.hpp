// Texts for model states in host memory, for flags and sweep axes: presets named after software,
// and lists of parts. As values of an axis they are integers; 0 is "none".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/predict/case.hpp"

namespace ooc {

/// Parses "zero-infinity", "megatron-hybrid:0.5" or "none". Throws SpecError at `place`.
[[nodiscard]] std::int64_t parse_state_preset(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_state_preset(std::int64_t value);
/// Sets the preset's states, then applies the flags in CaseOptions::state_changes again.
void apply_state_preset(std::int64_t value, CaseOptions& options);

/// Parses "optimizer:0.5,gradients" or "none"; a share of 0 omits the part. Throws SpecError at `place`.
[[nodiscard]] std::int64_t parse_offload(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_offload(std::int64_t value);
/// Returns the sharded states, such as "optimizer,gradients".
[[nodiscard]] std::string_view shard_text(Shard shard);
[[nodiscard]] std::string offload_text(const StateOptions& state);
/// Sets which states are in host memory, not how they move.
void apply_offload(std::int64_t value, CaseOptions& options);

/// Sets how states move, not which are in host memory.
void apply_state_changes(const StateChanges& changes, StateOptions& state);

}  // namespace ooc
