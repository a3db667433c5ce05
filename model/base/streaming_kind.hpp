// Kinds of kernels that go through memory once, as far as software differs in how fast they are.
#pragma once

namespace ooc {

enum class StreamingKind { kElementwise, kNorm, kPool };

}  // namespace ooc
