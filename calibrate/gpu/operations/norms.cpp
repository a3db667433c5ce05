// Operations with sums over channels or positions. See operations/makers.hpp.
#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/operations/makers.hpp"

namespace ooc::gpu {
namespace {

constexpr std::uint32_t kEqualSeed = 1;  // of numbers that are all equal: it does not matter

// Scale 1, shift 0.
StreamWork initialise_norm(float* w, std::size_t channels) {
  return [=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_random(stream, w, channels, kEqualSeed, 1, 1));
    OOC_GPU_CHECK(launch_random(stream, w + channels, channels, kEqualSeed, 0, 0));
  };
}

RowShape row_shape(const OperationKeys& keys) {
  const unsigned channels = keys.size("channels");
  const unsigned positions = keys.size("positions");
  keys.require_countable(std::size_t{channels} * positions);
  keys.require_countable(std::size_t{keys.batch()} * positions);
  if (keys.flag("channels_last")) return {keys.batch(), positions, channels, 1};
  return {keys.batch(), 1, channels, positions};
}

std::size_t elements_of(const RowShape& shape) {
  return std::size_t{shape.rows} * shape.length * shape.inner;
}

MadeOperation made_softmax(const OperationKeys& keys, const RowShape& shape) {
  const Slice x = keys.tensor("x", elements_of(shape));
  const Slice y = keys.tensor("y", elements_of(shape));
  return made([=](cudaStream_t stream) { OOC_GPU_CHECK(launch_softmax(stream, shape, x, y)); });
}

}  // namespace

MadeOperation make_batch_norm(const OperationKeys& keys) {
  const ChannelShape shape{keys.batch(), keys.size("channels"), keys.size("positions")};
  if (shape.channels > kMostChannels) {
    return cannot("batch_norm takes " + std::to_string(kMostChannels) + " channels at most");
  }
  keys.require_countable(std::size_t{shape.samples} * shape.positions);
  const std::size_t elements = std::size_t{shape.channels} * shape.positions;
  const std::size_t parameters = 2 * std::size_t{shape.channels};
  float* const w = keys.parameters("w", parameters);
  const Slice x = keys.tensor("x", elements);
  if (keys.pass() == TaskPass::kForward) {
    const Slice y = keys.tensor("y", elements);
    return made(
        [=](cudaStream_t stream) {
          OOC_GPU_CHECK(launch_batch_norm_forward(stream, shape, x, w, y));
        },
        initialise_norm(w, shape.channels));
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", elements);
  float* const dw = keys.parameters("dw", parameters);
  const Target dx = keys.gradient("dx", elements);
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_batch_norm_gradients(stream, shape, x, dy, w, dw, dx));
  });
}

MadeOperation make_layer_norm(const OperationKeys& keys) {
  const RowShape shape = row_shape(keys);
  const std::size_t parameters = 2 * std::size_t{shape.length};
  float* const w = keys.parameters("w", parameters);
  const Slice x = keys.tensor("x", elements_of(shape));
  if (keys.pass() == TaskPass::kForward) {
    const Slice y = keys.tensor("y", elements_of(shape));
    return made(
        [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_layer_norm(stream, shape, x, w, y)); },
        initialise_norm(w, shape.length));
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", elements_of(shape));
  float* const dw = keys.parameters("dw", parameters);
  const Target dx = keys.gradient("dx", elements_of(shape));
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_layer_norm_backward(stream, shape, x, dy, w, dw, dx));
  });
}

MadeOperation make_softmax(const OperationKeys& keys) {
  const RowShape shape = row_shape(keys);
  if (keys.pass() == TaskPass::kForward) return made_softmax(keys, shape);
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice y = keys.tensor("y", elements_of(shape));
  const Slice dy = keys.tensor("dy", elements_of(shape));
  const Target dx = keys.gradient("dx", elements_of(shape));
  if (dx.to.data == nullptr) keys.fail("'dx' is missing");
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_softmax_backward(stream, shape, y, dy, dx));
  });
}

MadeOperation make_softmax_cross_entropy(const OperationKeys& keys) {
  const RowShape shape = row_shape(keys);
  if (keys.pass() == TaskPass::kForward) return made_softmax(keys, shape);
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice y = keys.tensor("y", elements_of(shape));
  const Target dx = keys.gradient("dx", elements_of(shape));
  if (dx.to.data == nullptr) keys.fail("'dx' is missing");
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_cross_entropy_backward(stream, shape, y, dx));
  });
}

}  // namespace ooc::gpu
