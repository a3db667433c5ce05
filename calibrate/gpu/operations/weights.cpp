// Convolutions and linear layers: products by the vendor's libraries, biases by our own kernels. See
// operations/makers.hpp.
#include <cmath>
#include <optional>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/operations/algorithms.hpp"
#include "calibrate/gpu/operations/makers.hpp"

namespace ooc::gpu {
namespace {

// Weights that keep the size of what they multiply (He et al., ICCV 2015): from layer to layer nothing vanishes or
// overflows, which would draw another power than training does.
StreamWork initialise_weights(float* w, std::size_t weights, std::size_t biases,
                              std::size_t inputs) {
  constexpr std::uint32_t kWeightSeed = 5;
  const auto bound = static_cast<float>(std::sqrt(6.0 / static_cast<double>(inputs)));
  return [=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_random(stream, w, weights, kWeightSeed, -bound, bound));
    if (biases > 0) OOC_GPU_CHECK(launch_random(stream, w + weights, biases, kWeightSeed, 0, 0));
  };
}

struct Sides {
  std::size_t x;  // numbers a sample
  std::size_t y;
};

// What a convolution and its transpose share.
struct Convolution {
  const OperationKeys& keys;
  ConvolutionShape shape;  // from its input to its output, which for the transpose are y and x
  bool transposed;
  Sides sides;
  ChannelShape biased;  // y
  bool bias;

