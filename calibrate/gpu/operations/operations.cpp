// The operations of compute=real by name. See operations.hpp.
#include "calibrate/gpu/operations/operations.hpp"

#include "calibrate/gpu/operations/makers.hpp"

namespace ooc::gpu {
namespace {

struct NamedMaker {
  const char* name;
  MadeOperation (*make)(const OperationKeys&);
};

constexpr NamedMaker kMakers[] = {
    {"conv", make_convolution},      {"conv_transpose", make_conv_transpose},
    {"linear", make_linear},         {"max_pool", make_pool},
    {"avg_pool", make_pool},         {"adaptive_avg_pool", make_pool},
    {"relu", make_activation},       {"sigmoid", make_activation},
    {"tanh", make_activation},       {"gelu", make_activation},
    {"silu", make_activation},       {"batch_norm", make_batch_norm},
    {"layer_norm", make_layer_norm}, {"lrn", make_lrn},
    {"dropout", make_dropout},       {"add", make_add},
    {"multiply", make_multiply},     {"concat", make_concat},
    {"softmax", make_softmax},       {"softmax_cross_entropy", make_softmax_cross_entropy},
    {"upsample", make_upsample},     {"slice", make_slice},
    {"transpose", make_transpose},   {"update", make_update},
};

}  // namespace

MadeOperation make_operation(const Line& step, const ReplayMemory& memory) {
  const OperationKeys keys(step, memory);
  for (const NamedMaker& maker : kMakers) {
    if (keys.op() == maker.name) return maker.make(keys);
  }
  return cannot("unknown op '" + keys.op() + "'");
}

}  // namespace ooc::gpu
