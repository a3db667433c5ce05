// One function for each family of operators. A model that is fixed to a batch has it in its constants: at another one
// a Reshape with too few elements is told apart by its shape at the fixed batch, and constants spread.
#include "model/onnx/onnx_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/layers/attributes.hpp"

namespace ooc {
namespace {

class ShapeInference {
 public:
  ShapeInference(const OnnxModel& model, const std::vector<SymbolValue>& sizes, std::int64_t batch,
                 const TracedTensors* fixed)
      : model_(model), given_(sizes), batch_(batch), fixed_(fixed) {}

  TracedTensors infer() {
    for (const auto& [name, weight] : model_.weights) tensors_[name] = constant(weight);
    for (const OnnxValue& input : model_.inputs) tensors_[input.name] = read_input(input);
    for (const OnnxNode& node : model_.nodes) {
      if (node.outputs.empty() || node.outputs.front().empty()) continue;
      node_ = &node;
      in_.clear();
      for (const std::string& name : node.inputs) in_.push_back(name.empty() ? nullptr : &find(name));
      step();
      const auto made = tensors_.find(node.outputs.front());
      if (made != tensors_.end() && !made->second.values) fold_values(node, in_, made->second);
    }
    return std::move(tensors_);
  }

 private:
  static TracedTensor constant(const OnnxTensor& tensor) {
    return {.dims = tensor.dims, .type = tensor.type, .values = tensor.values};
  }

  TracedTensor read_input(const OnnxValue& input) const {
    const auto refuse = [&](const std::string& found, const std::string& hint) {
      throw SpecError({model_.file, "input " + in_quotes(input.name), found,
                       "a shape with the batch first, sizes from 1 to 2^48", hint});
    };
    if (!input.dims) refuse("no shape", "export it with an example input");
    TracedTensor made{.type = input.type, .is_data = true};
    for (const OnnxDim& dim : *input.dims) {
      const bool is_batch = made.dims.empty();
      made.dims.push_back(is_batch ? batch_ : dim.symbol.empty() ? dim.size : size_of(dim.symbol));
      if (made.dims.back() >= 1 && made.dims.back() <= kMaxSize && dim.size >= 0) continue;
      if (dim.symbol.empty()) {
        refuse(fmt::format("dimension {} of size {}", made.dims.size() - 1, dim.size),
               "export it with a size or a name");
      }
      refuse(fmt::format("dimension {} of size {}", made.dims.size() - 1, in_quotes(dim.symbol)),
             is_symbol_name(dim.symbol) ? fmt::format("--symbol {}=N gives one", dim.symbol)
                                        : "export it with a size or a plain name");
    }
    return made;
  }

  std::int64_t size_of(const std::string& symbol) const {
    const SymbolValue* found = find_named(given_, symbol);
    return found == nullptr ? 0 : found->value;
  }

  // For all operators

  [[noreturn]] void fail(const std::string& found, const std::string& expected, const std::string& hint = {}) const {
    throw SpecError({model_.file, node_->place(), found, expected, hint});
  }
  [[noreturn]] void unlike(const OnnxDims& a, const OnnxDims& b) const {
    fail(text(a) + " and " + text(b), "shapes that fit together", fixed_ == nullptr ? "" : kGrows);
  }
  const TracedTensor& find(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
    fail(in_quotes(name) + " that nothing before it writes", "nodes in the order in which they run");
  }
  [[nodiscard]] bool has(std::size_t i) const { return i < in_.size() && in_[i] != nullptr; }
  [[nodiscard]] const TracedTensor& in(std::size_t i) const {
    if (!has(i)) fail(fmt::format("no input {}", i), "one");
    return *in_[i];
  }
  [[nodiscard]] const OnnxDims& dims(std::size_t i = 0) const { return in(i).dims; }
  [[nodiscard]] std::size_t axis(double given, std::size_t of) const {
    const auto count = static_cast<double>(of);
    if (!(given >= -count && given < count)) fail(fmt::format("axis {} of {}", given, of), "one of them");
    return static_cast<std::size_t>(given < 0 ? given + count : given);
  }
  [[nodiscard]] std::size_t axis() const {
    return axis(static_cast<double>(node_->integer("axis", node_->op == "Flatten" ? 1 : 0)), dims().size());
  }
  [[nodiscard]] std::optional<OnnxNumbers> numbers(std::string_view attribute, std::size_t at) const {
    auto found = numbers_of(*node_, tensors_, attribute, at);
    if (found || !has(at)) return found;
    fail("sizes that depend on data", "sizes that are known beforehand", "export with fixed sizes");
  }
  [[nodiscard]] OnnxNumbers needed(std::string_view attribute, std::size_t at) const {
    auto found = numbers(attribute, at);
    if (!found || found->empty()) fail("no " + std::string(attribute), "them");
    return *std::move(found);
  }
  /// Dimensions named by `axes`; else the first `count`.
  [[nodiscard]] std::vector<std::size_t> axes(std::size_t at, std::size_t of, std::size_t count) const {
    const auto given = numbers("axes", at);
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < (given ? given->size() : count); ++i) {
      all.push_back(axis(given ? (*given)[i] : static_cast<double>(i), of));
    }
    return all;
  }
  [[nodiscard]] bool is_data() const {
    return std::ranges::any_of(in_, [](auto* each) { return each != nullptr && each->is_data; });
  }