  std::size_t weights() const { return static_cast<std::size_t>(shape.weight_elements()); }
  std::size_t biases() const { return bias ? biased.channels : 0; }
  std::size_t parameters() const { return weights() + biases(); }
  // Strides and buffers by the layer's sides.
  void set_strides(std::size_t x, std::size_t y) {
    shape.input_stride = static_cast<std::int64_t>(transposed ? y : x);
    shape.output_stride = static_cast<std::int64_t>(transposed ? x : y);
  }
  ConvolutionBuffers buffers(float* x, float* w, float* y, bool add) const {
    return transposed ? ConvolutionBuffers{y, w, x, add} : ConvolutionBuffers{x, w, y, add};
  }
  std::optional<Runner> prepare(Pass pass, const ConvolutionBuffers& buffers) const {
    const Workspace workspace = keys.workspace();
    const auto found = fastest_algorithm(shape, pass, buffers, workspace);
    if (!found) return std::nullopt;
    return [run = found->run, buffers, memory = workspace.memory](cudaStream_t stream) {
      run(stream, buffers, memory);
    };
  }
};

std::string no_algorithm(const OperationKeys& keys) {
  return keys.op() + ": the library has no algorithm without more workspace";
}

MadeOperation convolution_forward(Convolution layer) {
  const Slice x = layer.keys.tensor("x", layer.sides.x);
  const Slice y = layer.keys.tensor("y", layer.sides.y);
  float* const w = layer.keys.parameters("w", layer.parameters());
  layer.set_strides(x.stride, y.stride);
  const auto run = layer.prepare(layer.transposed ? Pass::kBackwardData : Pass::kForward,
                                 layer.buffers(x.data, w, y.data, false));
  if (!run) return cannot(no_algorithm(layer.keys));
  const float* const bias = layer.bias ? w + layer.weights() : nullptr;
  const std::size_t inputs =
      layer.weights() /
      static_cast<std::size_t>(layer.transposed ? layer.shape.channels : layer.shape.filters);
  return made(
      [=, run = *run, shape = layer.biased](cudaStream_t stream) {
        run(stream);
        if (bias != nullptr) OOC_GPU_CHECK(launch_bias(stream, shape, bias, y));
      },
      initialise_weights(w, layer.weights(), layer.biases(), inputs));
}

MadeOperation convolution_backward_data(Convolution layer) {
  const Slice dy = layer.keys.tensor("dy", layer.sides.y);
  const Target dx = layer.keys.gradient("dx", layer.sides.x);
  if (dx.to.data == nullptr) layer.keys.fail("'dx' is missing");
  float* const w = layer.keys.parameters("w", layer.parameters());
  layer.set_strides(dx.to.stride, dy.stride);
  const auto run = layer.prepare(layer.transposed ? Pass::kForward : Pass::kBackwardData,
                                 layer.buffers(dx.to.data, w, dy.data, dx.add));
  return run ? made(*run) : cannot(no_algorithm(layer.keys));
}

MadeOperation convolution_backward_weights(Convolution layer) {
  const Slice x = layer.keys.tensor("x", layer.sides.x);
  const Slice dy = layer.keys.tensor("dy", layer.sides.y);
  float* const dw = layer.keys.parameters("dw", layer.parameters());
  layer.set_strides(x.stride, dy.stride);
  const auto run = layer.prepare(Pass::kBackwardWeights, layer.buffers(x.data, dw, dy.data, false));
  if (!run) return cannot(no_algorithm(layer.keys));
  float* const db = layer.bias ? dw + layer.weights() : nullptr;
  return made([=, run = *run, shape = layer.biased](cudaStream_t stream) {
    run(stream);
    if (db != nullptr) OOC_GPU_CHECK(launch_channel_sum(stream, shape, dy, db));
  });
}

MadeOperation make_any_convolution(const OperationKeys& keys, bool transposed) {
  if (!convolution_available()) return cannot("convolutions need cuDNN");
  const int out_height = keys.small("out_height");
  const int out_width = keys.small("out_width");
  ConvolutionShape s;
  s.batch = static_cast<int>(keys.batch());
  s.channels = keys.small(transposed ? "filters" : "channels");
  s.filters = keys.small(transposed ? "channels" : "filters");
  s.height = transposed ? out_height : keys.small("height");
  s.width = transposed ? out_width : keys.small("width");
  s.kernel_h = keys.small("kernel_h");
  s.kernel_w = keys.small("kernel_w");
  s.stride_h = keys.small("stride_h");
  s.stride_w = keys.small("stride_w");
  s.pad_h = keys.small_or_zero("pad_h");
  s.pad_w = keys.small_or_zero("pad_w");
  s.dilation_h = keys.small("dilation_h");
  s.dilation_w = keys.small("dilation_w");
  s.groups = keys.small("groups");
  if (s.channels % s.groups != 0 || s.filters % s.groups != 0) {
    keys.fail("channels and filters must be multiples of groups");
  }
  if (s.out_height() != (transposed ? keys.small("height") : out_height) ||
      s.out_width() != (transposed ? keys.small("width") : out_width)) {
    keys.fail("the sizes of input, window and output do not belong together");
  }
  const auto in = static_cast<std::size_t>(s.input_elements() / s.batch);
  const auto out = static_cast<std::size_t>(s.output_elements() / s.batch);
  const Convolution layer{
      keys,
      s,
      transposed,
      transposed ? Sides{out, in} : Sides{in, out},
      {keys.batch(), keys.size("filters"), static_cast<unsigned>(out_height * out_width)},
      keys.flag("bias")};
  keys.require_countable(std::size_t{layer.biased.samples} * layer.biased.positions);
  switch (keys.pass()) {
    case TaskPass::kForward:
      return convolution_forward(layer);
    case TaskPass::kBackwardData:
      return convolution_backward_data(layer);
    case TaskPass::kBackwardWeights:
      return convolution_backward_weights(layer);
    case TaskPass::kBackward:
      break;
  }
  keys.refuse_pass();
}

// A linear layer on `rows` rows in all; row-major [rows, n] is column-major n × rows.
struct Linear {
  const OperationKeys& keys;
  std::size_t rows;  // a sample
  std::int64_t all_rows;
  std::int64_t inputs;
  std::int64_t outputs;
  bool bias;

  std::size_t weights() const { return static_cast<std::size_t>(inputs * outputs); }
  std::size_t parameters() const {
    return weights() + (bias ? static_cast<std::size_t>(outputs) : 0);
  }
  std::size_t sample(std::int64_t width) const { return rows * static_cast<std::size_t>(width); }
  // From one row to the next; none for a slice in which rows are not evenly spaced.
  std::optional<std::int64_t> pitch(const Slice& slice, std::int64_t width) const {
    if (slice.stride == sample(width)) return width;
    if (rows == 1) return static_cast<std::int64_t>(slice.stride);
    return std::nullopt;
  }
};

constexpr const char* kUneven = "linear with several rows a sample on a slice";

GemmShape product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {Precision::kFloat32, m, n, k};
}

