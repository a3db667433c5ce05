// A Network keeps what layers cost, not their windows: those are read again from where each layer
// stands in the file, by the readers that the layer kinds use.
#include "cli/calibrate/network_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/layers/convolution.hpp"
#include "model/layers/window.hpp"
#include "model/network/layer_tree.hpp"
#include "model/network/network_json.hpp"
#include "model/network/unroll.hpp"
#include "simulator/predict/case.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kLargestKernelBytes = std::int64_t{1} << 30;

std::string text(std::int64_t number) { return std::to_string(number); }

class Collector {
 public:
  Collector(const Network& network, std::int64_t batch) : network_(network), batch_(batch) {}

  void take(const Layer& layer, const SpecView& spec) {
    if (layer.inputs.empty()) return;  // free parameters: nothing is computed
    const TensorShape& input = shape_of(layer.inputs.front());
    if (layer.kind->name == "conv") return convolution(layer, spec, input);
    if (layer.kind->name == "linear") return linear(layer, input);
    kernel(layer, input);
  }

  NetworkRequests finish() {
    for (const auto& [what, count] : skipped_) {
      result_.left_out.push_back(fmt::format("{} {}", count, what));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const TensorShape& shape_of(const Producer& producer) const {
    if (const auto* input = std::get_if<InputId>(&producer)) {
      return network_.inputs[input->at()].shape;
    }
    return network_.layers[std::get<LayerId>(producer).at()].model->output;
  }

  void add(KeyValues keys) {
    auto& all = result_.requests;
    if (std::find(all.begin(), all.end(), keys) == all.end()) all.push_back(std::move(keys));
  }

  [[nodiscard]] std::string dtype() const { return std::string(dtype_info(network_.dtype).name); }

  void convolution(const Layer& layer, const SpecView& spec, const TensorShape& input) {
    if (input.dims.size() != 3) {
      ++skipped_["convolutions that are not in 2-D"];
      return;
    }
    if (network_.dtype == Dtype::kBfloat16 || network_.dtype == Dtype::kFloat64) {
      ++skipped_["convolutions in " + dtype() + ", which are not measured"];
      return;
    }
    const Window window = read_window(spec, input, {});
    const ConvolutionChannels channels = read_channels(spec, input);
    const std::optional<std::int64_t> pad_h = padding(window, 0, input, layer.model->output);
    const std::optional<std::int64_t> pad_w = padding(window, 1, input, layer.model->output);
    if (!pad_h || !pad_w) {
      ++skipped_["convolutions whose padding differs from side to side"];
      return;
    }
    for (const char* pass : {"forward", "backward_data", "backward_weights"}) {
      add({{"what", "layer"},
           {"kind", "conv"},
           {"pass", pass},
           {"dtype", dtype()},
           {"batch", text(batch_)},
           {"channels", text(input.dims[0])},
           {"height", text(input.dims[1])},
           {"width", text(input.dims[2])},
           {"filters", text(channels.filters)},
           {"kernel_h", text(window.dims[0].kernel)},
           {"kernel_w", text(window.dims[1].kernel)},
           {"stride_h", text(window.dims[0].stride)},
           {"stride_w", text(window.dims[1].stride)},
           {"pad_h", text(*pad_h)},
           {"pad_w", text(*pad_w)},
           {"dilation_h", text(window.dims[0].dilation)},
           {"dilation_w", text(window.dims[1].dilation)},
           {"groups", text(channels.groups)}});
    }
  }

  /// On each side, where both sides have the same: cuDNN knows no other. "same" needs one more at the
  /// end for some sizes.
  static std::optional<std::int64_t> padding(const Window& window, std::size_t dim,
                                             const TensorShape& input, const TensorShape& output) {
    if (window.rule == PaddingRule::kNumbers) return window.dims[dim].padding;
    if (window.rule == PaddingRule::kValid) return 0;
    const std::int64_t covered = (output.dims[dim + 1] - 1) * window.dims[dim].stride +
                                 static_cast<std::int64_t>(window.dims[dim].extent());
    const std::int64_t missing = std::max<std::int64_t>(0, covered - input.dims[dim + 1]);
    if (missing % 2 != 0) return std::nullopt;
    return missing / 2;
  }

  void linear(const Layer& layer, const TensorShape& input) {
    if (network_.dtype == Dtype::kFloat64) return;
    const std::int64_t width = input.dims.back();
    const std::int64_t rows = batch_ * input.elements().value_or(width) / width;
    add({{"what", "gemm"},
         {"dtype", dtype()},
         {"m", text(layer.model->output.dims.back())},
         {"n", text(rows)},
         {"k", text(width)}});
  }

  void kernel(const Layer& layer, const TensorShape& input) {
    static const std::map<std::string_view, std::string_view> kKernels{
        {"relu", "relu"}, {"add", "add"}, {"batch_norm", "batch_norm"}, {"max_pool", "max_pool"}};
    const auto found = kKernels.find(layer.kind->name);
    if (found == kKernels.end()) return;
    // The kernels are float32's; what counts is the traffic.
    const std::int64_t elements = input.elements().value_or(0);
    if (elements <= 0 || elements > kLargestKernelBytes / 4 / batch_) return;
    const std::string bytes = text(4 * elements * batch_);
    add({{"what", "kernel"}, {"name", std::string(found->second)}, {"bytes", bytes}});
    if (found->second == "add") return;
    add({{"what", "kernel"}, {"name", std::string(found->second) + "_backward"}, {"bytes", bytes}});
  }

  const Network& network_;
  std::int64_t batch_;
  NetworkRequests result_;
  std::map<std::string, int> skipped_;
};

}  // namespace

NetworkRequests network_requests(const std::string& path, std::int64_t batch,
                                 std::optional<Dtype> dtype, const ReadLimits& limits) {
  const NetworkOptions options{.limits = limits, .dtype = dtype};
  const SpecDocument document = read_network_document(path, options);
  const Network network = read_network(document, options);
  const SpecView root(document);
  InputNames names;
  for (const NetworkInput& input : network.inputs) names.push_back(input.name);
  const LayerTree tree = read_layer_tree(root.get("layers"), names);
  const UnrolledLayers unrolled = unroll(tree);
  Collector collector(network, batch);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    collector.take(network.layers[i], unrolled.entries[i]->spec);
  }
  return collector.finish();
}

std::int64_t batch_in_file(const std::string& path, const ReadLimits& limits) {
  return batch_of({}, read_network_file(path, {.limits = limits}));
}

}  // namespace ooc
