// Matrix products and convolutions of the vendor's libraries, where they are compiled in (OOC_WITH_CUBLAS,
// OOC_WITH_CUDNN), and the stub's inventions in their place. Nothing outside blas.cpp and dnn.cpp sees a
// header of these libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/gpu/cuda_layer.hpp"

namespace ooc::gpu {

// Puts the work on the stream.
using Runner = std::function<void(cudaStream_t)>;

enum class Precision { kFloat32, kTf32, kBfloat16, kFloat16 };
inline std::size_t element_bytes(Precision precision) {
  return precision == Precision::kFloat32 || precision == Precision::kTf32 ? 4 : 2;
}

struct GemmShape {
  Precision precision;
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  std::int64_t lda = 0, ldb = 0,
               ldc = 0;  // numbers from one column to the next as stored; 0: dense
  bool add = false;      // to what C holds
};

bool gemm_available();
// C(m×n) = A(m×k) · B(k×n), column-major, accumulated in float32.
Runner prepare_gemm(const GemmShape& shape, const void* a, const void* b, void* c);

struct ConvolutionShape {
  Precision precision = Precision::kFloat32;
  int batch = 1, channels = 1, height = 1, width = 1;
  int filters = 1, kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0, dilation_h = 1, dilation_w = 1;
  int groups = 1;
  // Numbers from one sample to the next; 0: as many as it has.
  std::int64_t input_stride = 0, output_stride = 0;

  int out_height() const {
    return (height + 2 * pad_h - dilation_h * (kernel_h - 1) - 1) / stride_h + 1;
  }
  int out_width() const {
    return (width + 2 * pad_w - dilation_w * (kernel_w - 1) - 1) / stride_w + 1;
  }
  std::int64_t input_elements() const { return std::int64_t{batch} * channels * height * width; }
  std::int64_t output_elements() const {
    return std::int64_t{batch} * filters * out_height() * out_width();
  }
  std::int64_t weight_elements() const {
    return std::int64_t{filters} * (channels / groups) * kernel_h * kernel_w;
  }
};

enum class Pass { kForward, kBackwardData, kBackwardWeights };

// forward: output from input and weights; backward-data: input from output and weights; backward-weights:
// weights from input and output.
struct ConvolutionBuffers {
  void* input;
  void* weights;
  void* output;
  bool add = false;  // the result to what is there
};

struct ConvolutionAlgorithm {
  std::string name;
  std::size_t workspace_bytes;
  std::function<void(cudaStream_t, const ConvolutionBuffers&, void* workspace)> run;
};

bool convolution_available();
// Those that can do this shape and pass, in the library's order.
std::vector<ConvolutionAlgorithm> convolution_algorithms(const ConvolutionShape& shape, Pass pass);

}  // namespace ooc::gpu
