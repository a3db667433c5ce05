// What a program that nvcc built asks of libcudart.so beside the API: it registers its kernels by their names and launches
// them by an address. With calibrate/stub this is a libcudart.so for it. A kernel that is loaded behind a shut gate, for
// which a real device would wait, ends the program, and so does one that no device would take.
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "calibrate/stub/device.hpp"

namespace {

std::map<const void*, std::string>& names() {
  static std::map<const void*, std::string> all;
  return all;
}

template <class Value>
Value argument(void** arguments, int index) {
  Value value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

// Kernels and arguments are those of calibrate/bench/kernels.cu.
cudaError_t launch(const void* host, dim3 block, void** a, cudaStream_t stream) {
  using namespace ooc::bench;
  static std::set<const void*> loaded;
  const bool loads = loaded.insert(host).second;
  if ((loads && !stub::device().run_until_idle()) || block.x == 0 || block.x > 1024) std::abort();
  const std::string& name = names()[host];
  const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
  const auto words = [&] { return 8 * argument<std::size_t>(a, 1); };
  if (is("gate_kernel")) return launch_gate(stream, argument<const volatile unsigned*>(a, 0));
  if (is("empty_kernel")) return launch_empty(stream);
  if (is("tick_kernel")) return launch_tick(stream, argument<unsigned long long*>(a, 0));
  if (is("compute_kernel")) return launch_compute(stream, argument<long long>(a, 0), 1, nullptr);
  if (is("memory_kernel")) {
    return launch_memory(stream, argument<long long>(a, 0), 1, nullptr, nullptr,
                         16 * argument<std::size_t>(a, 3));
  }
  if (is("touch_kernel")) return launch_touch(stream, argument<void*>(a, 0), words(), nullptr);
  if (is("fill_kernel")) {
    return launch_fill(stream, argument<void*>(a, 0), words(), argument<std::size_t>(a, 2),
                       argument<std::uint64_t>(a, 3));
  }
  if (is("check_kernel")) {
    return launch_check(stream, argument<void*>(a, 0), words(), argument<std::size_t>(a, 2),
                        argument<std::uint64_t>(a, 3), argument<unsigned long long*>(a, 4));
  }
  const auto ns = static_cast<double>(argument<unsigned long long>(a, 0));
  if (is("spin_kernel")) return launch_spin(stream, ns);
  if (is("busy_kernel")) return launch_busy(stream, ns, 1, nullptr, nullptr, 0);
  std::abort();
}

struct {
  dim3 grid, block;
  std::size_t shared;
  void* stream;
} shape;

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* binary) { return new void*(binary); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaInitModule(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  names()[host] = name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  shape = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = shape.grid;
  *block = shape.block;
  *shared = shape.shared;
  *static_cast<void**>(stream) = shape.stream;
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* host, dim3, dim3 block, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return launch(host, block, arguments, stream);
}
#if CUDART_VERSION >= 13000
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3, dim3 block, void** arguments, std::size_t,
                               cudaStream_t stream) {
  return launch(kernel, block, arguments, stream);
}
#endif

}  // extern "C"
