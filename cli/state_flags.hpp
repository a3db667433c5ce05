// The flags of weights, gradients and optimiser state that move: presets, and what changes them.
#pragma once

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {
namespace flags {

inline constexpr Flag kState{
    .name = "--state",
    .value = "PRESET",
    .help =
        "weights, gradients and optimiser state as known software moves them: zero-offload, "
        "zero-offload-delayed, zero-infinity, fsdp-cpu, megatron-hybrid[:F], "
        "megatron-hybrid-overlap[:F], stream, paged"};
inline constexpr Flag kOffload{
    .name = "--offload",
    .value = "LIST",
    .help = "what of the state is in far memory: optimizer[:SHARE], gradients, weights[:SHARE]"};
inline constexpr Flag kUpdate{.name = "--update",
                              .value = "WHERE",
                              .help = "who runs the updates of what is far; default far",
                              .completes = Completes::kChoices,
                              .choices = "near|far"};
inline constexpr Flag kUpdateAfter{
    .name = "--update-after",
    .value = "WHAT",
    .help = "far updates wait for all gradients (default), or each for its own",
    .completes = Completes::kChoices,
    .choices = "all|each"};
inline constexpr Flag kUpdateDelay{
    .name = "--update-delay",
    .value = "N",
    .help = "1: far updates are those of the iteration before, beside this one; default 0",
    .completes = Completes::kChoices,
    .choices = "0|1"};
inline constexpr Flag kUpdateInBackward{
    .name = "--update-in-backward",
    .value = {},
    .help = "updates run as soon as their gradients are complete, which then need no memory"};
inline constexpr Flag kPrefetch{
    .name = "--prefetch",
    .value = "N",
    .help = "units of far weights that come while another is in use; default 1"};
inline constexpr Flag kGradSlots{
    .name = "--grad-slots",
    .value = "N",
    .help = "units of gradients that are near at once where gradients leave; default 2"};
inline constexpr Flag kGradTransfer{.name = "--grad-transfer",
                                    .value = "BITS",
                                    .help = "of a gradient on the link; default: as near",
                                    .completes = Completes::kChoices,
                                    .choices = "16|32"};
inline constexpr Flag kUnit{
    .name = "--unit",
    .value = "UNIT",
    .help = "what of the state moves together; default: blocks where the network has them",
    .completes = Completes::kChoices,
    .choices = "layer|block"};
inline constexpr Flag kFarCompute{
    .name = "--far-compute",
    .value = "RATE",
    .help =
        "what far updates read and write of far memory, 110GB/s, or 3.9Gparam/s of Adam; default: "
        "the profile's, else 45 % of its throughput"};

inline constexpr std::array kStateChangeFlags{kUpdate,    kUpdateAfter,  kUpdateDelay, kPrefetch,
                                              kGradSlots, kGradTransfer, kUnit};
inline constexpr auto kStateButPreset =
    joined(std::array{kOffload, kUpdateInBackward}, kStateChangeFlags, std::array{kFarCompute});
inline constexpr auto kStateFlags = joined(std::array{kState}, kStateButPreset);

}  // namespace flags

/// How state moves, before what of it does: axes say that. SpecError for one where none moves.
void read_state_changes(const Arguments& arguments, CaseOptions& options);

}  // namespace ooc