MadeOperation linear_forward(const Linear& layer) {
  const Slice x = layer.keys.tensor("x", layer.sample(layer.inputs));
  const Slice y = layer.keys.tensor("y", layer.sample(layer.outputs));
  float* const w = layer.keys.parameters("w", layer.parameters());
  GemmShape shape = product(layer.outputs, layer.all_rows, layer.inputs);
  shape.transpose_a = true;
  const Runner run = prepare_gemm(shape, w, x.data, y.data);
  try_out(run);
  const float* const bias = layer.bias ? w + layer.weights() : nullptr;
  const ChannelShape rows{static_cast<unsigned>(layer.all_rows),
                          static_cast<unsigned>(layer.outputs), 1};
  const Slice row{y.data, static_cast<std::size_t>(layer.outputs)};
  return made(
      [=](cudaStream_t stream) {
        run(stream);
        if (bias != nullptr) OOC_GPU_CHECK(launch_bias(stream, rows, bias, row));
      },
      initialise_weights(w, layer.weights(), layer.parameters() - layer.weights(),
                         static_cast<std::size_t>(layer.inputs)));
}

MadeOperation linear_backward_data(const Linear& layer) {
  const Slice dy = layer.keys.tensor("dy", layer.sample(layer.outputs));
  const Target dx = layer.keys.gradient("dx", layer.sample(layer.inputs));
  if (dx.to.data == nullptr) layer.keys.fail("'dx' is missing");
  const auto dy_pitch = layer.pitch(dy, layer.outputs);
  const auto dx_pitch = layer.pitch(dx.to, layer.inputs);
  if (!dy_pitch || !dx_pitch) return cannot(kUneven);
  GemmShape shape = product(layer.inputs, layer.all_rows, layer.outputs);
  shape.ldb = *dy_pitch;
  shape.ldc = *dx_pitch;
  shape.add = dx.add;
  const Runner run =
      prepare_gemm(shape, layer.keys.parameters("w", layer.parameters()), dy.data, dx.to.data);
  try_out(run);
  return made(run);
}

MadeOperation linear_backward_weights(const Linear& layer) {
  const Slice x = layer.keys.tensor("x", layer.sample(layer.inputs));
  const Slice dy = layer.keys.tensor("dy", layer.sample(layer.outputs));
  const auto dy_pitch = layer.pitch(dy, layer.outputs);
  if (!dy_pitch) return cannot(kUneven);
  float* const dw = layer.keys.parameters("dw", layer.parameters());
  GemmShape shape = product(layer.inputs, layer.outputs, layer.all_rows);
  shape.transpose_b = true;
  shape.ldb = *dy_pitch;
  const Runner run = prepare_gemm(shape, x.data, dy.data, dw);
  try_out(run);
  float* const db = layer.bias ? dw + layer.weights() : nullptr;
  const ChannelShape rows{static_cast<unsigned>(layer.all_rows),
                          static_cast<unsigned>(layer.outputs), 1};
  const Slice row{dy.data, static_cast<std::size_t>(*dy_pitch)};
  return made([=](cudaStream_t stream) {
    run(stream);
    if (db != nullptr) OOC_GPU_CHECK(launch_channel_sum(stream, rows, row, db));
  });
}

}  // namespace

MadeOperation make_convolution(const OperationKeys& keys) {
  return make_any_convolution(keys, false);
}

MadeOperation make_conv_transpose(const OperationKeys& keys) {
  return make_any_convolution(keys, true);
}

MadeOperation make_linear(const OperationKeys& keys) {
  if (!gemm_available()) return cannot("linear layers need cuBLAS");
  const unsigned rows = keys.size("rows");
  const std::size_t all_rows = std::size_t{keys.batch()} * rows;
  keys.require_countable(all_rows);
  const Linear layer{keys,
                     rows,
                     static_cast<std::int64_t>(all_rows),
                     keys.small("inputs"),
                     keys.small("outputs"),
                     keys.flag("bias")};
  switch (keys.pass()) {
    case TaskPass::kForward:
      return linear_forward(layer);
    case TaskPass::kBackwardData:
      return linear_backward_data(layer);
    case TaskPass::kBackwardWeights:
      return linear_backward_weights(layer);
    case TaskPass::kBackward:
      break;
  }
  keys.refuse_pass();
}

}  // namespace ooc::gpu
