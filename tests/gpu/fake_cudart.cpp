// Stands in for libcudart.so, so that the very program that nvcc built runs without a GPU: real host threads for streams,
// real time, the runtime's blocking rules, faults on demand. Kernels are known by their names and do to memory
// what the program looks at. Where a rule is broken (something that synchronises the device behind a shut gate,
// a wait for an event that was never recorded) a line "fake_cudart: ..." goes to standard error.
//
//   OOC_FAKE         memory=8e9,link=2e10,near=1e11,call_ns=1000,driver=99000,integrated=0,managed=1,host_page_tables=0,devices=1
//   OOC_FAKE_FAULT   hang:CALL:N | die:CALL:N | fail:CALL:N:CODE     at the Nth call of that name; codes from 700 on stay
//   OOC_FAKE_NAME    the device's name
#include <cuda_runtime_api.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<void()>;

double now_ns() {
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

// Sleeps the most of it, so that a machine with few cores keeps some for the others.
void wait_until(double ns) {
  for (double left = ns - now_ns(); left > 0; left = ns - now_ns()) {
    if (left > 150e3) {
      usleep(static_cast<unsigned>((left - 100e3) / 1000));
    } else {
      sched_yield();
    }
  }
}

double setting(const char* key, double otherwise) {
  const char* all = std::getenv("OOC_FAKE");
  const std::string text = "," + std::string(all == nullptr ? "" : all);
  const std::string wanted = "," + std::string(key) + "=";
  const std::size_t at = text.find(wanted);
  return at == std::string::npos ? otherwise : std::atof(text.c_str() + at + wanted.size());
}

const double kCallNs = setting("call_ns", 1000);
const double kLink = setting("link", 2e10);
const double kNear = setting("near", 1e11);
const auto kMemory = static_cast<std::size_t>(setting("memory", 8e9));
constexpr std::size_t kQueueDepth = 1024;
constexpr double kGateNs = 10e9;

std::mutex state;                                      // of what follows
std::map<char*, std::pair<std::size_t, char>> memory;  // 'd' near, 'p' pinned, 'm' managed
std::size_t used = 0;
std::map<const void*, std::string> kernels;
std::set<const void*> loaded;
std::map<std::string, long> calls;
std::atomic<int> shut_gates{0};
std::atomic<int> sticky{0};

void complain(const std::string& what) {
  static std::set<std::string> said;
  const std::lock_guard<std::mutex> lock(state);
  if (said.insert(what).second) std::fprintf(stderr, "fake_cudart: %s\n", what.c_str());
}

// What every call begins with: its time, the fault meant for it, the error that stays.
cudaError_t begin(const char* name) {
  long count = 0;
  {
    const std::lock_guard<std::mutex> lock(state);
    count = ++calls[name];
  }
  wait_until(now_ns() + kCallNs);
  const char* fault = std::getenv("OOC_FAKE_FAULT");
  char kind[16] = {};
  char call[64] = {};
  long number = 0;
  int code = 2;
  if (fault != nullptr &&
      std::sscanf(fault, "%15[^:]:%63[^:]:%ld:%d", kind, call, &number, &code) >= 3 &&
      std::strcmp(call, name) == 0 && number == count) {
    if (kind[0] == 'd') raise(SIGKILL);
    if (kind[0] == 'h') {
      for (;;) pause();
    }
    if (code >= 700) sticky = code;
    return static_cast<cudaError_t>(code);
  }
  return static_cast<cudaError_t>(sticky.load());
}

#define BEGIN(name) \
  if (const cudaError_t status = begin(name); status != cudaSuccess) return status

class Stream {
 public:
  Stream() : worker_([this] { run(); }) {}
  ~Stream() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  void push(Work work) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return queue_.size() < kQueueDepth; });
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }
  void drain() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty(); });
  }

 private:
  void run() {
    for (;;) {
      Work work;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return over_ || !queue_.empty(); });
        if (queue_.empty()) return;
        work = queue_.front();
      }
      work();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        queue_.pop_front();
      }
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_;
  bool over_ = false;
  std::thread worker_;
};

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  double ns = 0;
};

std::set<Stream*> streams;

Stream* of(cudaStream_t stream) { return reinterpret_cast<Stream*>(stream); }
Event* of(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }

void synchronise(const char* who) {
  if (shut_gates > 0) complain(std::string(who) + " synchronises the device behind a shut gate");
  std::set<Stream*> all;
  {
    const std::lock_guard<std::mutex> lock(state);
    all = streams;
  }
  for (Stream* stream : all) stream->drain();
}

cudaError_t allocate(void** pointer, std::size_t bytes, char kind, const char* name) {
  BEGIN(name);
  synchronise(name);
  const std::lock_guard<std::mutex> lock(state);
  if (kind == 'd' && used + bytes > kMemory) return cudaErrorMemoryAllocation;
  void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return cudaErrorMemoryAllocation;
  memory[static_cast<char*>(found)] = {bytes, kind};
  if (kind == 'd') used += bytes;
  *pointer = found;
  return cudaSuccess;
}

