// Kinds of kernels bound by memory bandwidth. Software runs each kind at a share of the bandwidth of its own.
#pragma once

namespace ooc {

enum class StreamingKind { kElementwise, kNorm, kPool };

}  // namespace ooc
