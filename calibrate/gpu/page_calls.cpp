// The calls as CUDA has them, found in the driver when they are first needed. Only in builds with CUDA.
// See page_calls.hpp.
#include "calibrate/gpu/page_calls.hpp"

#include <cuda.h>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

// Null where the driver does not have it.
template <class Call>
Call driver_call(const char* name) noexcept {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  constexpr unsigned kVersion = 11000;  // of the calls' form, older than any driver that runs this
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  if (status == cudaSuccess && result == cudaDriverEntryPointSuccess) {
    return reinterpret_cast<Call>(found);
  }
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

struct Driver {
#define OOC_DRIVER_CALL(name) decltype(&::name) name = driver_call<decltype(&::name)>(#name)
  OOC_DRIVER_CALL(cuDeviceGet);
  OOC_DRIVER_CALL(cuDeviceGetAttribute);
  OOC_DRIVER_CALL(cuMemGetAllocationGranularity);
  OOC_DRIVER_CALL(cuMemCreate);
  OOC_DRIVER_CALL(cuMemRelease);
  OOC_DRIVER_CALL(cuMemAddressReserve);
  OOC_DRIVER_CALL(cuMemAddressFree);
  OOC_DRIVER_CALL(cuMemMap);
  OOC_DRIVER_CALL(cuMemUnmap);
  OOC_DRIVER_CALL(cuMemSetAccess);
#undef OOC_DRIVER_CALL
  bool complete() const {
    return cuDeviceGet != nullptr && cuDeviceGetAttribute != nullptr &&
           cuMemGetAllocationGranularity != nullptr && cuMemCreate != nullptr &&
           cuMemRelease != nullptr && cuMemAddressReserve != nullptr &&
           cuMemAddressFree != nullptr && cuMemMap != nullptr && cuMemUnmap != nullptr &&
           cuMemSetAccess != nullptr;
  }
};

const Driver& driver() noexcept {
  static const Driver found;
  return found;
}

// The driver's status has the numbers of the runtime's.
cudaError_t as_runtime(CUresult status) { return static_cast<cudaError_t>(status); }

#define OOC_DRIVER_CHECK(call) check(as_runtime(driver().call), #call, __FILE__, __LINE__)
#define OOC_DRIVER_REPORT(call) report(as_runtime(driver().call), #call, __FILE__, __LINE__)

CUmemAllocationProp properties_of(int device) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

CUdeviceptr address_of(void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace

std::size_t page_granularity(int device) noexcept {
  const Driver& calls = driver();
  if (!calls.complete()) return 0;
  CUdevice number = 0;
  int supported = 0;
  if (calls.cuDeviceGet(&number, device) != CUDA_SUCCESS) return 0;
  if (calls.cuDeviceGetAttribute(&supported,
                                 CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                                 number) != CUDA_SUCCESS ||
      supported == 0) {
    return 0;
  }
  const CUmemAllocationProp properties = properties_of(device);
  std::size_t bytes = 0;
  const CUresult status =
      calls.cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  return status == CUDA_SUCCESS ? bytes : 0;
}

PageHandle create_page(int device, std::size_t bytes) {
  const CUmemAllocationProp properties = properties_of(device);
  CUmemGenericAllocationHandle page = 0;
  OOC_DRIVER_CHECK(cuMemCreate(&page, bytes, &properties, 0));
  return page;
}

void release_page(PageHandle page) noexcept { OOC_DRIVER_REPORT(cuMemRelease(page)); }

void* reserve_addresses(std::size_t bytes) {
  CUdeviceptr begin = 0;
  OOC_DRIVER_CHECK(cuMemAddressReserve(&begin, bytes, 0, 0, 0));
  return reinterpret_cast<void*>(begin);
}

void free_addresses(void* begin, std::size_t bytes) noexcept {
  OOC_DRIVER_REPORT(cuMemAddressFree(address_of(begin), bytes));
}

void map_page(void* at, PageHandle page, std::size_t bytes) {
  OOC_DRIVER_CHECK(cuMemMap(address_of(at), bytes, 0, page, 0));
}

void allow_access(int device, void* begin, std::size_t bytes) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = device;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  OOC_DRIVER_CHECK(cuMemSetAccess(address_of(begin), bytes, &access, 1));
}

void unmap_pages(void* begin, std::size_t bytes) noexcept {
  OOC_DRIVER_REPORT(cuMemUnmap(address_of(begin), bytes));
}

}  // namespace ooc::gpu
