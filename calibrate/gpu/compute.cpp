// Compute: matrix products (cuBLAS), convolutions (every cuDNN algorithm) and our own element-wise, norm and pool
// kernels. Operands are filled with numbers in [-1, 1): zeros draw less power and run faster than work does.
#include <algorithm>
#include <cmath>
#include <string>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/kernels.hpp"
#include "calibrate/gpu/libraries.hpp"
#include "calibrate/gpu/measurements.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::gpu {
namespace {

Precision precision_of(const Job& job) {
  const std::string name = job.text("dtype");
  if (name == "float32") return Precision::kFloat32;
  if (name == "tf32") return Precision::kTf32;
  if (name == "bfloat16") return Precision::kBfloat16;
  if (name == "float16") return Precision::kFloat16;
  throw RequestError{"'dtype': found '" + name + "', expected float32, tf32, bfloat16 or float16"};
}

Element element_of(Precision precision) {
  if (precision == Precision::kBfloat16) return Element::kBfloat16;
  return precision == Precision::kFloat16 ? Element::kFloat16 : Element::kFloat32;
}

// A near buffer of `count` random numbers.
void* operand(Job& job, const Stream& stream, int slot, std::int64_t count, Precision precision) {
  if (count <= 0) throw RequestError{"an operand has no elements"};
  const std::size_t elements = static_cast<std::size_t>(count);
  void* memory = job.near(slot, elements * element_bytes(precision)).get();
  OOC_GPU_CHECK(launch_uniform(stream.get(), element_of(precision), memory, elements));
  stream.wait();
  return memory;
}

ConvolutionShape convolution_shape(const Job& job) {
  ConvolutionShape shape;
  shape.precision = precision_of(job);
  const auto required = [&job](const char* key) {
    if (job.integer(key) < 1) throw RequestError{std::string("'") + key + "': expected >= 1"};
    return job.small_or(key, 1);
  };
  shape.batch = required("batch");
  shape.channels = required("channels");
  shape.height = required("height");
  shape.width = required("width");
  shape.filters = required("filters");
  shape.kernel_h = required("kernel_h");
  shape.kernel_w = required("kernel_w");
  shape.stride_h = std::max(1, job.small_or("stride_h", 1));
  shape.stride_w = std::max(1, job.small_or("stride_w", 1));
  shape.pad_h = job.small_or("pad_h", 0);
  shape.pad_w = job.small_or("pad_w", 0);
  shape.dilation_h = std::max(1, job.small_or("dilation_h", 1));
  shape.dilation_w = std::max(1, job.small_or("dilation_w", 1));
  shape.groups = std::max(1, job.small_or("groups", 1));
  if (shape.out_height() < 1 || shape.out_width() < 1) {
    throw RequestError{"the output of this convolution is empty"};
  }
  return shape;
}

Pass pass_of(const Job& job) {
  const std::string name = job.text("pass");
  if (name == "forward") return Pass::kForward;
  if (name == "backward_data") return Pass::kBackwardData;
  if (name == "backward_weights") return Pass::kBackwardWeights;
  throw RequestError{"'pass': found '" + name +
                     "', expected forward, backward_data or backward_weights"};
}

// One of our kernels: its traffic in units of the input tensor, and how to launch it.
struct KernelCase {
  const char* name;
  double passes;  // what must at least be read and written
  cudaError_t (*launch)(cudaStream_t, Image, float* x, float* y, float* z, float* sums);
};

constexpr Window kPool{3, 2, 1};

std::size_t elements(Image image) {
  return static_cast<std::size_t>(image.batch) * static_cast<std::size_t>(image.channels) *
         static_cast<std::size_t>(image.height) * static_cast<std::size_t>(image.width);
}

const KernelCase kKernels[] = {
    {"relu", 2,
     [](cudaStream_t s, Image i, float* x, float* y, float*, float*) {
       return launch_relu(s, x, y, elements(i));
     }},
    {"relu_backward", 3,
     [](cudaStream_t s, Image i, float* x, float* y, float* z, float*) {
       return launch_relu_backward(s, x, y, z, elements(i));
     }},
    {"add", 3,
     [](cudaStream_t s, Image i, float* x, float* y, float* z, float*) {
       return launch_add(s, x, y, z, elements(i));
     }},
    {"batch_norm", 3,
     [](cudaStream_t s, Image i, float* x, float* y, float*, float* sums) {
       return launch_batch_norm(s, i, x, y, sums);
     }},
    {"batch_norm_backward", 5,
     [](cudaStream_t s, Image i, float* x, float* y, float* z, float* sums) {
       return launch_batch_norm_backward(s, i, x, y, z, sums);
     }},
    {"max_pool", 1.25,
     [](cudaStream_t s, Image i, float* x, float* y, float*, float*) {
       return launch_max_pool(s, i, kPool, x, y);
     }},
    {"max_pool_backward", 2.25,
     [](cudaStream_t s, Image i, float* x, float* y, float* z, float*) {
       return launch_max_pool_backward(s, i, kPool, x, y, z);
     }},
};

const KernelCase& find_kernel(const std::string& name) {
  std::string names;
  for (const KernelCase& kernel : kKernels) {
    if (name == kernel.name) return kernel;
    names += std::string(names.empty() ? "" : ", ") + kernel.name;
  }
  throw RequestError{"unknown kernel '" + name + "', known are " + names};
}

// A batch of square images of 64 channels with about `count` elements, at most 56 pixels a side.
Image image_of(std::size_t count) {
  const double pixels = static_cast<double>(count) / 64;
  const int side = static_cast<int>(std::clamp(std::sqrt(pixels), 2.0, 56.0));
  const double batch = std::max(1.0, pixels / (side * side));
  return {static_cast<int>(std::min(batch, 1e6)), 64, side, side};
}

}  // namespace

