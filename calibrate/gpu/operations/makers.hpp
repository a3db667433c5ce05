// Makes operations from their keys, one function per name or family of names; operations.cpp has the table.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "calibrate/gpu/operations/operations.hpp"
#include "calibrate/gpu/operations/keys.hpp"

namespace ooc::gpu {

using StreamWork = std::function<void(cudaStream_t)>;

// An operation of two functions.
class FunctionOperation final : public Operation {
 public:
  FunctionOperation(StreamWork run, StreamWork initialise)
      : run_(std::move(run)), initialise_(std::move(initialise)) {}
  void initialise(cudaStream_t stream) override {
    if (initialise_) initialise_(stream);
  }
  void run(cudaStream_t stream) override { run_(stream); }

 private:
  StreamWork run_;
  StreamWork initialise_;
};

inline MadeOperation made(StreamWork run, StreamWork initialise = {}) {
  return {std::make_unique<FunctionOperation>(std::move(run), std::move(initialise)), ""};
}

inline MadeOperation cannot(std::string missing) { return {nullptr, std::move(missing)}; }

// operations/elements.cpp
MadeOperation make_activation(const OperationKeys& keys);
MadeOperation make_dropout(const OperationKeys& keys);
MadeOperation make_add(const OperationKeys& keys);
MadeOperation make_multiply(const OperationKeys& keys);
MadeOperation make_concat(const OperationKeys& keys);
MadeOperation make_update(const OperationKeys& keys);

// operations/images.cpp
MadeOperation make_pool(const OperationKeys& keys);
MadeOperation make_upsample(const OperationKeys& keys);
MadeOperation make_slice(const OperationKeys& keys);
MadeOperation make_transpose(const OperationKeys& keys);
MadeOperation make_lrn(const OperationKeys& keys);

// operations/norms.cpp
MadeOperation make_batch_norm(const OperationKeys& keys);
MadeOperation make_layer_norm(const OperationKeys& keys);
MadeOperation make_softmax(const OperationKeys& keys);
MadeOperation make_softmax_cross_entropy(const OperationKeys& keys);

// operations/weights.cpp
MadeOperation make_convolution(const OperationKeys& keys);
MadeOperation make_conv_transpose(const OperationKeys& keys);
MadeOperation make_linear(const OperationKeys& keys);

}  // namespace ooc::gpu
