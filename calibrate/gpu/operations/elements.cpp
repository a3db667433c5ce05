// Operations that work element by element. See operations/makers.hpp.
#include <algorithm>
#include <vector>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/operations/makers.hpp"

namespace ooc::gpu {
namespace {

Activation activation_of(const std::string& op) {
  if (op == "sigmoid") return Activation::kSigmoid;
  if (op == "tanh") return Activation::kTanh;
  if (op == "gelu") return Activation::kGelu;
  if (op == "silu") return Activation::kSilu;
  return Activation::kRelu;
}

std::string numbered(const char* key, std::size_t i) { return key + std::to_string(i); }

// x0, x1, … as many as there are, at least one.
std::vector<Slice> inputs_of(const OperationKeys& keys, std::size_t elements) {
  std::vector<Slice> inputs{keys.tensor("x0", elements)};
  while (keys.has(numbered("x", inputs.size()))) {
    inputs.push_back(keys.tensor(numbered("x", inputs.size()), elements));
  }
  return inputs;
}

// A part of a gradient (or of an output) and where it goes.
struct Copy {
  Batch batch;
  Slice from;
  Target to;
};

MadeOperation made_copies(std::vector<Copy> copies) {
  return made([copies = std::move(copies)](cudaStream_t stream) {
    for (const Copy& copy : copies) {
      OOC_GPU_CHECK(launch_sum(stream, copy.batch, {{copy.from}, 1}, copy.to));
    }
  });
}

// Sums of more inputs than a kernel takes are added in turns.
MadeOperation made_sum(Batch batch, const std::vector<Slice>& inputs, Slice y) {
  std::vector<Inputs> turns;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i % kMostInputs == 0) turns.emplace_back();
    turns.back().from[turns.back().count++] = inputs[i];
  }
  return made([=](cudaStream_t stream) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      OOC_GPU_CHECK(launch_sum(stream, batch, turns[i], {y, i > 0}));
    }
  });
}

}  // namespace

