// The fake runtime's properties, streams, events and copies. Names and meaning are CUDA's. Every call
// first asks whether the environment wants it to fail (settings.hpp); an error code from 700 on stays, as
// it does in a real context.
#include <cstdio>
#include <cstring>

#include "calibrate/stub/device.hpp"

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
  static double copies_left = s.warmup_copies;
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
  if (copies_left > 0) {
    copies_left -= 1;
    operation.rate /= 3;
  }
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
  std::snprintf(properties->name, sizeof properties->name, "%s", stub::device_name());
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
  *stream = new StubStream;
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

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  OOC_STUB_BEGIN("cudaEventCreateWithFlags")
  *event = new StubEvent;
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
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
  if (!start->timed || !stop->timed || start->records == 0 || stop->records == 0) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (start->completed < start->records || stop->completed < stop->records) {
    return fail(cudaErrorNotReady);
  }
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

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned, cudaStream_t stream) {
  bool corrupt = false;
  OOC_STUB_BEGIN("cudaMemPrefetchAsync", &corrupt)
  if (stub::settings().concurrent_managed <= 0) return fail(cudaErrorInvalidDevice);
  if (stub::kind_of(pointer, bytes) != Kind::kManaged) return fail(cudaErrorInvalidValue);
  const bool near = location.type == cudaMemLocationTypeDevice;
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
