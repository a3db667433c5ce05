// Convolutions by cuDNN (8 or 9), where it is compiled in: every algorithm of the classic interface that supports
// the shape, with its workspace. See libraries.hpp.
#include "calibrate/gpu/libraries.hpp"

#if defined(OOC_WITH_CUDNN)
#include <cudnn.h>

#include <memory>

#include "calibrate/gpu/check.hpp"

namespace ooc::gpu {
namespace {

void check_dnn(cudnnStatus_t status, const char* expression, const char* file, int line) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = cudnnGetErrorString(status);
  throw CallFailure{
      call_name(expression), static_cast<int>(status), text, text, file_name(file), line};
}

#define OOC_DNN_CHECK(call) check_dnn((call), #call, __FILE__, __LINE__)

// One for the program's life: making it costs more than many convolutions.
cudnnHandle_t handle() {
  static cudnnHandle_t the_handle = [] {
    cudnnHandle_t made = nullptr;
    OOC_DNN_CHECK(cudnnCreate(&made));
    return made;
  }();
  return the_handle;
}

struct ImageSize {
  int channels, height, width;
};

// `stride`: numbers from one image to the next, 0 where they are dense.
void set_images(cudnnTensorDescriptor_t images, cudnnDataType_t type, int batch, ImageSize size,
                std::int64_t stride) {
  const int plane = size.height * size.width;
  const int step = stride == 0 ? size.channels * plane : static_cast<int>(stride);
  OOC_DNN_CHECK(cudnnSetTensor4dDescriptorEx(images, type, batch, size.channels, size.height,
                                             size.width, step, plane, size.width, 1));
}

// What the library wants to know of a convolution.
struct Descriptors {
  explicit Descriptors(const ConvolutionShape& s) {
    const bool half = s.precision == Precision::kFloat16;
    const cudnnDataType_t type = half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    OOC_DNN_CHECK(cudnnCreateTensorDescriptor(&input));
    OOC_DNN_CHECK(cudnnCreateTensorDescriptor(&output));
    OOC_DNN_CHECK(cudnnCreateFilterDescriptor(&weights));
    OOC_DNN_CHECK(cudnnCreateConvolutionDescriptor(&convolution));
    set_images(input, type, s.batch, {s.channels, s.height, s.width}, s.input_stride);
    set_images(output, type, s.batch, {s.filters, s.out_height(), s.out_width()}, s.output_stride);
    OOC_DNN_CHECK(cudnnSetFilter4dDescriptor(weights, type, CUDNN_TENSOR_NCHW, s.filters,
                                             s.channels / s.groups, s.kernel_h, s.kernel_w));
    OOC_DNN_CHECK(cudnnSetConvolution2dDescriptor(convolution, s.pad_h, s.pad_w, s.stride_h,
                                                  s.stride_w, s.dilation_h, s.dilation_w,
                                                  CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    OOC_DNN_CHECK(cudnnSetConvolutionGroupCount(convolution, s.groups));
    // FMA keeps float32 off the tensor cores; the default lets float32 data use TF32.
    OOC_DNN_CHECK(cudnnSetConvolutionMathType(convolution, half ? CUDNN_TENSOR_OP_MATH
                                                           : s.precision == Precision::kFloat32
                                                               ? CUDNN_FMA_MATH
                                                               : CUDNN_DEFAULT_MATH));
  }
  ~Descriptors() {
    cudnnDestroyConvolutionDescriptor(convolution);
    cudnnDestroyFilterDescriptor(weights);
    cudnnDestroyTensorDescriptor(output);
    cudnnDestroyTensorDescriptor(input);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  cudnnTensorDescriptor_t input = nullptr;
  cudnnTensorDescriptor_t output = nullptr;
  cudnnFilterDescriptor_t weights = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
};

using Shared = std::shared_ptr<const Descriptors>;

const char* const kForwardNames[] = {
    "implicit_gemm", "implicit_precomp_gemm", "gemm", "direct", "fft", "fft_tiling",
    "winograd",      "winograd_nonfused"};
const char* const kBackwardDataNames[] = {"algo_0",     "algo_1",   "fft",
                                          "fft_tiling", "winograd", "winograd_nonfused"};
const char* const kBackwardWeightsNames[] = {
    "algo_0", "algo_1", "fft", "algo_3", "winograd", "winograd_nonfused", "fft_tiling"};

constexpr float kOne = 1;
constexpr float kZero = 0;

const float* keep(const ConvolutionBuffers& buffers) { return buffers.add ? &kOne : &kZero; }

// An algorithm that does not support the shape says so when asked for its workspace.
template <typename Call>
bool supported(const Call& call) {
  return call() == CUDNN_STATUS_SUCCESS;
}

std::vector<ConvolutionAlgorithm> forward(const Shared& d) {
  std::vector<ConvolutionAlgorithm> found;
  for (int i = 0; i < CUDNN_CONVOLUTION_FWD_ALGO_COUNT; ++i) {
    const auto algorithm = static_cast<cudnnConvolutionFwdAlgo_t>(i);
    std::size_t bytes = 0;
    if (!supported([&] {
          return cudnnGetConvolutionForwardWorkspaceSize(
              handle(), d->input, d->weights, d->convolution, d->output, algorithm, &bytes);
        })) {
      continue;
    }
    found.push_back({kForwardNames[i], bytes,
                     [=](cudaStream_t stream, const ConvolutionBuffers& b, void* workspace) {
                       OOC_DNN_CHECK(cudnnSetStream(handle(), stream));
                       OOC_DNN_CHECK(cudnnConvolutionForward(handle(), &kOne, d->input, b.input,
                                                             d->weights, b.weights, d->convolution,
                                                             algorithm, workspace, bytes, keep(b),
                                                             d->output, b.output));
                     }});
  }
  return found;
}

std::vector<ConvolutionAlgorithm> backward_data(const Shared& d) {
  std::vector<ConvolutionAlgorithm> found;
  for (int i = 0; i < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT; ++i) {
    const auto algorithm = static_cast<cudnnConvolutionBwdDataAlgo_t>(i);
    std::size_t bytes = 0;
    if (!supported([&] {
          return cudnnGetConvolutionBackwardDataWorkspaceSize(
              handle(), d->weights, d->output, d->convolution, d->input, algorithm, &bytes);
        })) {
      continue;
    }
    found.push_back({kBackwardDataNames[i], bytes,
                     [=](cudaStream_t stream, const ConvolutionBuffers& b, void* workspace) {
                       OOC_DNN_CHECK(cudnnSetStream(handle(), stream));
                       OOC_DNN_CHECK(cudnnConvolutionBackwardData(
                           handle(), &kOne, d->weights, b.weights, d->output, b.output,
                           d->convolution, algorithm, workspace, bytes, keep(b), d->input,
                           b.input));
                     }});
  }
  return found;
}

std::vector<ConvolutionAlgorithm> backward_weights(const Shared& d) {
  std::vector<ConvolutionAlgorithm> found;
  for (int i = 0; i < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT; ++i) {
    const auto algorithm = static_cast<cudnnConvolutionBwdFilterAlgo_t>(i);
    std::size_t bytes = 0;
    if (!supported([&] {
          return cudnnGetConvolutionBackwardFilterWorkspaceSize(
              handle(), d->input, d->output, d->convolution, d->weights, algorithm, &bytes);
        })) {
      continue;
    }
    found.push_back({kBackwardWeightsNames[i], bytes,
                     [=](cudaStream_t stream, const ConvolutionBuffers& b, void* workspace) {
                       OOC_DNN_CHECK(cudnnSetStream(handle(), stream));
                       OOC_DNN_CHECK(cudnnConvolutionBackwardFilter(
                           handle(), &kOne, d->input, b.input, d->output, b.output, d->convolution,
                           algorithm, workspace, bytes, keep(b), d->weights, b.weights));
                     }});
  }
  return found;
}

}  // namespace

bool convolution_available() { return true; }

std::vector<ConvolutionAlgorithm> convolution_algorithms(const ConvolutionShape& shape, Pass pass) {
  if (shape.precision == Precision::kBfloat16) {
    throw RequestError{"cuDNN's classic convolutions have no bfloat16"};
  }
  if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
    throw RequestError{"channels and filters must be multiples of groups"};
  }
  const Shared descriptors = std::make_shared<const Descriptors>(shape);
  switch (pass) {
    case Pass::kForward:
      return forward(descriptors);
    case Pass::kBackwardData:
      return backward_data(descriptors);
    case Pass::kBackwardWeights:
      return backward_weights(descriptors);
  }
  return {};
}

}  // namespace ooc::gpu

#else

namespace ooc::gpu {

bool convolution_available() { return false; }
std::vector<ConvolutionAlgorithm> convolution_algorithms(const ConvolutionShape&, Pass) {
  return {};
}

}  // namespace ooc::gpu

#endif
