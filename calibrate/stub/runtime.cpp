// The fake runtime's memory (real, taken lazily from the operating system), properties, streams, events and copies. Names and meaning are CUDA's. Every call
// first asks whether the environment wants it to fail (device.hpp); an error code from 700 on stays, as
// it does in a real context.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

namespace stub = ooc::bench::stub;
using stub::Kind;
using stub::Operation;
using stub::Work;

namespace {

cudaError_t sticky_error = cudaSuccess;
cudaError_t last_error = cudaSuccess;

cudaError_t fail(cudaError_t error) {
  if (error == cudaSuccess) return error;
  last_error = error;
  if (error >= cudaErrorIllegalAddress && error < cudaErrorNotSupported) sticky_error = error;
  return error;
}

// What a call begins with: the fault meant for it, else the error that stays.
cudaError_t begin(const char* name, bool* corrupt = nullptr) {
  const stub::Fault fault = stub::next_fault(name);
  if (corrupt != nullptr) *corrupt = fault.corrupt;
  if (fault.code != 0) return fail(static_cast<cudaError_t>(fault.code));
  return sticky_error;
}

#define OOC_STUB_BEGIN(...)                                                 \
  if (const cudaError_t error = begin(__VA_ARGS__); error != cudaSuccess) { \
    return error;                                                           \
  }

// Waiting for something behind a gate that stays shut would never end; a real gate gives up too.
cudaError_t waited(bool reached) { return reached ? cudaSuccess : fail(cudaErrorLaunchTimeout); }

Operation copy_operation(std::size_t bytes, cudaMemcpyKind kind, bool pageable) {
  const stub::Settings& s = stub::settings();
  Operation operation;
  operation.left = static_cast<double>(bytes);
  if (kind == cudaMemcpyDeviceToDevice) {
    operation.work = Work::kMemoryKernel;
    operation.latency_ns = s.launch_ns;
    operation.rate = s.near_rate / 2 / 1e9;  // reads and writes
  } else {
    const bool near = kind == cudaMemcpyHostToDevice;
    operation.work = near ? Work::kToNear : Work::kToFar;
    operation.latency_ns = near ? s.to_near_latency_ns : s.to_far_latency_ns;
    operation.rate = (near ? s.to_near_rate : s.to_far_rate) / 1e9;
    if (pageable) operation.rate *= s.pageable_factor;
  }
  const double factor = stub::device().vary();
  operation.latency_ns *= factor;
  operation.rate /= factor;
  return operation;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "cudaErrorMemoryAllocation";
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "an error of the stub";
}

const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  if (error == cudaErrorIllegalAddress) return "an illegal memory access was encountered";
  return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "it failed";
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = sticky_error != cudaSuccess ? sticky_error : last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = static_cast<int>(stub::settings().driver);
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  OOC_STUB_BEGIN("cudaGetDeviceCount")
  *count = static_cast<int>(stub::settings().devices);
  if (stub::settings().driver < CUDART_VERSION) return fail(cudaErrorInsufficientDriver);
  return *count > 0 ? cudaSuccess : fail(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  OOC_STUB_BEGIN("cudaSetDevice")
  return device >= 0 && device < static_cast<int>(stub::settings().devices)
             ? cudaSuccess
             : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  OOC_STUB_BEGIN("cudaGetDeviceProperties")
  *properties = cudaDeviceProp{};
  const char* name = std::getenv("OOC_STUB_NAME");
  std::snprintf(properties->name, sizeof properties->name, "%s",
                name != nullptr ? name : "Stub device");
  properties->totalGlobalMem = static_cast<std::size_t>(stub::settings().memory);
  properties->major = 9;
  properties->minor = 0;
  properties->multiProcessorCount = static_cast<int>(stub::settings().multiprocessors);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  OOC_STUB_BEGIN("cudaDeviceGetAttribute")
  const stub::Settings& s = stub::settings();
  const std::pair<cudaDeviceAttr, double> known[] = {
      {cudaDevAttrClockRate, 1e6},
      {cudaDevAttrMemoryClockRate, 2e6},
      {cudaDevAttrAsyncEngineCount, 2},
      {cudaDevAttrIntegrated, s.integrated},
      {cudaDevAttrL2CacheSize, s.l2},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, s.host_page_tables},
      {cudaDevAttrConcurrentManagedAccess, s.concurrent_managed}};
  for (const auto& [which, number] : known) {
    if (which == attribute) *value = static_cast<int>(number);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int) {
  OOC_STUB_BEGIN("cudaDeviceGetPCIBusId")
  std::snprintf(id, static_cast<std::size_t>(length), "ffff:ff:1f.7");  // no such device anywhere
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  OOC_STUB_BEGIN("cudaDeviceSynchronize")
  return waited(stub::device().run_until_idle());
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  OOC_STUB_BEGIN("cudaStreamCreateWithFlags")
  *stream = new CUstream_st;
  stub::device().add_stream(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  // Given back even on a device that has failed: what is wrong there is no leak here.
  static_cast<void>(stub::device().run_until_empty(stream));
  stub::device().remove_stream(stream);
  delete stream;
  return begin("cudaStreamDestroy");
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  OOC_STUB_BEGIN("cudaStreamSynchronize")
  return waited(stub::device().run_until_empty(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  OOC_STUB_BEGIN("cudaStreamWaitEvent")
  Operation operation;
  operation.work = Work::kWait;
  operation.event = event;
  operation.record = event->records;
  stub::device().push(stream, std::move(operation));
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  OOC_STUB_BEGIN("cudaEventCreateWithFlags")
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  static_cast<void>(stub::device().run_until_recorded(event));  // nothing on a stream points at it
  static_cast<void>(stub::device().run_until_idle());
  delete event;
  return begin("cudaEventDestroy");
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  OOC_STUB_BEGIN("cudaEventRecord")
  Operation operation;
  operation.work = Work::kInstant;
  operation.event = event;
  operation.record = ++event->records;
  stub::device().push(stream, std::move(operation));
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  OOC_STUB_BEGIN("cudaEventElapsedTime")
  if (start->records == 0 || stop->records == 0) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (start->completed < start->records || stop->completed < stop->records)
    return fail(cudaErrorNotReady);
  *milliseconds = static_cast<float>((stop->time_ns - start->time_ns) / 1e6);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  bool corrupt = false;
  OOC_STUB_BEGIN("cudaMemcpyAsync", &corrupt)
  const void* near = kind == cudaMemcpyDeviceToHost ? source : target;
  const void* other = kind == cudaMemcpyDeviceToHost ? target : source;
  if (stub::kind_of(near, bytes) != Kind::kNear) return fail(cudaErrorInvalidValue);
  if (kind == cudaMemcpyDeviceToDevice && stub::kind_of(other, bytes) != Kind::kNear) {
    return fail(cudaErrorInvalidValue);
  }
  const bool pageable =
      kind != cudaMemcpyDeviceToDevice && stub::kind_of(other, bytes) != Kind::kPinned;
  Operation operation = copy_operation(bytes, kind, pageable);
  operation.effect = [target, source, bytes, corrupt] {
    stub::copy_bytes(target, source, bytes, corrupt);
  };
  stub::device().push(stream, std::move(operation));
  // The host takes part in a pageable copy: the call returns when it is over.
  return pageable ? waited(stub::device().run_until_empty(stream)) : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  OOC_STUB_BEGIN("cudaMemsetAsync")
  if (stub::kind_of(target, bytes) != Kind::kNear) return fail(cudaErrorInvalidValue);
  return stub::launch(stream, Work::kMemoryKernel,
                      static_cast<double>(bytes) / stub::settings().near_rate * 1e9,
                      [target, value, bytes] { std::memset(target, value, bytes); });
}

namespace {

cudaError_t prefetch(const void* pointer, std::size_t bytes, bool near, cudaStream_t stream) {
  bool corrupt = false;
  OOC_STUB_BEGIN("cudaMemPrefetchAsync", &corrupt)
  if (stub::settings().concurrent_managed <= 0) return fail(cudaErrorInvalidDevice);
  if (stub::kind_of(pointer, bytes) != Kind::kManaged) return fail(cudaErrorInvalidValue);
  Operation operation =
      copy_operation(bytes, near ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, false);
  operation.rate *= stub::settings().prefetch_factor;
  if (stub::resident_near(pointer) == near) operation.left = 0;  // nothing to move
  operation.effect = [pointer, bytes, near, corrupt] {
    stub::set_resident_near(pointer, near);
    stub::copy_bytes(const_cast<void*>(pointer), pointer, bytes, corrupt);
  };
  stub::device().push(stream, std::move(operation));
  return cudaSuccess;
}

}  // namespace

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned, cudaStream_t stream) {
  return prefetch(pointer, bytes, location.type == cudaMemLocationTypeDevice, stream);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream) {
  return prefetch(pointer, bytes, device != cudaCpuDeviceId, stream);
}
#endif

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  OOC_STUB_BEGIN("cudaMalloc")
  return stub::allocate(pointer, bytes, Kind::kNear);
}

cudaError_t cudaFree(void* pointer) {
  OOC_STUB_BEGIN("cudaFree")
  return stub::release(pointer, true);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  OOC_STUB_BEGIN("cudaHostAlloc")
  return stub::allocate(pointer, bytes, Kind::kPinned);
}

cudaError_t cudaFreeHost(void* pointer) {
  OOC_STUB_BEGIN("cudaFreeHost")
  return stub::release(pointer, true);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  OOC_STUB_BEGIN("cudaHostRegister")
  stub::device().spend_host_ns(stub::settings().issue_ns + static_cast<double>(bytes) * 0.05);
  if (stub::kind_of(pointer, bytes) != Kind::kUnknown) return cudaErrorInvalidValue;
  stub::allocations()[reinterpret_cast<std::uintptr_t>(pointer)] = {bytes, Kind::kPinned, false,
                                                                    false};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  OOC_STUB_BEGIN("cudaHostUnregister")
  return stub::release(pointer, false);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  OOC_STUB_BEGIN("cudaHostGetDevicePointer")
  if (stub::kind_of(host_pointer, 1) != Kind::kPinned) return cudaErrorInvalidValue;
  *device_pointer = host_pointer;
  return cudaSuccess;
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  OOC_STUB_BEGIN("cudaMallocManaged")
  return stub::allocate(pointer, bytes, Kind::kManaged);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  OOC_STUB_BEGIN("cudaMemGetInfo")
  const double free = stub::free_near();
  *free_bytes = free > 0 ? static_cast<std::size_t>(free) : 0;
  *total_bytes = static_cast<std::size_t>(stub::settings().memory);
  return cudaSuccess;
}