  void put(std::size_t i, TracedTensor tensor) {
    if (i >= node_->outputs.size() || node_->outputs[i].empty()) return;
    const auto least = std::ranges::min_element(tensor.dims);
    if (tensor.is_data && least != tensor.dims.end() && *least < 1) fail("a result of " + text(tensor.dims), "sizes from 1");
    (void)sizes(OnnxNumbers(tensor.dims.begin(), tensor.dims.end()));
    const bool is_new = tensors_.emplace(node_->outputs[i], std::move(tensor)).second;
    if (!is_new) fail(in_quotes(node_->outputs[i]) + " for the second time", "each result once");
  }
  /// A result like the first input with other dims.
  void put(OnnxDims made, std::size_t i = 0) { put(i, {.dims = std::move(made), .type = in(0).type, .is_data = is_data()}); }

  /// Sizes within bounds.
  OnnxDims sizes(const OnnxNumbers& numbers) const {
    OnnxDims made;
    Int128 count = 1;
    for (const double each : numbers) {
      made.push_back(std::isfinite(each) ? static_cast<std::int64_t>(std::clamp(each, -1e18, 1e18)) : -1);
      count *= std::max<std::int64_t>(1, made.back());
      if (made.back() < 0 || count > kMaxTensorBytes) fail("sizes " + text(made), "sizes from 0, at most 2^48 elements");
    }
    return made;
  }

  void step() {
    using Step = void (ShapeInference::*)();
    using Self = ShapeInference;
    static const std::map<std::string_view, Step> kSteps = {
        {"Constant", &Self::constant_node}, {"Shape", &Self::shape}, {"Range", &Self::range},
        {"ConstantOfShape", &Self::filled}, {"Reshape", &Self::reshape}, {"Flatten", &Self::flatten},
        {"Squeeze", &Self::squeeze}, {"Unsqueeze", &Self::unsqueeze}, {"Transpose", &Self::transpose},
        {"Expand", &Self::expand}, {"Tile", &Self::tile}, {"Concat", &Self::concat}, {"Split", &Self::split},
        {"Slice", &Self::slice}, {"Gather", &Self::gather}, {"Pad", &Self::pad}, {"Resize", &Self::resize},
        {"DepthToSpace", &Self::blocks}, {"SpaceToDepth", &Self::blocks}, {"Conv", &Self::window},
        {"ConvTranspose", &Self::window}, {"MaxPool", &Self::window}, {"AveragePool", &Self::window},
        {"GlobalAveragePool", &Self::global_pool}, {"GlobalMaxPool", &Self::global_pool}, {"MatMul", &Self::matmul},
        {"Einsum", &Self::einsum},
        {"Gemm", &Self::gemm}, {"LSTM", &Self::recurrent}, {"GRU", &Self::recurrent}, {"RNN", &Self::recurrent},
        {"ArgMax", &Self::reduce}, {"ArgMin", &Self::reduce}};
    static constexpr std::string_view kAlike[] = {  // the first input's shape
        "Abs", "BatchNormalization", "Cast", "CastLike", "Ceil", "Celu", "Clip", "Cos", "CumSum", "Dropout", "Elu", "Erf",
        "Exp", "Floor", "Gelu", "GroupNormalization", "HardSigmoid", "HardSwish", "Hardmax", "Identity",
        "InstanceNormalization", "IsInf", "IsNaN", "LRN", "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax",
        "LpNormalization", "Mish", "Neg", "Not", "PRelu", "RandomNormalLike", "RandomUniformLike", "Reciprocal", "Relu", "Round",
        "ScatterElements", "ScatterND", "Selu", "Sigmoid", "Sign", "Sin", "Softmax", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh",
        "ThresholdedRelu", "Trilu"};
    static constexpr std::string_view kSpread[] = {  // all inputs' shapes, spread over each other
        "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul",
        "Or", "Pow", "Sub", "Sum", "Where", "Xor"};
    const std::string_view op = node_->op;
    if (const auto found = kSteps.find(op); found != kSteps.end()) return (this->*found->second)();
    if (std::ranges::binary_search(kAlike, op)) return alike();
    if (std::ranges::binary_search(kSpread, op)) return spread();
    op.starts_with("Reduce") ? reduce() : noted();
  }