void measure_gemm(Job& job) {
  if (!gemm_available()) {
    job.note("skipped: built without cuBLAS (-DOOC_WITH_CUBLAS -lcublas)");
    return;
  }
  const GemmShape shape{precision_of(job), job.integer("m"), job.integer("n"), job.integer("k")};
  if (std::min({shape.m, shape.n, shape.k}) < 1 ||
      std::max({shape.m, shape.n, shape.k}) > 1 << 20) {
    throw RequestError{"m, n and k must be 1 to 2^20"};
  }
  Timer timer;
  const void* a = operand(job, timer.stream(), 0, shape.m * shape.k, shape.precision);
  const void* b = operand(job, timer.stream(), 1, shape.k * shape.n, shape.precision);
  void* c = operand(job, timer.stream(), 2, shape.m * shape.n, shape.precision);
  const Runner run = prepare_gemm(shape, a, b, c);
  run(timer.stream().get());  // the first call may load code and synchronise, so it has no gate
  timer.stream().wait();
  job.repeat({{"time", "event"}}, [&] {
    return Values{timer.time_ns(job.gated(), [&](const Stream& stream) { run(stream.get()); })};
  });
}

void measure_layer(Job& job) {
  if (job.text("kind") != "conv") throw RequestError{"'kind': only conv is measured"};
  const ConvolutionShape shape = convolution_shape(job);
  const Pass pass = pass_of(job);
  if (!convolution_available()) {
    job.note("skipped: built without cuDNN (-DOOC_WITH_CUDNN -lcudnn)");
    return;
  }
  Timer timer;
  const ConvolutionBuffers buffers{
      operand(job, timer.stream(), 0, shape.input_elements(), shape.precision),
      operand(job, timer.stream(), 1, shape.weight_elements(), shape.precision),
      operand(job, timer.stream(), 2, shape.output_elements(), shape.precision)};
  for (const ConvolutionAlgorithm& algorithm : convolution_algorithms(shape, pass)) {
    job.set_extra("algorithm", algorithm.name);
    job.set_extra("workspace_bytes", std::to_string(algorithm.workspace_bytes));
    try {
      void* workspace =
          algorithm.workspace_bytes == 0 ? nullptr : job.near(3, algorithm.workspace_bytes).get();
      // The first call without a gate: a library may synchronise within it.
      algorithm.run(timer.stream().get(), buffers, workspace);
      timer.stream().wait();
      job.repeat({{"time", "event"}}, [&] {
        return Values{timer.time_ns(job.gated(), [&](const Stream& stream) {
          algorithm.run(stream.get(), buffers, workspace);
        })};
      });
    } catch (const RequestError& error) {
      job.note("skipped algorithm " + algorithm.name + ": " + error.text);
    }
  }
}

void measure_kernel(Job& job) {
  const KernelCase& kernel = find_kernel(job.text("name"));
  const Image image = image_of(job.bytes() / sizeof(float));
  const std::size_t count = elements(image);
  Timer timer;
  float* operands[3];
  for (int slot = 0; slot < 3; ++slot) {
    operands[slot] = static_cast<float*>(
        operand(job, timer.stream(), slot, static_cast<std::int64_t>(count), Precision::kFloat32));
  }
  auto* sums = static_cast<float*>(job.near(4, 4096).get());
  const double traffic = kernel.passes * static_cast<double>(count * sizeof(float));
  job.set_extra("traffic_bytes", std::to_string(std::llround(traffic)));
  job.repeat({{"time", "event"}}, [&] {
    return Values{timer.time_ns(job.gated(), [&](const Stream& stream) {
      OOC_GPU_CHECK(
          kernel.launch(stream.get(), image, operands[0], operands[1], operands[2], sums));
    })};
  });
}

}  // namespace ooc::gpu
