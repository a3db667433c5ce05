// Views (Reshape, Transpose) cost nothing, as in PyTorch, until a Reshape cannot be a view: then a copy in another order,
// written as a transpose of as many bytes. So strides are followed beside shapes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/base/errors.hpp"
#include "model/base/json_writer.hpp"
#include "model/base/named.hpp"
#include "model/layers/attributes.hpp"
#include "model/onnx/onnx_model.hpp"

namespace ooc {
namespace {

using Weights = std::set<std::string>;

/// A tensor as layers know it: the layer that made it and its shape there; or the weights that it is made of; or neither.
struct Value {
  int layer = -1;
  OnnxDims shape = {};
  Weights weights = {};
};
using Made = std::optional<Value>;  ///< unset: no kind expresses the node

struct OnnxLayer {
  std::string name;
  std::string_view kind;  ///< empty: an input of the network
  std::vector<int> inputs;
  std::string fields;
};

OnnxDims contiguous(const OnnxDims& dims) {
  OnnxDims strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

/// Strides of the same memory seen with other dims; unset: it must be copied.
std::optional<OnnxDims> viewed(const OnnxDims& dims, const OnnxDims& strides, const OnnxDims& as) {
  OnnxDims made(as.size(), 1);
  std::size_t at = as.size();
  std::int64_t chunk = 1, base = strides.empty() ? 1 : strides.back(), filled = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {
    chunk *= dims[d];
    if (d > 0 && (dims[d - 1] == 1 || strides[d - 1] == chunk * base)) continue;
    for (; at > 0 && (filled < chunk || as[at - 1] == 1); filled *= as[--at]) made[at - 1] = filled * base;
    if (filled != chunk) return std::nullopt;
    if (d > 0) base = strides[d - 1];
    chunk = filled = 1;
  }
  return at == 0 ? std::optional(made) : std::nullopt;
}

class Translation {
 public:
  Translation(const OnnxModel& model, const OnnxShapes& shapes) : model_(model), shapes_(shapes) {}

  TranslatedNetwork translate() {
    for (const auto& [name, weight] : model_.weights) {
      if (is_floating(weight.type) && !weight.dims.empty()) values_[name].weights = {name};
    }
    for (const OnnxNode& node : model_.nodes) modules_.insert(path_of(node));
    for (const OnnxValue& input : model_.inputs) {
      const Value value{.layer = add_layer(input.name, ""), .shape = sample(input.name)};
      layers_.back().fields = fmt::format(R"("shape": {})", text(value.shape));
      (is_floating(input.type) ? values_[input.name] : integers_.emplace_back()) = value;
    }
    for (const OnnxNode& node : model_.nodes) {
      node_ = &node;
      if (!node.outputs.empty() && shapes_.one.contains(out())) step();
    }
    node_ = nullptr;
    return document();
  }

 private:
  // Names and layers

  /// Path of the module that a node is in, from names as PyTorch writes them: /layer1/layer1.0/conv1/Conv.
  static std::string path_of(const OnnxNode& node) {
    std::string path, before;
    const std::string name = node.name.substr(0, 180) + '/';
    for (std::size_t begin = 0, end = 0; (end = name.find('/', begin)) != std::string::npos; begin = end + 1) {
      const std::string part = name.substr(begin, end - begin);
      if (part.empty() || (end + 1 == name.size() && std::isupper(static_cast<unsigned char>(part[0])) != 0)) continue;
      if (!before.empty() && part.starts_with(before + '.')) path.resize(path.size() - before.size());
      path += (path.empty() || path.ends_with('.') ? "" : ".") + part;
      before = part;
    }
    return path;
  }

  int add_layer(std::string name, std::string_view kind, std::vector<int> inputs = {}, std::string fields = {}) {
    std::ranges::replace(name, '/', '.');
    if (name.empty() || name.front() == '@') name.insert(0, "_");
    name.resize(std::min<std::size_t>(name.size(), 180));
    std::string unique = name;
    for (int i = 1; !names_.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
    layers_.push_back({unique, kind, std::move(inputs), std::move(fields)});
    return static_cast<int>(std::ssize(layers_)) - 1;
  }

  /// A layer called after its module, where it is the module.
  Value add(std::string_view kind, const std::vector<Value>& sources, OnnxDims shape, std::string fields = {}) {
    const std::string path = node_ == nullptr ? "" : path_of(*node_);
    const auto below = modules_.lower_bound(path + '.');
    const bool is_leaf = below == modules_.end() || !below->starts_with(path + '.');
    const bool alone = is_leaf && !is_one_of(kind, {"reshape", "transpose", "slice", "parameter", "custom"});
    std::vector<int> inputs;
    for (const Value& each : sources) inputs.push_back(each.layer);
    if (shape.empty()) shape.push_back(1);
    const std::string name = path.empty() ? std::string(kind) : alone ? path : fmt::format("{}.{}", path, kind);
    return {.layer = add_layer(name, kind, std::move(inputs), std::move(fields)), .shape = std::move(shape)};
  }

  // Tensors

  [[nodiscard]] const std::string& in(std::size_t i) const { return node_->inputs.at(i); }
  [[nodiscard]] const std::string& out() const { return node_->outputs.front(); }
  [[nodiscard]] bool has(std::size_t i) const { return i < node_->inputs.size() && !in(i).empty(); }
  [[nodiscard]] const OnnxDims& dims(const std::string& name) const { return shapes_.one.at(name).dims; }
  [[nodiscard]] const OnnxDims& others(const std::string& name) const { return shapes_.other.at(name).dims; }
  [[nodiscard]] bool floats(const std::string& name) const { return is_floating(shapes_.one.at(name).type); }
  [[nodiscard]] Value value(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Value{} : found->second;
  }
  [[nodiscard]] Weights weights(std::size_t i) const { return has(i) ? value(in(i)).weights : Weights{}; }
  [[nodiscard]] std::optional<OnnxNumbers> numbers(std::string_view attribute, std::size_t at) const {
    return numbers_of(*node_, shapes_.one, attribute, at);
  }
  [[nodiscard]] OnnxDims strides(const std::string& name) const {
    const auto found = strides_.find(name);
    return found != strides_.end() ? found->second : contiguous(others(name));
  }

  /// Shape of one sample: a dimension of k batches counts k, the batch alone is left out; at least one dimension.
  [[nodiscard]] OnnxDims sample(const std::string& name) const {
    OnnxDims shape;
    int growing = 0;
    for (std::size_t d = 0; d < dims(name).size(); ++d) {
      const std::int64_t a = dims(name)[d], b = others(name)[d];
      growing += a != b ? 1 : 0;
      if (growing > 1 || (a != b && Int128{a} * shapes_.other_batch != Int128{b} * shapes_.batch)) {
        throw SpecError({model_.file, "tensor " + in_quotes(name), "a shape that does not grow with the batch",
                         "samples that do not meet", "export the network without its loss, the batch first"});
      }
      if (a == b || a != shapes_.batch) shape.push_back(a == b ? a : a / shapes_.batch);
    }
    if (shape.empty()) shape.push_back(1);
    return shape;
  }
  /// Number of a dimension within a sample; unset for one that grows with the batch.
  [[nodiscard]] std::optional<std::size_t> axis(const std::string& name, std::size_t at) const {
    std::size_t count = 0;
    for (std::size_t d = 0; d < at; ++d) count += dims(name)[d] != others(name)[d] && dims(name)[d] == shapes_.batch ? 0U : 1U;
    return dims(name)[at] == others(name)[at] ? std::optional(count) : std::nullopt;
  }
  /// The axis that the node names, from the front.
  [[nodiscard]] std::size_t main_axis(const std::string& name, std::int64_t otherwise = 0) const {
    const std::int64_t rank = std::max<std::int64_t>(1, std::ssize(dims(name)));
    return static_cast<std::size_t>((node_->integer("axis", otherwise) + rank) % rank);
  }

  Made reshaped(const Value& from, OnnxDims shape) {
    if (shape.empty()) shape.push_back(1);
    if (from.layer < 0 || elements(from.shape) != elements(shape)) return std::nullopt;
    if (from.shape == shape) return from;
    Value& made = reshapes_[{from.layer, shape}];
    if (made.layer < 0) made = add("reshape", {from}, shape, fmt::format(R"("shape": {})", text(shape)));
    return made;
  }
  Made shaped(std::size_t i) { return reshaped(value(in(i)), sample(in(i))); }

  /// Number of weights in `sets`, which are the next layer's; unset: some are another layer's already.
  std::optional<std::int64_t> own(std::initializer_list<Weights> sets) {
    Weights all;
    for (const Weights& each : sets) all.insert(each.begin(), each.end());
    std::int64_t count = 0;
    for (const std::string& each : all) {
      if (counted_.contains(each)) return std::nullopt;
      count += elements(model_.weights.at(each).dims);
    }
    counted_.insert(all.begin(), all.end());
    return count;
  }

  /// An operand of that shape; a free weight, which may be spread over the batch, becomes a layer.
  Made source(const std::string& name, const OnnxDims& shape) {
    const Value found = value(name);
    if (found.layer >= 0 || found.weights.empty()) return reshaped(found, shape);
    const std::int64_t size = elements(dims(name));
    const bool fits = size == elements(shape) || size == shapes_.batch * elements(shape);
    if (!fits || own({found.weights}) != elements(shape)) return std::nullopt;
    return add("parameter", {}, shape, fmt::format(R"("shape": {})", text(shape)));
  }
  std::optional<std::vector<Value>> sources(const OnnxDims& shape, std::optional<std::size_t> concat = {}) {
    std::vector<Value> made;
    for (const std::string& name : node_->inputs) {
      OnnxDims own_shape = shape;
      if (concat) own_shape[*axis(out(), *concat)] = dims(name)[*concat];
      const Made each = source(name, own_shape);
      if (!each) return std::nullopt;
      made.push_back(*each);
    }
    return made;
  }

  // Nodes

  void step() {
    const std::string_view op = node_->op;
    Value constant;
    bool has_layer = false;
    for (const std::string& name : node_->inputs) {
      const Value each = value(name);
      has_layer = has_layer || each.layer >= 0;
      constant.weights.insert(each.weights.begin(), each.weights.end());
    }
    const bool embeds = op == "Gather" && !weights(0).empty() && numbers_of_words() != nullptr;
    if ((!has_layer && !embeds) || !floats(out())) {
      for (const std::string& name : node_->outputs) values_[name] = has_layer || !floats(out()) ? Value{} : constant;
    } else if (is_one_of(op, {"Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand"})) {
      view();
    } else if (is_one_of(op, {"Slice", "Split"}) || (op == "Gather" && !embeds)) {
      parts();
    } else {
      std::set<std::string> moved(node_->inputs.begin(), node_->inputs.end());
      moved.insert(out());
      moved.erase("");
      for (const std::string& name : moved) work_ += floats(name) ? elements(sample(name)) : 0;
      const Made made = by_kind();
      values_[out()] = made ? *made : stated();
      if (is_one_of(op, {"LSTM", "GRU"}) && made) last_state(*made);
    }
  }

  void view() {
    values_[out()] = value(in(0));
    OnnxDims own = strides(in(0));
    if (node_->op == "Transpose") {
      OnnxDims order = node_->integers("perm");
      while (order.size() < own.size()) order.push_back(std::ssize(own) - 1 - std::ssize(order));
      OnnxDims& made = strides_[out()];
      for (const std::int64_t d : order) made.push_back(own[static_cast<std::size_t>((d + std::ssize(own)) % std::ssize(own))]);
    } else if (node_->op == "Expand") {
      own.insert(own.begin(), others(out()).size() - own.size(), 0);
      strides_[out()] = std::move(own);
    } else if (strides_.contains(in(0))) {
      auto same = viewed(others(in(0)), own, others(out()));
      same ? void(strides_[out()] = *std::move(same)) : void(values_[out()] = copied(in(0)));
    }
  }

  /// A copy in another order.
  Value copied(const std::string& name) {
    OnnxDims shape = sample(name);
    if (shape.size() < 2) shape.insert(shape.begin(), 1);
    OnnxDims swapped = shape, axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(swapped[0], swapped[1]);
    std::swap(axes[0], axes[1]);
    const Made from = reshaped(value(name), swapped);
    return from ? add("transpose", {*from}, shape, fmt::format(R"("axes": {})", text(axes))) : stated();
  }
  /// Copies an operand that cannot be seen as matrices behind each other.
  void flatten(const std::string& name, const OnnxDims& as) {
    if (!strides_.contains(name) || viewed(others(name), strides(name), as)) return;
    values_[name] = copied(name);
    strides_.erase(name);
  }

  /// Slices, where Slice, Split and Gather leave something out.
  void parts() {
    const std::string& from = in(0);
    const bool is_one = node_->op == "Gather";
    const std::size_t main = main_axis(from), rank = dims(from).size();
    const auto begins = numbers("starts", 1), axes = numbers("axes", 3), steps = numbers("steps", 4);
    const auto index = is_one ? numbers("", 1) : std::nullopt;
    const bool plain = is_one ? index && index->size() == 1 : !steps || *steps == OnnxNumbers(steps->size(), 1);
    double at = 0;
    for (const std::string& name : node_->outputs) {
      Made made = plain ? Made(value(from)) : std::nullopt;
      OnnxDims sizes = dims(name), shape = sample(from), own = strides(from);
      if (is_one && sizes.size() < rank) sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(main), 1);
      for (std::size_t d = 0; d < rank && made; ++d) {
        if (dims(from)[d] == sizes[d]) continue;
        double begin = is_one ? index->front() : at;
        for (std::size_t i = 0; node_->op == "Slice" && i < begins->size(); ++i) {
          const double axis = axes && i < axes->size() ? (*axes)[i] : static_cast<double>(i);
          if (axis + (axis < 0 ? static_cast<double>(rank) : 0) == static_cast<double>(d)) begin = (*begins)[i];
        }
        const auto first = static_cast<std::int64_t>(begin < 0 ? std::max(begin + static_cast<double>(dims(from)[d]), 0.0) : begin);
        const auto within = axis(from, d);
        made = within ? reshaped(*made, shape) : std::nullopt;
        if (!made) break;
        shape[*within] = sizes[d];
        made = add("slice", {*made}, shape, fmt::format(R"("axis": {}, "begin": {}, "end": {})", *within, first, first + sizes[d]));
      }
      at += static_cast<double>(sizes[std::min(main, sizes.size() - 1)]);
      values_[name] = made ? *made : stated(true, name);
      if (is_one && dims(name).size() < rank) own.erase(own.begin() + static_cast<std::ptrdiff_t>(main));
      if (made) strides_[name] = std::move(own);
    }
  }

  /// A custom layer for the present node; `still`: a view that no kind has.
  Value stated(bool still = false, std::string to = {}) {
    if (to.empty()) to = out();
    const std::int64_t products = still ? 0 : multiplications(), written = still ? 0 : elements(sample(to));
    std::int64_t read = 0;
    bool with_constant = false;
    std::vector<Value> from;
    std::set<int> used;
    Weights fresh;
    for (const std::string& name : std::set<std::string>(node_->inputs.begin(), node_->inputs.end())) {
      const Value each = value(name);
      fresh.insert(each.weights.begin(), each.weights.end());
      with_constant = with_constant || (each.layer < 0 && each.weights.empty());
      if (each.layer < 0) continue;
      read += still ? 0 : std::min(elements(sample(name)), elements(each.shape));
      if (used.insert(each.layer).second) from.push_back(each);
    }
    std::erase_if(fresh, [&](const std::string& each) { return counted_.contains(each); });
    const std::int64_t count = *own({fresh}), flops = products > 0 ? 2 * products : written;
    const Value made = add("custom", from, sample(to), fmt::format(
        R"("output_shape": {}, "forward_flops": {}, "forward_elements": {}, "backward_flops": {}, "backward_elements": {}, )"
        R"("saves": "{}", "parameters": {}, "forward_macs": {})", text(sample(to)), flops, read + written,
        products > 0 ? 2 * flops : written, read + 2 * written, still ? "none" : saved(with_constant), count, products));
    if (!still) custom_.emplace_back(made.layer, node_->op, read + written);
    return made;
  }

  /// What backward reads of an operator without a kind, as PyTorch's formulas have it.
  [[nodiscard]] std::string_view saved(bool with_constant) const {
    const std::string_view op = node_->op;
    const bool linear = is_one_of(op, {"Add", "Sub", "Neg", "Sum", "Mean", "ReduceMean", "ReduceSum", "Pad", "Concat", "Gather",
                                   "Where", "Resize", "Tile", "CumSum", "Floor", "Round", "DepthToSpace", "SpaceToDepth"});
    if (linear || (with_constant && is_one_of(op, {"Mul", "Div"}))) return "none";
    return is_one_of(op, {"Sqrt", "Exp", "Reciprocal", "LogSoftmax", "Selu"})          ? "output"
           : is_one_of(op, {"ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp"}) ? "both" : "input";
  }

  [[nodiscard]] std::int64_t multiplications() const {
    const bool forward = node_->op == "Conv";
    if (forward || node_->op == "ConvTranspose") {
      return elements(sample(forward ? out() : in(0))) * (elements(dims(in(1))) / dims(in(1))[0]);
    }
    const bool letters = node_->op == "Einsum" && node_->inputs.size() == 2;
    if (!letters && !is_one_of(node_->op, {"MatMul", "Gemm"})) return 0;
    std::string equation = letters ? node_->text("equation") : "";
    std::erase(equation, ' ');
    std::int64_t inner = letters ? 1 : node_->integer("transA", 0) != 0 ? dims(in(0)).front() : dims(in(0)).back();
    for (std::size_t d = 0; d < std::min(equation.size(), dims(in(0)).size()); ++d) {  // letters that the result has not
      if (equation.find(equation[d], equation.find("->")) == std::string::npos) inner *= dims(in(0))[d];
    }
    if (letters && inner == 1) return 0;
    return static_cast<std::int64_t>(std::min(Int128{elements(sample(out()))} * inner, Int128{kMaxSize}));
  }

  // Kinds

  Made by_kind() {
    using Self = Translation;
    static const std::map<std::string_view, Made (Self::*)()> kKinds = {
        {"Conv", &Self::conv}, {"ConvTranspose", &Self::conv}, {"Gemm", &Self::gemm}, {"MatMul", &Self::matmul},
        {"BatchNormalization", &Self::norm}, {"InstanceNormalization", &Self::norm}, {"LayerNormalization", &Self::norm},
        {"RMSNormalization", &Self::norm}, {"GroupNormalization", &Self::norm}, {"MaxPool", &Self::pool},
        {"AveragePool", &Self::pool}, {"GlobalAveragePool", &Self::mean}, {"ReduceMean", &Self::mean},
        {"Gather", &Self::embedding}, {"Add", &Self::sum}, {"Sum", &Self::sum}, {"Mul", &Self::multiply},
        {"Concat", &Self::concat}, {"Dropout", &Self::dropout}, {"Resize", &Self::upsample},
        {"ooc.Attention", &Self::attention}, {"LSTM", &Self::recurrent}, {"GRU", &Self::recurrent}};
    static const std::map<std::string_view, std::string_view> kAlike = {
        {"Relu", "relu"}, {"LeakyRelu", "leaky_relu"}, {"Elu", "elu"}, {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"},
        {"HardSwish", "hardswish"}, {"HardSigmoid", "hardsigmoid"}, {"Gelu", "gelu"}, {"Silu", "silu"},
        {"QuickGelu", "gelu"}, {"Relu6", "relu6"}, {"Softmax", "softmax"}};
    if (const auto found = kKinds.find(node_->op); found != kKinds.end()) return (this->*found->second)();
    const auto found = kAlike.find(node_->op);
    const Made from = found == kAlike.end() ? std::nullopt : shaped(0);
    if (!from) return std::nullopt;
    return add(found->second, {*from}, sample(out()), node_->op == "QuickGelu" ? R"("form": "quick_gelu")" : "");
  }

  /// Fields of a window; unset: its padding has no words.
  [[nodiscard]] std::optional<std::string> window(const OnnxDims& kernel, const OnnxDims& usual_stride) const {
    std::string fields = fmt::format(R"("kernel": {})", text(kernel));
    OnnxDims pads = node_->integers("pads"), stride = node_->integers("strides");
    const OnnxDims ones(kernel.size(), 1), dilation = node_->integers("dilations");
    if (stride.empty()) stride = ones;
    if (stride != usual_stride) fields += fmt::format(R"(, "stride": {})", text(stride));
    if (!dilation.empty() && dilation != ones) fields += fmt::format(R"(, "dilation": {})", text(dilation));
    bool same = node_->op != "ConvTranspose";  // in effect, if not by name
    for (std::size_t d = 0; d < kernel.size(); ++d) {
      same = same && dims(out())[d + 2] == (dims(in(0))[d + 2] + stride[d] - 1) / stride[d];
    }
    const OnnxDims begin(pads.begin(), pads.begin() + std::ssize(pads) / 2), end(pads.begin() + std::ssize(pads) / 2, pads.end());
    if (node_->text("auto_pad").starts_with("SAME") || (begin != end && same)) return fields + R"(, "padding": "same")";
    if (begin != end) return std::nullopt;
    const bool none = std::ranges::count(begin, 0) == std::ssize(begin);
    return none ? fields : fields + fmt::format(R"(, "padding": {})", text(begin));
  }

  Made conv() {
    const bool back = node_->op == "ConvTranspose";
    const OnnxDims w = dims(in(1)), kernel(w.begin() + 2, w.end());
    const OnnxDims more = node_->integers("output_padding");
    const auto fields = window(kernel, OnnxDims(kernel.size(), 1));
    const Made from = shaped(0);
    const bool fits = from && fields && std::ranges::count(more, 0) == std::ssize(more);
    if (!fits || weights(1).empty() || from->shape.size() + 1 != w.size() || !own({weights(1), weights(2)})) return std::nullopt;
    const std::int64_t groups = node_->integer("group", 1);
    return add(back ? "conv_transpose" : "conv", {*from}, sample(out()),
               fmt::format(R"("filters": {}, {}{}{})", back ? w[1] * groups : w[0], *fields,
                           groups == 1 ? "" : fmt::format(R"(, "groups": {})", groups), has(2) ? "" : kNoBias));
  }

  Made linear(std::int64_t features, std::int64_t units, std::size_t bias) {
    const Weights keys = weights(1);
    const std::int64_t rows = elements(sample(in(0))) / features;
    if (rows > 1) flatten(in(0), {elements(others(in(0))) / features, features});
    const Made from = reshaped(value(in(0)), rows > 1 ? OnnxDims{rows, features} : OnnxDims{features});
    const auto table = tables_.find(keys);
    if (!from || (table == tables_.end() && own({keys}) != units * features)) return std::nullopt;
    const std::string tied = table == tables_.end() ? "" : fmt::format(R"(, "tied_to": {})", json_string(table->second));
    const bool has_bias = has(bias) && own({weights(bias)});
    Value made = add("linear", {*from}, rows > 1 ? OnnxDims{rows, units} : OnnxDims{units},
                     fmt::format(R"("units": {}{}{})", units, tied, has_bias ? "" : kNoBias));
    tables_.emplace(keys, layers_.back().name);
    return made;
  }

  Made gemm() {
    const OnnxDims& w = dims(in(1));
    const std::size_t inner = node_->integer("transB", 0) != 0 ? 1 : 0;
    const bool plain = node_->integer("transA", 0) == 0 && node_->number("alpha", 1) == 1 && node_->number("beta", 1) == 1;
    if (!plain || weights(1).empty() || (has(2) && weights(2).empty())) return std::nullopt;
    return linear(w[inner], w[1 - inner], 2);
  }

  Made matmul() {
    const OnnxDims a = dims(in(0)), b = dims(in(1));
    if (!weights(1).empty()) return b.size() == 2 ? linear(b[0], b[1], 2) : std::nullopt;
    if (b.size() < 2 || a.size() < 2) return std::nullopt;
    const std::int64_t rows = a[a.size() - 2], inner = a.back(), columns = b.back();
    const std::int64_t count = elements(sample(out())) / (rows * columns);
    const auto front = [&](OnnxDims matrix) {
      if (count > 1) matrix.insert(matrix.begin(), count);
      return matrix;
    };
    for (const std::size_t i : {0U, 1U}) {
      const OnnxDims& own = others(in(i));
      const OnnxDims matrix(own.end() - 2, own.end());
      if (own.size() > 3) flatten(in(i), {elements(own) / elements(matrix), matrix[0], matrix[1]});
    }
    const Made left = reshaped(value(in(0)), front({rows, inner}));
    const Made right = left ? reshaped(value(in(1)), front({inner, columns})) : std::nullopt;
    return right ? Made(add("matmul", {*left, *right}, front({rows, columns}))) : std::nullopt;
  }

  Made norm() {
    static const std::map<std::string_view, std::string_view> kNames = {
        {"BatchNormalization", "batch_norm"}, {"InstanceNormalization", "instance_norm"}, {"LayerNormalization", "layer_norm"},
        {"RMSNormalization", "rms_norm"}, {"GroupNormalization", "group_norm"}};
    const std::string_view kind = kNames.at(node_->op);
    OnnxDims shape = sample(out());
    if (is_one_of(kind, {"layer_norm", "rms_norm"})) {
      const auto first = dims(in(0)).begin() + static_cast<std::ptrdiff_t>(main_axis(in(0), -1));
      const std::int64_t width = elements(OnnxDims(first, dims(in(0)).end())), rows = elements(shape) / width;
      shape = rows > 1 ? OnnxDims{rows, width} : OnnxDims{width};
    }
    const Made from = reshaped(value(in(0)), shape);
    const bool plain = kind == "instance_norm" && weights(1).empty();
    if (!from || (!plain && (weights(1).empty() || !own({weights(1), weights(2)})))) return std::nullopt;
    std::string fields = plain ? R"("affine": false)" : "";
    if (kind == "group_norm") fields = fmt::format(R"("groups": {})", node_->integer("num_groups", 1));
    if (kind == "layer_norm" && !has(2)) fields = R"("bias": false)";
    return add(kind, {*from}, shape, fields);
  }

  Made pool() {
    const OnnxDims kernel = node_->integers("kernel_shape"), dilation = node_->integers("dilations");
    const Made from = shaped(0);
    const auto fields = window(kernel, kernel);
    const bool apart = std::ranges::count(dilation, 1) != std::ssize(dilation);
    if (!from || !fields || apart || from->shape.size() != kernel.size() + 1) return std::nullopt;
    return add(node_->op == "MaxPool" ? "max_pool" : "avg_pool", {*from}, sample(out()),
               *fields + (node_->integer("ceil_mode", 0) != 0 ? R"(, "ceil": true)" : ""));
  }

  Made mean() {
    const Made from = shaped(0);
    const auto rank = static_cast<double>(dims(in(0)).size());
    const bool reduces = node_->op == "ReduceMean";
    const auto axes = reduces ? numbers("axes", 1) : std::nullopt;
    if (!from || from->shape.size() < 2 || (reduces && (!axes || static_cast<double>(axes->size()) != rank - 2))) return std::nullopt;
    for (const double axis : axes.value_or(OnnxNumbers{})) {
      if (axis < 0 ? axis + rank < 2 : axis < 2) return std::nullopt;
    }
    return add("global_avg_pool", {*from}, {from->shape.front()});
  }

  /// The input with as many whole numbers as a Gather looks up; null: none.
  [[nodiscard]] const Value* numbers_of_words() const {
    const std::int64_t steps = elements(sample(in(1)));
    const auto found = std::ranges::find_if(integers_, [&](const Value& each) { return elements(each.shape) == steps; });
    return found == integers_.end() ? nullptr : &*found;
  }
  Made embedding() {
    const OnnxDims& table = dims(in(0));
    const std::int64_t steps = elements(sample(in(1)));
    const Weights keys = weights(0);
    if (table.size() != 2 || node_->integer("axis", 0) != 0 || own({keys}) != elements(table)) return std::nullopt;
    Value made = add("embedding", {*reshaped(*numbers_of_words(), {steps})}, {steps, table[1]},
                     fmt::format(R"("vocabulary": {}, "width": {})", table[0], table[1]));
    tables_.emplace(keys, layers_.back().name);
    return made;
  }

  Made sum() {
    for (const std::size_t i : {0U, 1U}) {  // the bias of a product just before
      const Value a = node_->inputs.size() == 2 ? value(in(1 - i)) : Value{};
      if (a.layer < 0 || a.layer + 1 != std::ssize(layers_) || weights(i).empty() || dims(in(i)).size() != 1) continue;
      OnnxLayer& last = layers_.back();
      const bool waits = last.kind == "linear" && last.fields.ends_with(kNoBias) && a.shape.back() == dims(in(i))[0];
      if (!waits || !own({weights(i)})) continue;
      last.fields.resize(last.fields.size() - kNoBias.size());
      return a;
    }
    const auto from = sources(sample(out()));
    return from ? Made(add("add", *from, sample(out()))) : std::nullopt;
  }

  Made multiply() {
    const OnnxDims shape = sample(out());
    std::vector<Value> from;
    for (const std::string& name : node_->inputs) {
      const OnnxDims own = sample(name);
      if (own != shape && (own.front() != shape.front() || elements(own) != shape.front())) return std::nullopt;
      const Made each = reshaped(value(name), own == shape ? own : OnnxDims{own.front()});
      if (!each) return std::nullopt;
      from.push_back(*each);
    }
    return add("multiply", from, shape);
  }

  Made concat() {
    const std::size_t main = main_axis(out());
    const auto at = axis(out(), main);
    if (node_->inputs.size() == 1) return value(in(0));
    const auto from = at ? sources(sample(out()), main) : std::nullopt;
    return from ? Made(add("concat", *from, sample(out()), fmt::format(R"("axis": {})", *at))) : std::nullopt;
  }

  Made dropout() {
    const auto given = numbers("", 1);
    const double rate = node_->number("ratio", given && !given->empty() ? given->front() : 0.5);
    const Made from = shaped(0);
    if (!from || rate <= 0 || rate >= 1) return value(in(0));
    return add("dropout", {*from}, sample(out()), fmt::format(R"("rate": {:.6g})", rate));
  }

  Made upsample() {
    const Made from = shaped(0);
    const OnnxDims to = sample(out());
    const std::string mode = node_->text("mode");
    OnnxDims scale;
    for (std::size_t d = 1; from && d < to.size(); ++d) {
      if (to[d] % from->shape[d] == 0) scale.push_back(to[d] / from->shape[d]);
    }
    if (!from || scale.empty() || scale.size() + 1 != to.size() || mode == "cubic") return std::nullopt;
    return add("upsample", {*from}, to, fmt::format(R"("scale": {}, "mode": "{}")", text(scale), mode == "linear" ? "bilinear" : "nearest"));
  }

  /// Query, keys and values: [heads, steps, width] of a sample, keys turned; both before they are repeated.
  Made attention() {
    const OnnxDims& query = dims(in(0));
    const std::int64_t steps = query[query.size() - 2], width = query.back(), keys = node_->integer("keys", 0);
    const std::int64_t heads = elements(sample(in(0))) / (steps * width), wide = elements(sample(out())) / steps;
    const auto group = static_cast<std::int64_t>(std::max(Int128{1}, Int128{keys} * heads * width / elements(sample(in(1)))));
    const Made q = reshaped(value(in(0)), {steps, heads * width}), k = reshaped(value(in(1)), {keys, heads * width / group}),
               v = reshaped(value(in(2)), {keys, wide / group});
    if (!q || !k || !v || heads % group != 0) return std::nullopt;
    const double rate = node_->number("dropout", 0);
    return add("attention", {*q, *k, *v}, {steps, wide},
               fmt::format(R"("heads": {}{}, "flash": true{}{})", heads,
                           group == 1 ? "" : fmt::format(R"(, "kv_heads": {})", heads / group),
                           node_->integer("causal", 0) != 0 ? R"(, "causal": true)" : "",
                           rate > 0 ? fmt::format(R"(, "dropout": {:.6g})", rate) : ""));
  }

  Made recurrent() {
    const Made from = shaped(0);
    const std::int64_t ways = dims(out())[1], units = dims(out())[3], batch = others(out())[2];
    if (!from || from->shape.size() != 2 || !own({weights(1), weights(2), weights(3)})) return std::nullopt;
    strides_[out()] = {batch * ways * units, units, ways * units, 1};
    return add(node_->op == "LSTM" ? "lstm" : "gru", {*from}, {from->shape[0], ways * units},
               fmt::format(R"("units": {}, "bidirectional": {}, "bias_vectors": {})", units, ways == 2, has(3) ? 2 : 0));
  }
  /// The last step stands for the states behind it.
  void last_state(const Value& all) {
    const std::int64_t steps = all.shape[0];
    const Value last = add("slice", {all}, {1, all.shape[1]}, fmt::format(R"("axis": 0, "begin": {}, "end": {})", steps - 1, steps));
    for (std::size_t i = 1; i < node_->outputs.size(); ++i) values_[node_->outputs[i]] = last;
  }

  // The document

  TranslatedNetwork document() {
    std::vector<int> ends;
    for (const OnnxValue& output : model_.outputs) {
      const int layer = value(output.name).layer;
      const bool is_new = layer >= std::ssize(model_.inputs) && !contains(ends, layer);
      if (is_new) ends.push_back(layer);
    }
    if (ends.empty()) throw SpecError({model_.file, "graph", "no output that depends on an input", "one", ""});
    if (ends.size() == 1 && at(ends[0]).kind == "linear") ends[0] = add_layer("loss", "softmax_cross_entropy", {ends[0]});
    std::vector<bool> alive(layers_.size(), false);
    for (const int end : ends) alive[static_cast<std::size_t>(end)] = true;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      for (const int from : layers_[i].inputs) alive[static_cast<std::size_t>(from)] = alive[static_cast<std::size_t>(from)] || alive[i];
    }
    std::string parts[2];
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const OnnxLayer& layer = layers_[i];
      std::string& part = parts[layer.kind.empty() ? 0 : 1];
      if (!alive[i]) continue;
      part += fmt::format("{}{{\"name\": {}", part.empty() ? "" : ",\n", json_string(layer.name));
      if (!layer.kind.empty()) part += fmt::format(R"(, "type": "{}")", layer.kind);
      if (!layer.inputs.empty()) part += fmt::format(R"(, "inputs": {})", names(layer.inputs));
      part += (layer.fields.empty() ? "" : ", ") + layer.fields + "}";
    }
    return {fmt::format("\"inputs\": [{}],\n\"layers\": [{}],\n\"outputs\": {}", parts[0], parts[1], names(ends)), remark(alive)};
  }
  [[nodiscard]] const OnnxLayer& at(int layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  [[nodiscard]] std::string names(const std::vector<int>& layers) const {
    std::vector<std::string> all;
    for (const int each : layers) all.push_back(json_string(at(each).name));
    return fmt::format("[{}]", fmt::join(all, ", "));
  }

  /// Operators without a kind, and their share of the elements that are read and written.
  [[nodiscard]] std::string remark(const std::vector<bool>& alive) const {
    std::map<std::string, int> counts;
    double moved = 0;
    for (const auto& [layer, op, count] : custom_) {
      if (!alive[static_cast<std::size_t>(layer)]) continue;
      ++counts[op];
      moved += static_cast<double>(count);
    }
    std::vector<std::string> all;
    for (const auto& [op, count] : counts) all.push_back(fmt::format("{} of {}", count, op));
    if (all.empty()) return "";
    return fmt::format("no layer kind, costed by their elements: {}; {:.1f} % of the elements moved", fmt::join(all, ", "),
                       100 * moved / static_cast<double>(work_));
  }

  static constexpr std::string_view kNoBias = R"(, "bias": false)";

  const OnnxModel& model_;
  const OnnxShapes& shapes_;
  const OnnxNode* node_ = nullptr;
  std::vector<OnnxLayer> layers_;
  std::map<std::string, Value> values_;
  std::map<std::string, OnnxDims> strides_;  ///< at the other batch, of tensors that are not in order
  std::map<std::pair<int, OnnxDims>, Value> reshapes_;
  std::map<Weights, std::string> tables_;  ///< layers by their matrix
  std::set<std::string> names_, modules_, counted_;
  std::vector<Value> integers_;
  std::vector<std::tuple<int, std::string, std::int64_t>> custom_;
  std::int64_t work_ = 0;
};

}  // namespace

TranslatedNetwork translate_nodes(const OnnxModel& model, const OnnxShapes& shapes) {
  return Translation(model, shapes).translate();
}

}  // namespace ooc
