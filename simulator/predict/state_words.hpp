// How flags and axes of sweeps say what of the state is far: presets, named after the software that does so, and lists of
// parts. A value is a whole number, as an axis has it: 0 is "none".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/predict/case.hpp"

namespace ooc {

/// All but "none".
[[nodiscard]] std::vector<std::string_view> state_presets();
/// "zero-infinity", "megatron-hybrid:0.5", "none". SpecError at `place`.
[[nodiscard]] std::int64_t parse_state_preset(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_state_preset(std::int64_t value);
/// In place of the options' state; of it only what CaseOptions::state_changes say stays.
void apply_state_preset(std::int64_t value, CaseOptions& options);

/// "optimizer:0.5,gradients", "none"; a share of 0 is none of that part. SpecError at `place`.
[[nodiscard]] std::int64_t parse_offload(std::string_view text, std::string_view place);
[[nodiscard]] std::string show_offload(std::int64_t value);
/// "optimizer:0.5,gradients"; "" where all stays near.
[[nodiscard]] std::string offload_text(const StateOptions& state);
/// What is far; how it moves stays.
void apply_offload(std::int64_t value, CaseOptions& options);

/// Likewise.
void apply_state_changes(const StateChanges& changes, StateOptions& state);

}  // namespace ooc
