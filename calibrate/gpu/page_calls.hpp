// The driver's virtual memory management, as far as a plan's pool needs it: pages of device memory without
// an address, ranges of addresses without memory, and the mapping of one to the other. Behind an
// interface because it is the driver's, not the runtime's: page_calls.cpp asks the runtime for these
// calls, so that nothing is linked, and stub/page_calls.cpp stands in for them without a GPU.
//
// One page may be mapped at several addresses at once ("virtual aliasing"). The CUDA C++ programming guide
// (Virtual Memory Management, "Virtual Aliasing Support") promises this much: what is written by way of
// one address is seen by way of another once the operation that wrote (kernel, copy, memset) has
// completed, and by operations that begin after that. So blocks that follow each other in a page must
// be ordered by streams or events, which a plan's waits are for, and no kernel may use two addresses
// of the same bytes. Blocks that share a page at the same time have different bytes of it, at
// distances of 512 bytes: no cache line (128 bytes) is in two blocks.
#pragma once

#include <cstddef>

namespace ooc::gpu {

using PageHandle = unsigned long long;

// The smallest page that the device maps; 0: it maps none, or its driver has no such calls. Never throws.
std::size_t page_granularity(int device) noexcept;

// What follows throws CallFailure, but for what gives back: that reports to standard error. Sizes and addresses are
// multiples of the granularity.
PageHandle create_page(int device, std::size_t bytes);
void release_page(PageHandle page) noexcept;
void* reserve_addresses(std::size_t bytes);
void free_addresses(void* begin, std::size_t bytes) noexcept;
// The whole page.
void map_page(void* at, PageHandle page, std::size_t bytes);
// Kernels and copies of the device may read and write what is mapped there.
void allow_access(int device, void* begin, std::size_t bytes);
// All pages that are mapped there.
void unmap_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace ooc::gpu
