// Layers in the order in which forward runs them, each with the tensor that it writes, as that order and kinds are
// what a program knows of a network that names its layers otherwise.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "reports/writers/json.hpp"
#include "reports/writers/trace.hpp"

namespace ooc {
namespace {

std::string_view action_word(TensorAction action) {
  return text_at(action, {"keep", "offload", "recompute", "keep"});
}

std::string_view role_word(TensorRole role) {
  if (role == TensorRole::kInput) return "input";
  if (role == TensorRole::kMask) return "mask";
  return role == TensorRole::kReserve ? "reserve" : "activation";
}

/// The names of a layer kind's functions in PyTorch, as a torch function mode is told them (looked up in 1.13).
std::vector<std::string> torch_functions(std::string_view kind) {
  static const std::pair<std::string_view, std::vector<std::string>> kOtherNames[] = {
      {"adaptive_avg_pool", {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"}},
      {"add", {"add", "add_", "__add__", "__iadd__"}},
      {"attention", {"scaled_dot_product_attention", "_scaled_dot_product_attention"}},
      {"avg_pool", {"avg_pool1d", "avg_pool2d", "avg_pool3d"}},
      {"concat", {"cat", "concat", "concatenate"}},
      {"conv", {"conv1d", "conv2d", "conv3d"}},
      {"conv_transpose", {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}},
      {"dropout", {"dropout", "dropout_", "dropout1d", "dropout2d", "dropout3d"}},
      {"global_avg_pool",
       {"adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "mean"}},
      {"lrn", {"local_response_norm"}},
      {"matmul", {"matmul", "bmm", "baddbmm", "__matmul__"}},
      {"max_pool", {"max_pool1d", "max_pool2d", "max_pool3d"}},
      {"multiply", {"mul", "mul_", "multiply", "multiply_", "__mul__", "__imul__"}},
      {"relu6", {"relu6", "hardtanh", "hardtanh_"}},
      {"softmax_cross_entropy", {"cross_entropy"}},
      {"upsample", {"interpolate", "upsample"}}};
  for (const auto& [name, functions] : kOtherNames) {
    if (name == kind) return functions;
  }
  return {std::string(kind), std::string(kind) + "_"};
}

/// Modules are named with dots where networks of a config.json have slashes.
std::string module_path(std::string layer) {
  std::ranges::replace(layer, '/', '.');
  return layer;
}

class PolicyWriter {
 public:
  explicit PolicyWriter(const PolicyInput& input) : in_(input) {}

  std::string write() {
    begin_result(json_, "ooc-paleo/policy", in_.tool);
    put_inputs(json_, in_.inputs);
    json_.begin_list("layers");
    for (std::size_t task = 0; task < in_.graph.forward_tasks; ++task) {
      put_layer(make_id<TaskId>(task));
    }
    json_.end();
    json_.objects("tensors", in_.policies.needed,
                  [&](const TensorPolicy& policy) { put_tensor(policy); });
    json_.begin_list("left_out");
    for (const TensorId tensor : in_.policies.left_out) json_.value(tensor_name(in_.graph, tensor));
    json_.end().end();
    return text_ + "\n";
  }

 private:
  void put_layer(TaskId task) {
    std::optional<std::string> output;
    std::optional<std::string> inner;
    for (const TensorId tensor : in_.graph.writes[task]) {
      const bool own = in_.graph.tensors[tensor.at()].role == TensorRole::kActivation;
      (own ? output : inner) = tensor_name(in_.graph, tensor);
    }
    const Layer& layer = in_.graph.network->layers[in_.graph.tasks[task.at()].layer.at()];
    json_.begin_object().member("name", layer.name).member("type", layer.kind->name);
    json_.member("output_shape", layer.model->output.dims);
    json_.member("tensor", output).member("inner", inner);
    json_.member("module", module_path(layer.name));
    json_.member("functions", torch_functions(layer.kind->name)).end();
  }

  void put_tensor(const TensorPolicy& policy) {
    const Tensor& tensor = in_.graph.tensors[policy.tensor.at()];
    json_.member("name", tensor_name(in_.graph, policy.tensor));
    json_.member("role", role_word(tensor.role));
    json_.member("bytes", in_.costs.tensor_bytes[policy.tensor.at()]);
    if (tensor.input) {
      json_.member("shape", in_.graph.network->inputs[tensor.input->at()].shape.dims);
    }
    json_.member("saved", is_saved(in_.graph, policy.tensor));
    json_.member("action", action_word(policy.action));
    json_.member("out_after", name_of(policy.out_after));
    json_.member("back_at", name_of(policy.back_at));
  }

  [[nodiscard]] std::optional<std::string> name_of(std::optional<LayerId> layer) const {
    if (!layer) return std::nullopt;
    return in_.graph.network->layers[layer->at()].name;
  }

  const PolicyInput& in_;
  std::string text_;
  JsonWriter json_{text_};
};

}  // namespace

std::string policy_json(const PolicyInput& input) { return PolicyWriter(input).write(); }

}  // namespace ooc