MadeOperation make_activation(const OperationKeys& keys) {
  const Activation kind = activation_of(keys.op());
  const Batch batch{keys.batch(), keys.size("elements")};
  const bool saves_input = kind == Activation::kGelu || kind == Activation::kSilu;
  if (keys.pass() == TaskPass::kForward) {
    const Slice x = keys.tensor("x", batch.elements);
    const Slice y = keys.tensor("y", batch.elements);
    return made(
        [=](cudaStream_t stream) { OOC_GPU_CHECK(launch_activation(stream, kind, batch, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice saved = keys.tensor(saves_input ? "x" : "y", batch.elements);
  const Slice dy = keys.tensor("dy", batch.elements);
  const Target dx = keys.gradient("dx", batch.elements);
  if (dx.to.data == nullptr) keys.fail("'dx' is missing");
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_activation_backward(stream, kind, batch, saved, dy, dx));
  });
}

MadeOperation make_dropout(const OperationKeys& keys) {
  constexpr std::uint32_t kMaskSeed = 1;  // one mask for all: a repeated task must draw the same
  const Batch batch{keys.batch(), keys.size("elements")};
  unsigned char* const mask = keys.mask(batch.elements);
  if (keys.pass() == TaskPass::kForward) {
    const Slice x = keys.tensor("x", batch.elements);
    const Slice y = keys.tensor("y", batch.elements);
    return made([=](cudaStream_t stream) {
      OOC_GPU_CHECK(launch_dropout(stream, batch, kMaskSeed, x, y, mask));
    });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", batch.elements);
  const Target dx = keys.gradient("dx", batch.elements);
  if (dx.to.data == nullptr) keys.fail("'dx' is missing");
  return made([=](cudaStream_t stream) {
    OOC_GPU_CHECK(launch_dropout_backward(stream, batch, mask, dy, dx));
  });
}

MadeOperation make_add(const OperationKeys& keys) {
  const Batch batch{keys.batch(), keys.size("elements")};
  if (keys.pass() == TaskPass::kForward) {
    return made_sum(batch, inputs_of(keys, batch.elements), keys.tensor("y", batch.elements));
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", batch.elements);
  std::vector<Copy> copies;
  // Inputs that share dy's buffer are left out, so numbers may be.
  for (std::size_t i = 0; i < 1000; ++i) {
    const Target dx = keys.gradient(numbered("dx", i), batch.elements);
    if (dx.to.data != nullptr) copies.push_back({batch, dy, dx});
  }
  return made_copies(std::move(copies));
}

MadeOperation make_concat(const OperationKeys& keys) {
  std::vector<unsigned> sizes;
  std::size_t whole = 0;
  while (keys.has(numbered("size", sizes.size()))) {
    sizes.push_back(keys.size(numbered("size", sizes.size())));
    whole += sizes.back();
  }
  if (sizes.empty()) keys.fail("'size0' is missing");
  const bool forward = keys.pass() == TaskPass::kForward;
  if (!forward && keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice all = keys.tensor(forward ? "y" : "dy", whole);
  std::vector<Copy> copies;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Batch batch{keys.batch(), sizes[i]};
    const Slice part{all.data + begin, all.stride};
    begin += sizes[i];
    if (forward) {
      copies.push_back({batch, keys.tensor(numbered("x", i), sizes[i]), {part, false}});
      continue;
    }
    const Target dx = keys.gradient(numbered("dx", i), sizes[i]);
    if (dx.to.data != nullptr) copies.push_back({batch, part, dx});
  }
  return made_copies(std::move(copies));
}

MadeOperation make_multiply(const OperationKeys& keys) {
  const ChannelShape shape{keys.batch(), keys.size("channels"), keys.size("positions")};
  const std::size_t elements = std::size_t{shape.channels} * shape.positions;
  keys.require_countable(elements);
  Inputs x;
  x.spread = static_cast<unsigned>(keys.small_or_zero("spread"));
  const auto size_of = [&](int i) {
    return (x.spread >> i & 1U) != 0 ? std::size_t{shape.channels} : elements;
  };
  for (; keys.has(numbered("x", static_cast<std::size_t>(x.count))); ++x.count) {
    if (x.count == kMostInputs) return cannot("multiply takes 8 inputs at most");
    x.from[x.count] =
        keys.tensor(numbered("x", static_cast<std::size_t>(x.count)), size_of(x.count));
  }
  if (x.count == 0) keys.fail("'x0' is missing");
  if (keys.pass() == TaskPass::kForward) {
    const Slice y = keys.tensor("y", elements);
    return made([=](cudaStream_t stream) { OOC_GPU_CHECK(launch_multiply(stream, shape, x, y)); });
  }
  if (keys.pass() != TaskPass::kBackward) keys.refuse_pass();
  const Slice dy = keys.tensor("dy", elements);
  std::vector<std::pair<int, Target>> gradients;
  for (int i = 0; i < x.count; ++i) {
    const Target dx = keys.gradient(numbered("dx", static_cast<std::size_t>(i)), size_of(i));
    if (dx.to.data != nullptr) gradients.emplace_back(i, dx);
  }
  return made([=](cudaStream_t stream) {
    for (const auto& [of, dx] : gradients) {
      OOC_GPU_CHECK(launch_multiply_backward(stream, shape, x, of, dy, dx));
    }
  });
}

MadeOperation make_update(const OperationKeys& keys) {
  const std::size_t count = keys.size("parameters");
  const std::string optimizer = keys.text("optimizer");
  float* const w = keys.parameters("w", count);
  const float* const dw = keys.parameters("dw", count);
  if (optimizer != "sgd" && optimizer != "momentum" && optimizer != "adam") {
    keys.fail("'optimizer': found '" + optimizer + "', expected sgd, momentum or adam");
  }
  const Update update = optimizer == "sgd"        ? Update::kSgd
                        : optimizer == "momentum" ? Update::kMomentum
                                                  : Update::kAdam;
  const std::size_t states = update == Update::kSgd ? 0 : update == Update::kMomentum ? 1 : 2;
  float* const state = states == 0 ? nullptr : keys.parameters("state", states * count);
  return made(
      [=, step = std::int64_t{0}](cudaStream_t stream) mutable {
        OOC_GPU_CHECK(launch_update(stream, update, count, ++step, w, dw, state));
      },
      [=](cudaStream_t stream) {
        if (states == 0) return;
        OOC_GPU_CHECK(cudaMemsetAsync(state, 0, states * count * sizeof(float), stream));
      });
}

}  // namespace ooc::gpu
