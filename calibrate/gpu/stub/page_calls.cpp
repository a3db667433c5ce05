// Pages of the fake device: pieces of one file in memory, mapped wherever they are wanted, so that a page at
// two addresses is really the same memory. See calibrate/gpu/page_calls.hpp.
#include "calibrate/gpu/page_calls.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/stub/device.hpp"
#include "calibrate/gpu/stub/memory.hpp"

namespace ooc::gpu {
namespace {

// Where each page lies in the file. Its handle is its number, never used again.
struct PageFile {
  int descriptor = -1;
  std::map<PageHandle, off_t> offsets;
  std::map<PageHandle, std::size_t> sizes;
  PageHandle made = 0;
  off_t end = 0;
};

PageFile& page_file() {
  static PageFile file;
  if (file.descriptor < 0) file.descriptor = memfd_create("ooc-paleo-gpu-stub", MFD_CLOEXEC);
  return file;
}

cudaError_t begin_call(const char* name) {
  stub::device().spend_host_ns(stub::settings().issue_ns);
  return static_cast<cudaError_t>(stub::next_fault(name).code);
}

void require(bool condition, const char* call, cudaError_t otherwise) {
  if (!condition) check(otherwise, call, __FILE__, __LINE__);
}

#define OOC_BEGIN_CALL(name) check(begin_call(name), name, __FILE__, __LINE__)
#define OOC_BEGIN_GIVING_BACK(name) report(begin_call(name), name, __FILE__, __LINE__)

// What still uses the memory ends first, as on the real one.
void become_idle() noexcept { static_cast<void>(stub::device().run_until_idle()); }

}  // namespace

std::size_t page_granularity(int) noexcept {
  return static_cast<std::size_t>(stub::settings().page_bytes);
}

PageHandle create_page(int, std::size_t bytes) {
  OOC_BEGIN_CALL("cuMemCreate");
  require(bytes > 0 && bytes % page_granularity(0) == 0, "cuMemCreate", cudaErrorInvalidValue);
  require(stub::use_near(static_cast<double>(bytes)), "cuMemCreate", cudaErrorMemoryAllocation);
  PageFile& file = page_file();
  const off_t size = static_cast<off_t>(bytes);
  if (ftruncate(file.descriptor, file.end + size) != 0) {
    stub::give_back_near(static_cast<double>(bytes));
    require(false, "cuMemCreate", cudaErrorMemoryAllocation);
  }
  const PageHandle handle = ++file.made;
  file.offsets[handle] = file.end;
  file.sizes[handle] = bytes;
  file.end += size;
  return handle;
}

void release_page(PageHandle page) noexcept {
  OOC_BEGIN_GIVING_BACK("cuMemRelease");
  PageFile& file = page_file();
  if (file.offsets.count(page) == 0) {
    return report(cudaErrorInvalidValue, "cuMemRelease", __FILE__, __LINE__);
  }
  const std::size_t bytes = file.sizes[page];
  static_cast<void>(fallocate(file.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              file.offsets[page], static_cast<off_t>(bytes)));
  stub::give_back_near(static_cast<double>(bytes));
  file.offsets.erase(page);
  file.sizes.erase(page);
}

void* reserve_addresses(std::size_t bytes) {
  OOC_BEGIN_CALL("cuMemAddressReserve");
  void* begin = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(begin != MAP_FAILED, "cuMemAddressReserve", cudaErrorMemoryAllocation);
  return begin;
}

void free_addresses(void* begin, std::size_t bytes) noexcept {
  OOC_BEGIN_GIVING_BACK("cuMemAddressFree");
  munmap(begin, bytes);
}

void map_page(void* at, PageHandle page, std::size_t bytes) {
  OOC_BEGIN_CALL("cuMemMap");
  PageFile& file = page_file();
  const auto found = file.sizes.find(page);
  require(found != file.sizes.end() && found->second == bytes, "cuMemMap", cudaErrorInvalidValue);
  void* mapped = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.descriptor,
                      file.offsets[page]);
  require(mapped != MAP_FAILED, "cuMemMap", cudaErrorMemoryAllocation);
}

// Only now does the device know this memory.
void allow_access(int, void* begin, std::size_t bytes) {
  OOC_BEGIN_CALL("cuMemSetAccess");
  stub::note_near(begin, bytes);
}

void unmap_pages(void* begin, std::size_t bytes) noexcept {
  OOC_BEGIN_GIVING_BACK("cuMemUnmap");
  become_idle();
  stub::forget_near(begin);
  static_cast<void>(mmap(begin, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
}

}  // namespace ooc::gpu
