// Pools and operations that move numbers between places. See operations/makers.hpp.
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/operations/makers.hpp"

namespace ooc::gpu {
namespace {

Target required_gradient(const OperationKeys& keys, std::size_t elements) {
  const Target dx = keys.gradient("dx", elements);
  if (dx.to.data == nullptr) keys.fail("'dx' is missing");
  return dx;
}

WindowDim window_dim(const OperationKeys& keys, const std::string& size, const std::string& end,
                     bool adaptive) {
  WindowDim dim;
  dim.size = keys.small(size);
  dim.out = keys.small("out_" + size);
  if (adaptive) return dim;
  dim.kernel = keys.small("kernel_" + end);
  dim.stride = keys.small("stride_" + end);
  dim.pad = keys.small_or_zero("pad_" + end);
  // Each window has a pixel: else its maximum were none.
  if (dim.pad >= dim.kernel || (dim.out - 1) * std::int64_t{dim.stride} - dim.pad >= dim.size) {
    keys.fail("a window of '" + size + "' lies in the padding alone");
  }
  return dim;
}

std::size_t numbers(unsigned channels, int height, int width) {
  return std::size_t{channels} * static_cast<unsigned>(height) * static_cast<unsigned>(width);
}

}  // namespace

MadeOperation make_pool(const OperationKeys& keys) {
  const Pool pool = keys.op() == "max_pool"   ? Pool::kMax
                    : keys.op() == "avg_pool" ? Pool::kAverage
                                              : Pool::kAdaptive;
  const bool adaptive = pool == Pool::kAdaptive;
  const PoolShape shape{keys.batch(), keys.size("channels"),
                        window_dim(keys, "height", "h", adaptive),
                        window_dim(keys, "width", "w", adaptive)};
  const std::size_t in = numbers(shape.channels, shape.y.size, shape.x.size);
  const std::size_t out = numbers(shape.channels, shape.y.out, shape.x.out);
  if (keys.pass() == TaskPass::kForward) {
    const Slice x = keys.tensor("x", in);
    const Slice y = keys.tensor("y", out);
    return made(
        [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_pool(stream, pool, shape, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice x = pool == Pool::kMax ? keys.tensor("x", in) : Slice{};
  const Slice y = pool == Pool::kMax ? keys.tensor("y", out) : Slice{};
  const Slice dy = keys.tensor("dy", out);
  const Target dx = required_gradient(keys, in);
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_pool_backward(stream, pool, shape, x, y, dy, dx));
  });
}

MadeOperation make_upsample(const OperationKeys& keys) {
  const UpsampleShape shape{keys.batch(),         keys.size("channels"), keys.small("height"),
                            keys.small("width"),  keys.small("scale_h"), keys.small("scale_w"),
                            keys.flag("bilinear")};
  const std::size_t in = numbers(shape.channels, shape.height, shape.width);
  const std::size_t out =
      in * static_cast<unsigned>(shape.scale_h) * static_cast<unsigned>(shape.scale_w);
  if (keys.pass() == TaskPass::kForward) {
    const Slice x = keys.tensor("x", in);
    const Slice y = keys.tensor("y", out);
    return made([=](cudaStream_t stream) { OOC_GPU_CHECK(launch_upsample(stream, shape, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", out);
  const Target dx = required_gradient(keys, in);
  return made(
      [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_upsample_backward(stream, shape, dy, dx)); });
}

MadeOperation make_slice(const OperationKeys& keys) {
  const SliceShape shape{keys.batch(),      keys.size("outer"),
                         keys.size("size"), static_cast<unsigned>(keys.small_or_zero("begin")),
                         keys.size("end"),  keys.size("inner")};
  if (shape.begin >= shape.end || shape.end > shape.size) {
    keys.fail("'begin' to 'end' is no range within 'size'");
  }
  const std::size_t in = std::size_t{shape.outer} * shape.size * shape.inner;
  const std::size_t out = std::size_t{shape.outer} * (shape.end - shape.begin) * shape.inner;
  if (keys.pass() == TaskPass::kForward) {
    const Slice x = keys.tensor("x", in);
    const Slice y = keys.tensor("y", out);
    return made([=](cudaStream_t stream) { OOC_GPU_CHECK(launch_slice(stream, shape, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", out);
  const Target dx = required_gradient(keys, in);
  return made(
      [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_slice_backward(stream, shape, dy, dx)); });
}

// Backward is the transposition back.
MadeOperation make_transpose(const OperationKeys& keys) {
  const int rank = keys.small("rank");
  if (rank > kMostDims) return cannot("transpose has 6 dimensions at most");
  unsigned dims[kMostDims];     // of x
  unsigned strides[kMostDims];  // of x
  int axes[kMostDims];
  std::size_t elements = 1;
  bool seen[kMostDims] = {};
  for (int d = 0; d < rank; ++d) {
    dims[d] = keys.size("dim" + std::to_string(d));
    elements *= dims[d];
    keys.require_countable(elements);
    axes[d] = keys.small_or_zero("axis" + std::to_string(d));
    if (axes[d] >= rank || seen[axes[d]]) keys.fail("the axes are no order of the dimensions");
    seen[axes[d]] = true;
  }
  for (int d = rank - 1, step = 1; d >= 0; step *= static_cast<int>(dims[d--])) {
    strides[d] = static_cast<unsigned>(step);
  }
  const bool forward = keys.pass() == TaskPass::kForward;
  if (!forward && keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  TransposeShape shape;
  shape.samples = keys.batch();
  shape.rank = rank;
  unsigned step = 1;  // of y
  for (int d = rank - 1; d >= 0; --d) {
    const int axis = axes[d];
    if (forward) {
      shape.dims[d] = dims[axis];
      shape.strides[d] = strides[axis];
    } else {
      shape.dims[axis] = dims[axis];
      shape.strides[axis] = step;
    }
    step *= dims[axis];
  }
  const Slice from = keys.tensor(forward ? "x" : "dy", elements);
  const Target to =
      forward ? Target{keys.tensor("y", elements), false} : required_gradient(keys, elements);
  return made(
      [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_transpose(stream, shape, from, to)); });
}

MadeOperation make_lrn(const OperationKeys& keys) {
  const ChannelShape shape{keys.batch(), keys.size("channels"), keys.size("positions")};
  const int size = keys.small("size");
  const std::size_t elements = std::size_t{shape.channels} * shape.positions;
  const Slice x = keys.tensor("x", elements);
  const Slice y = keys.tensor("y", elements);
  if (keys.pass() == TaskPass::kForward) {
    return made([=](cudaStream_t stream) { OOC_GPU_CHECK(launch_lrn(stream, shape, size, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", elements);
  const Target dx = required_gradient(keys, elements);
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_lrn_backward(stream, shape, size, x, y, dy, dx));
  });
}

}  // namespace ooc::gpu
