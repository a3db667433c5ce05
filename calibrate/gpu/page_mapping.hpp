// Owners of pages and of the addresses that they are mapped to. What was made is given back in the destructor, and by
// a constructor that fails half-way.
#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/gpu/page_calls.hpp"

namespace ooc::gpu {

// Pages first, first + 1, ... of a pool.
struct PageRun {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Pages {
 public:
  Pages(int device, std::size_t count, std::size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  int device() const { return device_; }
  std::size_t count() const { return handles_.size(); }
  std::size_t page_bytes() const { return bytes_; }
  PageHandle at(std::size_t number) const { return handles_.at(number); }

 private:
  void release() noexcept;
  int device_;
  std::size_t bytes_;
  std::vector<PageHandle> handles_;
};

// A range of addresses of its own, behind which lie these pages in this order. Goes before the pages.
class MappedRange {
 public:
  MappedRange(const Pages& pages, const std::vector<PageRun>& runs);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;
  char* get() const { return begin_; }

 private:
  void map(const Pages& pages, const std::vector<PageRun>& runs);
  void give_back() noexcept;
  std::size_t bytes_ = 0;
  std::size_t mapped_ = 0;  // bytes of it
  char* begin_ = nullptr;
};

}  // namespace ooc::gpu