  /// Of an operator that is not known: what the file notes about its results.
  void noted() {
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
      const auto found = model_.noted.find(node_->outputs[i]);
      const bool is_noted = found != model_.noted.end() && found->second.dims;
      if (!is_noted && i > 0) continue;
      if (!is_noted) {
        fail("an operator of unknown shape", "one of ONNX's, or its shape in the file",
             "onnx.shape_inference.infer_shapes notes shapes");
      }
      TracedTensor made{.type = found->second.type, .is_data = is_data()};
      for (const OnnxDim& dim : *found->second.dims) {
        const bool is_batch = made.is_data && made.dims.empty();
        made.dims.push_back(is_batch ? batch_ : dim.symbol.empty() ? dim.size : size_of(dim.symbol));
      }
      put(i, std::move(made));
    }
  }

  // Constants

  void constant_node() {
    const OnnxAttribute* value = node_->find("value");
    if (value != nullptr && value->tensor) return put(0, constant(*value->tensor));
    TracedTensor made{.type = kOnnxInt64, .values = OnnxNumbers{}};
    for (const OnnxAttribute& each : node_->attributes) {
      if (each.name.starts_with("value_float")) made.type = kOnnxFloat;
      if (each.name == "value_int") made.values->push_back(static_cast<double>(each.i));
      if (each.name == "value_float") made.values->push_back(each.f);
      made.values->insert(made.values->end(), each.floats.begin(), each.floats.end());
      made.values->insert(made.values->end(), each.ints.begin(), each.ints.end());
      if (each.name.ends_with('s')) made.dims = {std::ssize(*made.values)};
    }
    put(0, std::move(made));
  }

