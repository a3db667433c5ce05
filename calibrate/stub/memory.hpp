// Which memory the fake device knows, and copies within it. Near memory, pinned and managed memory are
// all ordinary memory of this process; what differs is what a copy to or from it costs and what is refused.
#pragma once

#include <cstddef>

namespace ooc::bench::stub {

enum class Kind { kUnknown, kNear, kPinned, kManaged };

// The kind of the allocation that holds all of [pointer, pointer + bytes).
Kind kind_of(const void* pointer, std::size_t bytes);

// Managed memory only: where its pages are.
bool resident_near(const void* pointer);
void set_resident_near(const void* pointer, bool near);

// Copies what the stub copies: what verification looks at (kWholeBytes in pattern.hpp), so that a test over sizes
// up to 1 GiB is quick. `corrupt`: the byte in the middle of what is copied arrives wrong.
void copy_bytes(void* target, const void* source, std::size_t bytes, bool corrupt);

}  // namespace ooc::bench::stub
