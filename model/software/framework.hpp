// A framework: what the software around the kernels keeps, how its copies wait and what its host does. The third
// input beside network and hardware (hwprofiles/software/*.json; docs/formats.md, 3.4).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/units.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/parameter_bytes.hpp"
#include "model/hardware/provenance.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

enum class FrameworkAllocator { kIdeal, kCaching };

/// Of the weights, while nothing of the state moves.
enum class WeightGradients {
  kStatic,  ///< their memory is theirs throughout
  kFreed,   ///< from the first task that writes one to the end of the iteration
};

/// Of what a network reads.
enum class HeldInputs {
  kUntilRead,   ///< backward's reads included
  kThroughout,  ///< to the end of the iteration: the program around holds them
};

/// The defaults are `ideal`: software that costs nothing and keeps what backward needs.
struct Framework {
  std::string name = "ideal";
  std::string meaning = "no overhead, exact memory";  ///< in about five words; empty: not said
  std::string description = {};
  Keeping keeping = {};
  CopyRules copies = {};
  FrameworkAllocator allocator = FrameworkAllocator::kIdeal;
  WeightGradients weight_gradients = WeightGradients::kStatic;
  HeldInputs inputs = HeldInputs::kUntilRead;
  GradientBuffers gradient_buffers = {};
  std::optional<Bytes> context = {};    ///< of near memory; none: what the profile reserves
  double memory_share = 1;              ///< of the rest, what tensors may take
  std::optional<Bytes> workspace = {};  ///< most that an algorithm may take; none: any
  Software software = {};               ///< but for cudnn, which is
  std::optional<std::pair<int, int>> cudnn = {};  ///< none: the profile's
  std::vector<Provenance> provenance = {};
  std::vector<std::string> assumed = {};  ///< as HardwareProfile::assumed
};

}  // namespace ooc
