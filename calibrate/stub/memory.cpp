// Allocations of the fake device: real memory, taken lazily from the operating system, with the device's
// size as the limit.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <map>

#include "calibrate/stub/device.hpp"

namespace ooc::bench::stub {
namespace {

struct Allocation {
  std::size_t bytes = 0;
  Kind kind = Kind::kUnknown;
  bool mapped_here = false;    // by us, not registered memory of the caller
  bool resident_near = false;  // managed memory
};

std::map<std::uintptr_t, Allocation>& allocations() {
  static std::map<std::uintptr_t, Allocation> all;
  return all;
}

Allocation* find(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto after = allocations().upper_bound(address);
  if (after == allocations().begin()) return nullptr;
  auto& [begin, allocation] = *--after;
  return address + bytes <= begin + allocation.bytes ? &allocation : nullptr;
}

double free_near() {
  double used = 0;
  for (const auto& [begin, allocation] : allocations()) {
    if (allocation.kind == Kind::kNear) used += static_cast<double>(allocation.bytes);
  }
  const double free = settings().free < 0 ? settings().memory : settings().free;
  return free - used;
}

cudaError_t allocate(void** pointer, std::size_t bytes, Kind kind) {
  device().spend_host_ns(settings().issue_ns);
  if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
  if (kind == Kind::kNear) {
    if (static_cast<double>(bytes) > free_near()) return cudaErrorMemoryAllocation;
    device().spend_host_ns(static_cast<double>(bytes) * 1e-4);  // 0.1 us a MB, as an invention
  } else {
    device().spend_host_ns(static_cast<double>(bytes) * 0.1);
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return cudaErrorMemoryAllocation;
  allocations()[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, kind, true, false};
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t release(void* pointer, bool ours) {
  device().spend_host_ns(settings().issue_ns);
  if (pointer == nullptr) return cudaSuccess;
  const auto found = allocations().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == allocations().end() || found->second.mapped_here != ours) {
    return cudaErrorInvalidValue;
  }
  // As the real one does: what still uses the memory ends first.
  if (!device().run_until_idle()) return cudaErrorLaunchTimeout;
  if (ours) munmap(pointer, found->second.bytes);
  allocations().erase(found);
  return cudaSuccess;
}

}  // namespace

Kind kind_of(const void* pointer, std::size_t bytes) {
  const Allocation* allocation = find(pointer, bytes);
  return allocation == nullptr ? Kind::kUnknown : allocation->kind;
}

bool resident_near(const void* pointer) {
  const Allocation* allocation = find(pointer, 1);
  return allocation != nullptr && allocation->resident_near;
}

void set_resident_near(const void* pointer, bool near) {
  if (Allocation* allocation = find(pointer, 1)) allocation->resident_near = near;
}

void copy_bytes(void* target, const void* source, std::size_t bytes, bool corrupt) {
  constexpr std::size_t kWhole = kWholeBytes;
  auto* to = static_cast<unsigned char*>(target);
  const auto* from = static_cast<const unsigned char*>(source);
  if (bytes <= kWhole) {
    if (to != from) std::memcpy(to, from, bytes);
    if (corrupt) to[bytes / 2] ^= 0x40U;
    return;
  }
  if (to != from) {
    std::memcpy(to, from, kWhole / 2);
    std::memcpy(to + bytes - kWhole / 2, from + bytes - kWhole / 2, kWhole / 2);
  }
  if (corrupt) to[kWhole / 4] ^= 0x40U;
}

}  // namespace ooc::bench::stub

using ooc::bench::stub::Kind;
namespace stub = ooc::bench::stub;

#define OOC_STUB_FAULT(name)                                     \
  if (const int code = stub::next_fault(name).code; code != 0) { \
    return static_cast<cudaError_t>(code);                       \
  }

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  OOC_STUB_FAULT("cudaMalloc")
  return stub::allocate(pointer, bytes, Kind::kNear);
}

cudaError_t cudaFree(void* pointer) {
  OOC_STUB_FAULT("cudaFree")
  return stub::release(pointer, true);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  OOC_STUB_FAULT("cudaHostAlloc")
  return stub::allocate(pointer, bytes, Kind::kPinned);
}

cudaError_t cudaFreeHost(void* pointer) {
  OOC_STUB_FAULT("cudaFreeHost")
  return stub::release(pointer, true);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  OOC_STUB_FAULT("cudaHostRegister")
  stub::device().spend_host_ns(stub::settings().issue_ns + static_cast<double>(bytes) * 0.05);
  if (stub::kind_of(pointer, bytes) != Kind::kUnknown) return cudaErrorInvalidValue;
  stub::allocations()[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, Kind::kPinned, false,
                                                                    false};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  OOC_STUB_FAULT("cudaHostUnregister")
  return stub::release(pointer, false);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  OOC_STUB_FAULT("cudaHostGetDevicePointer")
  if (stub::kind_of(host_pointer, 1) != Kind::kPinned) return cudaErrorInvalidValue;
  *device_pointer = host_pointer;
  return cudaSuccess;
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  OOC_STUB_FAULT("cudaMallocManaged")
  return stub::allocate(pointer, bytes, Kind::kManaged);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  OOC_STUB_FAULT("cudaMemGetInfo")
  const double free = stub::free_near();
  *free_bytes = free > 0 ? static_cast<std::size_t>(free) : 0;
  *total_bytes = static_cast<std::size_t>(stub::settings().memory);
  return cudaSuccess;
}
