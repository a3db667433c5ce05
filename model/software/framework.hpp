// Framework: tensors that software saves, waits of its copies, costs of its host. The third input
// beside network and hardware (hwprofiles/software/*.json; docs/formats.md, 3.4).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/copy_rules.hpp"
#include "model/base/units.hpp"
#include "model/graph/keeping.hpp"
#include "model/graph/parameter_bytes.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {

enum class FrameworkAllocator { kIdeal, kCaching };

/// Lifetime of weight gradients, unless model states are in host memory.
enum class WeightGradients {
  kStatic,  ///< always allocated
  kFreed,   ///< allocated from the first write to the end of the iteration
};

/// How long network inputs stay in GPU memory.
enum class HeldInputs {
  kUntilRead,   ///< to their last reader, in forward or backward
  kThroughout,  ///< to the end of the iteration, since the program holds them
};

/// Defaults are `ideal`, a framework without overhead.
struct Framework {
  std::string name = "ideal";
  std::string meaning = "no overhead, exact memory";  ///< about five words; empty: not stated
  std::string description = {};
  Keeping keeping = {};
  CopyRules copies = {};
  FrameworkAllocator allocator = FrameworkAllocator::kIdeal;
  WeightGradients weight_gradients = WeightGradients::kStatic;
  HeldInputs inputs = HeldInputs::kUntilRead;
  GradientBuffers gradient_buffers = {};
  Sharding sharding = Sharding::kByUse;
  bool pageable_returns = false;        ///< StateOptions::pageable_returns
  std::int64_t reuse = 0;               ///< StateOptions::reuse (model/rewrite/state.hpp)
  std::optional<Bytes> context = {};    ///< GPU memory of the CUDA context; unset: the profile's
  double memory_share = 1;              ///< share of GPU memory beside the context for tensors
  std::optional<Bytes> workspace = {};  ///< limit for a convolution's algorithm; unset: none
  Software software = {};               ///< software of the kernels; its cudnn is ignored
  std::optional<std::pair<int, int>> cudnn = {};  ///< version; unset: the profile's
  std::vector<Provenance> provenance = {};
  std::vector<std::string> assumed = {};  ///< dotted paths, as HardwareProfile::assumed
};

}  // namespace ooc
