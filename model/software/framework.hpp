// Framework: what the software around the kernels saves, allocates and costs. Third input beside
// network and hardware (hwprofiles/software/*.json; docs/formats.md, 3.4).
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

/// Allocator of GPU memory. kIdeal: exact sizes; kCaching: PyTorch's, with segments partly empty.
enum class FrameworkAllocator { kIdeal, kCaching };

/// Lifetime of weight gradients, unless model states are in host memory.
enum class WeightGradients {
  kStatic,  ///< allocated throughout, as part of the static bytes
  kFreed,   ///< allocated from their first write to the end of the iteration
};

/// How long network inputs stay in GPU memory.
enum class HeldInputs {
  kUntilRead,   ///< until their last reader, in forward or backward, has ended
  kThroughout,  ///< to the end of the iteration, since the training program refers to them
};

/// Time at which devices that each hold all model states sum their gradients.
enum class Exchange {
  kEnd,      ///< after the backward pass
  kOverlap,  ///< bucket by bucket, as backward completes them
};

/// Framework; the defaults are those of `ideal`, which has no overhead.
struct Framework {
  std::string name = "ideal";
  std::string meaning = "no overhead, exact memory";  ///< five words or so; empty: not stated
  std::string description = {};
  Keeping keeping = {};
  CopyRules copies = {};
  FrameworkAllocator allocator = FrameworkAllocator::kIdeal;
  WeightGradients weight_gradients = WeightGradients::kStatic;
  HeldInputs inputs = HeldInputs::kUntilRead;
  GradientBuffers gradient_buffers = {};
  Exchange exchange = Exchange::kEnd;
  Sharding sharding = Sharding::kByUse;
  bool pageable_returns = false;    ///< StateOptions::pageable_returns
  bool pageable_gradients = false;  ///< StateOptions::pageable_gradients
  bool checks_far = false;          ///< true: the host looks for overflow in far float16 gradients
  std::int64_t reuse = 0;           ///< StateOptions::reuse (model/rewrite/state.hpp)
  std::int64_t live = 0;            ///< StateOptions::live
  std::optional<Bytes> context = {};  ///< GPU memory of the CUDA context; unset: the profile's
  double memory_share = 1;  ///< plans may use this share of what the context leaves of GPU memory
  std::optional<Bytes> workspace = {};  ///< limit for a convolution's algorithm; unset: no limit
  Software software = {};               ///< kernels and their issue; software.cudnn is unused
  std::optional<std::pair<int, int>> cudnn = {};  ///< (major, minor); unset: the profile's
  std::vector<Provenance> provenance = {};
  std::vector<std::string> assumed = {};  ///< paths, as HardwareProfile::assumed
};

}  // namespace ooc
