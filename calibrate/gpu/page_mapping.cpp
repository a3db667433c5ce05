// Pages one by one: a mapping begins at the begin of a handle's memory, so a handle is a page. See page_mapping.hpp.
#include "calibrate/gpu/page_mapping.hpp"

namespace ooc::gpu {

Pages::Pages(int device, std::size_t count, std::size_t bytes) : device_(device), bytes_(bytes) {
  handles_.reserve(count);
  try {
    while (handles_.size() < count) handles_.push_back(create_page(device, bytes));
  } catch (...) {
    release();
    throw;
  }
}

Pages::~Pages() { release(); }

void Pages::release() noexcept {
  for (const PageHandle page : handles_) release_page(page);
}

MappedRange::MappedRange(const Pages& pages, const std::vector<PageRun>& runs) {
  for (const PageRun& run : runs) bytes_ += run.count * pages.page_bytes();
  begin_ = static_cast<char*>(reserve_addresses(bytes_));
  try {
    map(pages, runs);
  } catch (...) {
    give_back();
    throw;
  }
}

MappedRange::~MappedRange() { give_back(); }

void MappedRange::map(const Pages& pages, const std::vector<PageRun>& runs) {
  for (const PageRun& run : runs) {
    for (std::size_t i = 0; i < run.count; ++i) {
      map_page(begin_ + mapped_, pages.at(run.first + i), pages.page_bytes());
      mapped_ += pages.page_bytes();
    }
  }
  allow_access(pages.device(), begin_, bytes_);
}

void MappedRange::give_back() noexcept {
  if (mapped_ > 0) unmap_pages(begin_, mapped_);
  free_addresses(begin_, bytes_);
}

}  // namespace ooc::gpu