cudaError_t release(void* pointer, const char* name) {
  if (pointer == nullptr) return cudaSuccess;
  BEGIN(name);
  synchronise(name);
  const std::lock_guard<std::mutex> lock(state);
  const auto found = memory.find(static_cast<char*>(pointer));
  if (found == memory.end()) return cudaErrorInvalidValue;
  if (found->second.second == 'd') used -= found->second.first;
  munmap(pointer, found->second.first);
  memory.erase(found);
  return cudaSuccess;
}

bool is_known(const void* pointer) {
  const std::lock_guard<std::mutex> lock(state);
  auto after = memory.upper_bound(const_cast<char*>(static_cast<const char*>(pointer)));
  if (after == memory.begin()) return false;
  --after;
  return static_cast<const char*>(pointer) < after->first + after->second.first;
}

std::mutex engines[3];  // to near, to far, everything within near memory

void last(std::mutex& engine, double ns, const Work& effect) {
  const std::lock_guard<std::mutex> lock(engine);
  const double end = now_ns() + ns;
  effect();
  wait_until(end);
}

// The pattern that calibrate/bench/pattern.hpp fills and checks buffers with.
std::uint64_t pattern_word(std::uint64_t position, std::uint64_t seed) {
  std::uint64_t x = (position + 1) * 0x9e3779b97f4a7c15ULL ^ (seed * 0xd1342543de82ef95ULL);
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

template <class Value>
Value argument(void** arguments, int index) {
  Value value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

void stand_at_gate(const volatile unsigned* flag) {
  ++shut_gates;
  const double begin_ns = now_ns();
  while (*flag == 0 && now_ns() - begin_ns < kGateNs) usleep(5);
  if (*flag == 0) complain("a gate gave up");
  --shut_gates;
}

Work kernel_work(const std::string& name, void** a) {
  const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (is("gate_kernel")) {
    const auto* flag = argument<const volatile unsigned*>(a, 0);
    return [flag] { stand_at_gate(flag); };
  }
  if (is("empty_kernel")) return [] {};
  if (is("spin_kernel") || is("busy_kernel")) {
    const auto ns = static_cast<double>(argument<unsigned long long>(a, 0));
    return [ns] { wait_until(now_ns() + ns); };
  }
  if (is("tick_kernel")) {
    auto* tick = argument<unsigned long long*>(a, 0);
    return [tick] { *tick = 32; };
  }
  if (is("compute_kernel")) {
    const auto rounds = static_cast<double>(argument<long long>(a, 0));
    return [rounds] { last(engines[2], 2000 + 500 * rounds, [] {}); };
  }
  if (is("memory_kernel")) {
    const auto rounds = static_cast<double>(argument<long long>(a, 0));
    const auto count = static_cast<double>(argument<std::size_t>(a, 3));
    return [=] { last(engines[2], 2000 + rounds * count * 32 / kNear * 1e9, [] {}); };
  }
  if (is("fill_kernel") || is("check_kernel")) {
    auto* words = argument<std::uint64_t*>(a, 0);
    const auto count = argument<std::size_t>(a, 1);
    const auto first = argument<std::uint64_t>(a, 2);
    const auto seed = argument<std::uint64_t>(a, 3);
    if (is("fill_kernel")) {
      return [=] {
        for (std::size_t i = 0; i < count; ++i) words[i] = pattern_word(first + i, seed);
      };
    }
    auto* wrong = argument<unsigned long long*>(a, 4);
    return [=] {
      for (std::size_t i = 0; i < count; ++i) *wrong += words[i] != pattern_word(first + i, seed);
    };
  }
  if (is("touch_kernel")) {
    const auto bytes = 8.0 * static_cast<double>(argument<std::size_t>(a, 1));
    return [bytes] { last(engines[0], 10e3 + bytes / kLink * 3e9, [] {}); };
  }
  complain("an unknown kernel: " + name);
  return [] {};
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* binary) { return new void*(binary); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaInitModule(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  kernels[host] = name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

namespace {
thread_local struct {
  dim3 grid, block;
  std::size_t shared;
  void* stream;
} launch_shape;
}  // namespace

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     struct CUstream_st* stream) {
  launch_shape = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = launch_shape.grid;
  *block = launch_shape.block;
  *shared = launch_shape.shared;
  *static_cast<void**>(stream) = launch_shape.stream;
  return cudaSuccess;
}

static cudaError_t launch(const void* host, dim3 grid, dim3 block, void** arguments,
                          cudaStream_t stream) {
  BEGIN("cudaLaunchKernel");
  const std::string& name = kernels[host];
  if (grid.x == 0 || block.x == 0 || block.x > 1024) return cudaErrorInvalidConfiguration;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(state);
    first = loaded.insert(host).second;
  }
  if (first) synchronise(("the first launch of " + name).c_str());
  of(stream)->push(kernel_work(name, arguments));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return launch(host, grid, block, arguments, stream);
}
#if CUDART_VERSION >= 13000
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, stream);
}
#endif

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess ? "cudaSuccess" : "cudaErrorOfTheFake";
}
const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaSuccess) return "no error";
  return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                          : "an error of the stand-in";
}
cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(sticky.load()); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = static_cast<int>(setting("driver", 99000));
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(setting("devices", 1));
  if (setting("driver", 99000) < CUDART_VERSION) return cudaErrorInsufficientDriver;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  const char* name = std::getenv("OOC_FAKE_NAME");
  std::snprintf(properties->name, sizeof properties->name, "%s",
                name == nullptr ? "Stand-in device" : name);
  properties->major = 9;
  properties->multiProcessorCount = 132;
  return cudaSuccess;
}
#if CUDART_VERSION < 13000
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
#endif
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrIntegrated:
      *value = static_cast<int>(setting("integrated", 0));
      break;
    case cudaDevAttrConcurrentManagedAccess:
      *value = static_cast<int>(setting("managed", 1));
      break;
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
      *value = static_cast<int>(setting("host_page_tables", 0));
      break;
    case cudaDevAttrL2CacheSize:
      *value = 1 << 20;
      break;
    default:
      *value = 2;
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int) {
  std::snprintf(id, static_cast<std::size_t>(length), "ffff:ff:1f.7");
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  const std::lock_guard<std::mutex> lock(state);
  *free_bytes = kMemory - used;
  *total_bytes = kMemory;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  BEGIN("cudaDeviceSynchronize");
  synchronise("cudaDeviceSynchronize");
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  return allocate(p, bytes, 'd', "cudaMalloc");
}
cudaError_t cudaFree(void* p) { return release(p, "cudaFree"); }
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
  return allocate(p, bytes, 'p', "cudaHostAlloc");
}
cudaError_t cudaFreeHost(void* p) { return release(p, "cudaFreeHost"); }
cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) {
  return allocate(p, bytes, 'm', "cudaMallocManaged");
}
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  BEGIN("cudaHostRegister");
  synchronise("cudaHostRegister");
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void*) {
  BEGIN("cudaHostUnregister");
  synchronise("cudaHostUnregister");
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  BEGIN("cudaStreamCreateWithFlags");
  auto* made = new Stream;
  const std::lock_guard<std::mutex> lock(state);
  streams.insert(made);
  *stream = reinterpret_cast<cudaStream_t>(made);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    const std::lock_guard<std::mutex> lock(state);
    streams.erase(of(stream));
  }
  delete of(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  BEGIN("cudaStreamSynchronize");
  of(stream)->drain();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  BEGIN("cudaEventRecord");
  Event* recorded = of(event);
  std::uint64_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(recorded->mutex);
    number = ++recorded->asked;
  }
  of(stream)->push([recorded, number] {
    {
      const std::lock_guard<std::mutex> lock(recorded->mutex);
      recorded->done = number;
      recorded->ns = now_ns();
    }
    recorded->changed.notify_all();
  });
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  BEGIN("cudaStreamWaitEvent");
  Event* awaited = of(event);
  std::uint64_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(awaited->mutex);
    number = awaited->asked;
  }
  if (number == 0) complain("a wait for an event that was never recorded");
  of(stream)->push([awaited, number] {
    std::unique_lock<std::mutex> lock(awaited->mutex);
    awaited->changed.wait(lock, [&] { return awaited->done >= number; });
  });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  for (Event* event : {of(start), of(stop)}) {
    const std::lock_guard<std::mutex> lock(event->mutex);
    if (event->asked == 0 || event->done != event->asked) {
      complain("the time of an event that has not happened");
      return cudaErrorNotReady;
    }
  }
  *milliseconds = static_cast<float>((of(stop)->ns - of(start)->ns) / 1e6);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  BEGIN("cudaMemcpyAsync");
  const void* host = kind == cudaMemcpyHostToDevice   ? source
                     : kind == cudaMemcpyDeviceToHost ? target
                                                      : nullptr;
  std::mutex* engine = &engines[kind == cudaMemcpyHostToDevice   ? 0
                                : kind == cudaMemcpyDeviceToHost ? 1
                                                                 : 2];
  const double rate = host == nullptr ? kNear / 2 : kLink;
  of(stream)->push([=] {
    last(*engine, 5000 + static_cast<double>(bytes) / rate * 1e9,
         [=] { std::memcpy(target, source, bytes); });
  });
  if (host != nullptr && !is_known(host)) {  // pageable: the host takes part
    if (shut_gates > 0 && bytes > 65536) complain("a pageable copy behind a shut gate");
    of(stream)->drain();
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  BEGIN("cudaMemsetAsync");
  of(stream)->push([=] { std::memset(target, value, bytes); });
  return cudaSuccess;
}

static cudaError_t prefetch(std::size_t bytes, bool to_near, cudaStream_t stream) {
  BEGIN("cudaMemPrefetchAsync");
  of(stream)->push([=] {
    last(engines[to_near ? 0 : 1], 20e3 + static_cast<double>(bytes) / kLink * 1.2e9, [] {});
  });
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t bytes, cudaMemLocation location, unsigned,
                                 cudaStream_t stream) {
  return prefetch(bytes, location.type == cudaMemLocationTypeDevice, stream);
}
#else
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t bytes, int device, cudaStream_t stream) {
  return prefetch(bytes, device != cudaCpuDeviceId, stream);
}
#endif

}  // extern "C"