  void shape() {
    const std::int64_t count = std::ssize(dims());
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
      const std::int64_t given = node_->integer(name, otherwise);
      return std::clamp<std::int64_t>(given < 0 ? given + count : given, 0, count);
    };
    const std::int64_t begin = bound("start", 0);
    const OnnxNumbers values(dims().begin() + begin, dims().begin() + std::max(begin, bound("end", count)));
    put(0, {.dims = {std::ssize(values)}, .type = kOnnxInt64, .values = values});
  }

  void filled() {
    const auto shape = numbers("", 0);
    const OnnxAttribute* given = node_->find("value");
    const OnnxTensor value = given != nullptr && given->tensor ? *given->tensor : OnnxTensor{};
    TracedTensor made{.dims = sizes(shape.value_or(OnnxNumbers{})), .type = value.type};
    const double number = value.values && !value.values->empty() ? value.values->front() : 0;
    if (elements(made.dims) <= kMostFolded) made.values = OnnxNumbers(static_cast<std::size_t>(elements(made.dims)), number);
    put(0, std::move(made));
  }

  void range() {
    const double first = needed("", 0)[0], end = needed("", 1)[0], step = needed("", 2)[0];
    const double count = step == 0 ? 0 : std::max(0.0, std::ceil((end - first) / step));
    TracedTensor made{.dims = sizes({count}), .type = in(0).type};
    if (count <= kMostFolded) made.values.emplace();
    for (double i = 0; made.values && i < count; ++i) made.values->push_back(first + i * step);
    put(0, std::move(made));
  }

  // Views

  void reshape() {
    OnnxNumbers target = numbers("shape", 1).value_or(OnnxNumbers{});
    const auto total = static_cast<double>(elements(dims()));
    double known = 1;
    for (std::size_t d = 0; d < target.size(); ++d) {
      const bool is_kept = target[d] == 0 && node_->integer("allowzero", 0) == 0 && d < dims().size();
      if (is_kept) target[d] = static_cast<double>(dims()[d]);
      known *= target[d] < 0 ? 1 : target[d];
    }
    for (double& each : target) each = each >= 0 ? each : known == 0 ? 0 : std::floor(total / known);
    OnnxDims made = sizes(target);
    if (fixed_ != nullptr && in(0).is_data) made = grown(fixed_->at(node_->outputs.at(0)).dims);
    if (elements(made) != elements(dims())) fail(text(dims()) + " as " + text(made), "as many elements", kGrows);
    put(std::move(made));
  }

  /// A shape at the fixed batch with the batch of now: in the first dimension that is just the batch. Else where what
  /// lies before it is as before; rows of a matrix join it.
  [[nodiscard]] OnnxDims grown(OnnxDims made) const {
    const OnnxDims& before = fixed_->at(node_->inputs[0]).dims;
    const std::int64_t was = std::max<std::int64_t>(1, elements(before)), now = elements(dims());
    if (now == was || elements(made) != was) return made;
    auto place = std::ranges::find(made, batch_ * was / now);
    if (place == made.end()) {
      const auto differs = std::mismatch(before.begin(), before.end(), dims().begin()).first;
      const std::int64_t outside = elements(OnnxDims(before.begin(), differs));
      place = made.begin();
      for (auto d = made.begin(); d != made.end() && made.size() > 2; ++d) {
        if (elements(OnnxDims(made.begin(), d)) == outside) place = d;
      }
    }
    if (place != made.end()) *place *= now / was;
    return made;
  }

  void flatten() {
    const bool is_all = node_->integer("axis", 1) == std::ssize(dims());
    const auto at = dims().begin() + static_cast<std::ptrdiff_t>(is_all ? dims().size() : axis());
    put({elements(OnnxDims(dims().begin(), at)), elements(OnnxDims(at, dims().end()))});
  }

  void squeeze() {
    const bool by_name = numbers("axes", 1).has_value();
    const auto given = axes(1, dims().size(), 0);
    OnnxDims made;
    for (std::size_t d = 0; d < dims().size(); ++d) {
      if (by_name ? !contains(given, d) : dims()[d] != 1 || d == 0) made.push_back(dims()[d]);
    }
    put(std::move(made));
  }

  void unsqueeze() {
    const auto given = axes(1, dims().size() + needed("axes", 1).size(), 0);
    OnnxDims made;
    for (auto old = dims().begin(); old != dims().end() || contains(given, made.size());) {
      made.push_back(contains(given, made.size()) ? 1 : *old++);
    }
    put(std::move(made));
  }

  void transpose() {
    OnnxDims order = node_->integers("perm"), made;
    while (order.size() < dims().size()) order.push_back(std::ssize(dims()) - 1 - std::ssize(order));
    for (const std::int64_t from : order) made.push_back(dims()[axis(static_cast<double>(from), dims().size())]);
    if (made.size() != dims().size()) fail("axes " + text(order), "each once");
    put(std::move(made));
  }

  // Spreading

  /// Aligned at the last dimension. At another batch than the fixed one constants that hold that are spread.
  [[nodiscard]] OnnxDims spread(const OnnxDims& a, const OnnxDims& b) const {
    OnnxDims made(std::max(a.size(), b.size()), 1);
    for (std::size_t d = 1; d <= made.size(); ++d) {
      const std::int64_t x = d <= a.size() ? a[a.size() - d] : 1, y = d <= b.size() ? b[b.size() - d] : 1;
      const bool grows = fixed_ != nullptr && (x == 2 * y || y == 2 * x);
      if (x != y && x != 1 && y != 1 && !grows) unlike(a, b);
      made[made.size() - d] = std::max(x, y);
    }
    return made;
  }

  void spread() {
    TracedTensor made{.dims = dims(), .type = in(node_->op == "Where" ? 1 : 0).type, .is_data = is_data()};
    for (std::size_t i = 1; i < in_.size(); ++i) made.dims = spread(made.dims, dims(i));
    const std::string_view op = node_->op;
    if (op == "Equal" || op.starts_with("Less") || op.starts_with("Greater")) made.type = kOnnxBool;
    put(0, std::move(made));
  }

  void alike() {
    TracedTensor made{.dims = dims(), .type = in(0).type, .is_data = is_data()};
    if (node_->op == "Cast") made.type = static_cast<int>(node_->integer("to", kOnnxFloat));
    if (node_->op == "CastLike") made.type = in(1).type;
    put(0, made);
    made.type = kOnnxBool;
    if (node_->op == "Dropout") put(1, std::move(made));
  }

  void expand() { put(spread(dims(), sizes(numbers("shape", 1).value_or(OnnxNumbers{})))); }

  /// Dims changed one by one: `change` gets a dimension and its number in a list of `count`.
  template <class Change>
  void put_changed(std::size_t axes_at, std::size_t count, Change change) {
    OnnxNumbers made(dims().begin(), dims().end());
    const auto given = axes(axes_at, made.size(), count);
    for (std::size_t i = 0; i < std::min(count, given.size()); ++i) change(made[given[i]], i, given[i]);
    put(sizes(made));
  }

  void tile() {
    const OnnxNumbers times = needed("repeats", 1);
    put_changed(99, times.size(), [&](double& dim, std::size_t i, std::size_t) { dim *= times[i]; });
  }
  void pad() {
    const OnnxNumbers pads = needed("pads", 1);
    const std::size_t half = pads.size() / 2;
    put_changed(3, half, [&](double& dim, std::size_t i, std::size_t) { dim += pads[i] + pads[i + half]; });
  }
  void resize() {
    const auto to = numbers("sizes", 3), scales = numbers("scales", 2);
    const bool by_size = to && !to->empty();
    const OnnxNumbers list = by_size ? *to : scales.value_or(OnnxNumbers{});
    put_changed(99, list.size(), [&](double& dim, std::size_t i, std::size_t d) {
      if (d > 0) dim = by_size ? list[i] : std::floor(dim * list[i]);  // 0: the batch
    });
  }
  void blocks() {
    const auto block = static_cast<double>(node_->integer("blocksize", 1));
    const double more = node_->op == "DepthToSpace" ? block : 1 / block;
    put_changed(99, 4, [&](double& dim, std::size_t i, std::size_t) { dim *= i == 0 ? 1 : i == 1 ? 1 / more / more : more; });
  }
  void global_pool() {
    put_changed(99, dims().size(), [&](double& dim, std::size_t i, std::size_t) { dim = i < 2 ? dim : 1; });
  }

  // Parts

  void concat() {
    const std::size_t at = axis();
    OnnxDims made = dims();
    for (std::size_t i = 1; i < in_.size(); ++i) {
      OnnxDims other = dims(i);
      if (other.size() != made.size()) unlike(made, other);
      const std::int64_t sum = std::min(made[at] + other[at], kMaxSize + 1);
      made[at] = other[at] = 1;
      made = spread(made, other);
      made[at] = sum;
    }
    put(std::move(made));
  }

  void split() {
    const std::size_t at = axis(), count = node_->outputs.size();
    const auto given = numbers("split", 1);
    const std::int64_t each = (dims()[at] + std::ssize(node_->outputs) - 1) / std::ssize(node_->outputs);
    for (std::size_t i = 0; i < count; ++i) {
      OnnxDims made = dims();
      if (given && i >= given->size()) fail("fewer sizes than outputs", "one for each");
      made[at] = given ? sizes({(*given)[i]})[0] : std::min(each, dims()[at] - static_cast<std::int64_t>(i) * each);
      put(std::move(made), i);
    }
  }

  void slice() {
    const OnnxNumbers begins = needed("starts", 1), ends = needed("ends", 2);
    const auto steps = numbers("steps", 4);
    put_changed(3, std::min(begins.size(), ends.size()), [&](double& size, std::size_t i, std::size_t) {
      const double step = steps && i < steps->size() ? (*steps)[i] : 1, least = step > 0 ? 0 : -1, most = step > 0 ? size : size - 1;
      const auto bound = [&](double n, double lowest) { return std::clamp(n < 0 ? n + size : n, lowest, most); };
      if (step == 0) fail("steps of 0", "others");
      size = std::max(0.0, std::ceil((bound(ends[i], least) - bound(begins[i], 0)) / step));
    });
  }

  void gather() {
    OnnxDims made = dims();
    made.insert(made.erase(made.begin() + static_cast<std::ptrdiff_t>(axis())), dims(1).begin(), dims(1).end());
    put(std::move(made));
  }

  void reduce() {
    const bool is_arg = node_->op.starts_with("Arg");
    auto given = axes(1, dims().size(), 0);
    if (is_arg) given = {axis()};
    if (given.empty() && node_->integer("noop_with_empty_axes", 0) != 0) return alike();
    TracedTensor made{.type = is_arg ? int{kOnnxInt64} : in(0).type, .is_data = is_data()};
    for (std::size_t d = 0; d < dims().size(); ++d) {
      const bool is_gone = given.empty() || contains(given, d);
      if (!is_gone || node_->integer("keepdims", 1) != 0) made.dims.push_back(is_gone ? 1 : dims()[d]);
    }
    put(0, std::move(made));
  }

  // Windows and products

  /// An attribute of `count` sizes.
  [[nodiscard]] OnnxNumbers window_list(std::string_view name, std::size_t count, double least) const {
    const OnnxDims given = node_->integers(name);
    if (given.empty()) return OnnxNumbers(count, least);
    OnnxNumbers list(given.begin(), given.end());
    const bool fits = list.size() == count && *std::ranges::min_element(list) >= least;
    if (!fits) fail(fmt::format("{} {}", name, text(given)), fmt::format("{} sizes", count));
    return list;
  }

  void window() {
    const bool back = node_->op == "ConvTranspose", is_conv = back || node_->op == "Conv";
    const OnnxDims w = is_conv ? dims(1) : dims();
    if (dims().size() < 3 || w.size() != dims().size()) unlike(dims(), w);
    const std::size_t count = w.size() - 2;
    const OnnxNumbers strides = window_list("strides", count, 1), dilations = window_list("dilations", count, 1),
                      pads = window_list("pads", 2 * count, 0), more = window_list("output_padding", count, 0),
                      kernel = is_conv ? OnnxNumbers(w.begin() + 2, w.end()) : window_list("kernel_shape", count, 1);
    OnnxNumbers made(dims().begin(), dims().end());
    const std::int64_t groups = node_->integer("group", 1);
    if (is_conv && (groups < 1 || groups > kMaxSize || (back ? Int128{w[0]} : Int128{w[1]} * groups) != dims()[1])) unlike(dims(), w);
    if (is_conv) made[1] = back ? static_cast<double>(w[1]) * static_cast<double>(groups) : static_cast<double>(w[0]);
    const bool same = node_->text("auto_pad").starts_with("SAME"), ceil = node_->integer("ceil_mode", 0) != 0;
    for (std::size_t d = 0; d < count; ++d) {
      const double size = made[d + 2], span = dilations[d] * (kernel[d] - 1) + 1, padding = pads[d] + pads[d + count];
      const double steps = (size + padding - span) / strides[d];
      double out = (ceil ? std::ceil(steps) : std::floor(steps)) + 1;
      if (ceil && (out - 1) * strides[d] >= size + pads[d]) --out;  // no window begins in the padding behind
      if (back) out = (size - 1) * strides[d] + span + more[d] - padding;
      made[d + 2] = !same ? out : back ? size * strides[d] : std::ceil(size / strides[d]);
    }
    put(sizes(made));
  }

  void matmul() {
    OnnxDims a = dims(), b = dims(1);
    const bool is_row = a.size() == 1, is_column = b.size() == 1;
    if (is_row) a.insert(a.begin(), 1);
    if (is_column) b.push_back(1);
    if (a.empty() || b.empty() || a.back() != b[b.size() - 2]) unlike(dims(), dims(1));
    OnnxDims made = spread(OnnxDims(a.begin(), a.end() - 2), OnnxDims(b.begin(), b.end() - 2));
    if (!is_row) made.push_back(a[a.size() - 2]);
    if (!is_column) made.push_back(b.back());
    put(std::move(made));
  }

  /// Sizes by letter; noted where the equation does not spell all of them out.
  void einsum() {
    std::string equation = node_->text("equation");
    std::erase(equation, ' ');
    std::map<char, double> size;
    std::size_t i = 0, d = 0;
    for (const char each : equation.substr(0, equation.find("->"))) {
      if (each == '.' || (each != ',' && d >= dims(i).size())) return noted();
      if (each != ',') size[each] = static_cast<double>(dims(i)[d++]);
      if (each == ',') d = 0, ++i;
    }
    OnnxNumbers made;
    for (const char each : equation.substr(std::min(equation.size(), equation.find("->") + 2))) made.push_back(size[each]);
    put(sizes(made));
  }

  void gemm() {
    const std::size_t a = node_->integer("transA", 0) != 0 ? 1 : 0, b = node_->integer("transB", 0) != 0 ? 1 : 0;
    if (dims().size() != 2 || dims(1).size() != 2 || dims()[1 - a] != dims(1)[b]) unlike(dims(), dims(1));
    put({dims()[a], dims(1)[1 - b]});
  }

  /// Steps, batch, features; results are [steps, directions, batch, units] and the last states.
  void recurrent() {
    if (dims().size() != 3 || node_->integer("layout", 0) != 0) fail(text(dims()), "steps, the batch, features");
    const std::int64_t ways = node_->text("direction") == "bidirectional" ? 2 : 1, units = node_->integer("hidden_size", 0);
    put({dims()[0], ways, dims()[1], units});
    for (const std::size_t i : {1U, 2U}) put({ways, dims()[1], units}, i);
  }

  static constexpr const char* kGrows = "export it with the batch as a dynamic axis";
  static constexpr std::int64_t kMostFolded = 4096;

  const OnnxModel& model_;
  const std::vector<SymbolValue>& given_;
  std::int64_t batch_;
  const TracedTensors* fixed_;
  TracedTensors tensors_;
  const OnnxNode* node_ = nullptr;
  std::vector<const TracedTensor*> in_;
};

}  // namespace

std::int64_t elements(const OnnxDims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

std::string text(const OnnxDims& dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

std::optional<std::int64_t> fixed_batch(const OnnxModel& model) {
  for (const OnnxValue& input : model.inputs) {
    const bool fixed = input.dims && !input.dims->empty() && input.dims->front().symbol.empty();
    if (fixed && input.dims->front().size > 0) return input.dims->front().size;
  }
  return std::nullopt;
}

std::optional<OnnxNumbers> numbers_of(const OnnxNode& node, const TracedTensors& tensors,
                                      std::string_view attribute, std::size_t at) {
  if (const OnnxAttribute* found = node.find(attribute)) {
    OnnxNumbers numbers(found->ints.begin(), found->ints.end());
    numbers.insert(numbers.end(), found->floats.begin(), found->floats.end());
    return numbers;
  }
  const auto found = at < node.inputs.size() ? tensors.find(node.inputs[at]) : tensors.end();
  return found == tensors.end() ? std::nullopt : found->second.values;
}

TracedTensors infer_shapes(const OnnxModel& model, const std::vector<SymbolValue>& sizes,
                           std::int64_t batch, const TracedTensors* fixed) {
  return ShapeInference(model, sizes, batch, fixed).infer();
}

}  // namespace ooc
