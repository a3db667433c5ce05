// The request lines that have a program run on a device (docs/gpu-protocol.md, Replay).
#pragma once

#include <cstdint>
#include <string>

#include "simulator/replay/replay_program.hpp"

namespace ooc {

enum class ReplayMode { kSpin, kReal };

/// The version of the plans' lines: 1, but this one where blocks have pages.
inline constexpr int kPagedPlanVersion = 2;

struct ReplayRun {
  std::int64_t id = 1;
  ReplayMode mode = ReplayMode::kSpin;  ///< kSpin leaves the operations out
  std::int64_t iterations = 20;
  std::int64_t warmup = 2;
  bool verify = true;
  std::int64_t max_ms = 30'000;
};

/// All lines, from `plan` to `run`, each ended by '\n'. None is longer than the protocol's 4096 bytes
/// (names are cut; throws SpecError for a step that does not fit all the same).
[[nodiscard]] std::string write_replay_requests(const ReplayProgram& program, const ReplayRun& run);

}  // namespace ooc
