// Matrix products by cuBLAS, where it is compiled in. See libraries.hpp.
#include "calibrate/gpu/libraries.hpp"

#if defined(OOC_WITH_CUBLAS)
#include <cublas_v2.h>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

void check_blas(cublasStatus_t status, const char* expression, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw CallFailure{
      call_name(expression),         static_cast<int>(status), cublasGetStatusName(status),
      cublasGetStatusString(status), file_name(file),          line};
}

#define OOC_BLAS_CHECK(call) check_blas((call), #call, __FILE__, __LINE__)

// One for the program's life: making it costs more than many products.
cublasHandle_t handle() {
  static cublasHandle_t the_handle = [] {
    cublasHandle_t made = nullptr;
    OOC_BLAS_CHECK(cublasCreate(&made));
    return made;
  }();
  return the_handle;
}

struct Types {
  cudaDataType_t data;
  cublasComputeType_t compute;
};

// Both float32 kinds have the same data; only the second may use tensor cores.
Types types_of(Precision precision) {
  switch (precision) {
    case Precision::kFloat32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC};
    case Precision::kTf32:
      return {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    case Precision::kBfloat16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case Precision::kFloat16:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
  }
  return {CUDA_R_32F, CUBLAS_COMPUTE_32F};
}

}  // namespace

bool gemm_available() { return true; }

Runner prepare_gemm(const GemmShape& shape, const void* a, const void* b, void* c) {
  return [=](cudaStream_t stream) {
    const Types types = types_of(shape.precision);
    const float one = 1;
    const float beta = shape.add ? 1.0F : 0.0F;
    const auto leading = [](std::int64_t given, std::int64_t dense) {
      return static_cast<int>(given == 0 ? dense : given);
    };
    const int m = static_cast<int>(shape.m);
    const int n = static_cast<int>(shape.n);
    const int k = static_cast<int>(shape.k);
    OOC_BLAS_CHECK(cublasSetStream(handle(), stream));
    OOC_BLAS_CHECK(cublasGemmEx(handle(), shape.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                                shape.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &one, a,
                                types.data, leading(shape.lda, shape.transpose_a ? k : m), b,
                                types.data, leading(shape.ldb, shape.transpose_b ? n : k), &beta, c,
                                types.data, leading(shape.ldc, m), types.compute,
                                CUBLAS_GEMM_DEFAULT));
  };
}

}  // namespace ooc::gpu

#else

namespace ooc::gpu {

bool gemm_available() { return false; }
Runner prepare_gemm(const GemmShape&, const void*, const void*, void*) { return {}; }

}  // namespace ooc::gpu

#endif
