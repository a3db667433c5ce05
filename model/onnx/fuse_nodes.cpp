// Nodes become others in place of the last one of what they fuse; its result keeps its name.
#include "model/onnx/onnx_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ooc {
namespace {

/// The numbers that chains are run on: one row.
using Row = std::array<double, 6>;
constexpr Row kRow{-4.1, -1.3, -0.4, 0.7, 1.9, 6.6};

template <class Function>
Row each(const Row& x, Function function) {
  Row y{};
  std::transform(x.begin(), x.end(), y.begin(), function);
  return y;
}
double mean_of(const Row& x) {
  double sum = 0;
  for (const double n : x) sum += n;
  return sum / static_cast<double>(x.size());
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double ramp(double x) { return std::clamp(x, 0.0, 6.0); }

constexpr double kTanhScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr std::pair<std::string_view, double (*)(double)> kActivations[] = {
    {"Gelu", [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"Gelu", [](double x) { return x / 2 * (1 + std::tanh(kTanhScale * (x + 0.044715 * x * x * x))); }},
    {"QuickGelu", [](double x) { return x * sigmoid(1.702 * x); }},
    {"Silu", [](double x) { return x * sigmoid(x); }},
    {"HardSwish", [](double x) { return x * ramp(x + 3) / 6; }},
    {"HardSigmoid", [](double x) { return ramp(x + 3) / 6; }},
    {"Relu", [](double x) { return std::max(x, 0.0); }},
    {"Relu6", &ramp}};

/// What a chain computed: an operator's name; empty: nothing that is known.
std::string_view known(const Row& result, bool over_rows) {
  const auto is_near = [&](const Row& wanted) {
    return std::equal(result.begin(), result.end(), wanted.begin(), [](double a, double b) { return std::abs(a - b) < 2e-3; });
  };
  if (over_rows) {
    const double mean = mean_of(kRow), square = mean_of(each(kRow, [](double x) { return x * x; }));
    const double deviation = std::sqrt(square - mean * mean);
    if (is_near(each(kRow, [&](double x) { return (x - mean) / deviation; }))) return "LayerNormalization";
    return is_near(each(kRow, [&](double x) { return x / std::sqrt(square); })) ? "RMSNormalization" : "";
  }
  for (const auto& [name, function] : kActivations) {
    if (is_near(each(kRow, function))) return name;
  }
  return "";
}

class Fusion {
 public:
  Fusion(OnnxModel& model, const TracedTensors& tensors) : nodes_(model.nodes), model_(model), tensors_(tensors) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const std::string& name : nodes_[i].inputs) readers_[name].insert(i);
      for (const std::string& name : nodes_[i].outputs) writers_[name] = i;
    }
    for (const OnnxValue& output : model.outputs) readers_[output.name].insert(nodes_.size());
  }

  void fuse(bool attention) {
    gone_.assign(nodes_.size(), false);
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (!gone_[i]) chain(i);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const std::string op = gone_[i] ? "" : nodes_[i].op;
      if (op == "Softmax" && attention) attend(i);
      if (op.ends_with("Normalization") && nodes_[i].inputs.size() == 1) weigh(i);
      if (op == "InstanceNormalization") group(i);
      if (op == "AveragePool") pad(i);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < gone_.size(); ++i) {
      if (!gone_[i]) std::swap(nodes_[kept++], nodes_[i]);
    }
    nodes_.resize(kept);
  }

 private:
  [[nodiscard]] const OnnxNode* writer(const std::string& name, std::string_view op = {}) const {
    const auto found = writers_.find(name);
    if (found == writers_.end() || gone_[found->second]) return nullptr;
    const OnnxNode& node = nodes_[found->second];
    return op.empty() || node.op == op ? &node : nullptr;
  }
  /// The only reader of a tensor; null: none, several, or another operator.
  [[nodiscard]] OnnxNode* reader(const std::string& name, std::string_view op = {}) {
    const auto found = readers_.find(name);
    if (found == readers_.end() || found->second.size() != 1 || *found->second.begin() == nodes_.size()) return nullptr;
    OnnxNode& node = nodes_[*found->second.begin()];
    return op.empty() || node.op == op ? &node : nullptr;
  }
  void remove(const OnnxNode& node) { gone_[static_cast<std::size_t>(&node - nodes_.data())] = true; }

  [[nodiscard]] const OnnxDims& dims(const std::string& name) const { return tensors_.at(name).dims; }
  [[nodiscard]] bool is_data(const std::string& name) const { return !name.empty() && tensors_.at(name).is_data; }
  [[nodiscard]] std::optional<double> number(const std::string& name) const {
    const auto found = tensors_.find(name);
    const bool is_one = found != tensors_.end() && found->second.values && found->second.values->size() == 1;
    return is_one ? std::optional(found->second.values->front()) : std::nullopt;
  }
  /// The operand of `node` that holds `count` weights; null: none.
  [[nodiscard]] const std::string* weights_of(const OnnxNode* node, std::int64_t count) const {
    for (std::size_t i = 0; node != nullptr && i < node->inputs.size(); ++i) {
      if (!is_data(node->inputs[i]) && elements(dims(node->inputs[i])) == count) return &node->inputs[i];
    }
    return nullptr;
  }

  // Chains

  [[nodiscard]] bool is_chained(const OnnxNode& node) const {
    static const std::set<std::string_view> kOperators = {
        "Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Reciprocal", "Erf", "Tanh", "Sigmoid", "HardSigmoid", "Clip",
        "Relu", "Exp", "Neg", "Min", "Max", "Cast", "Identity", "ReduceMean"};
    return kOperators.contains(node.op) && node.outputs.size() == 1 && is_data(node.outputs[0]);
  }

  /// Takes nodes from the end of a chain backwards, until what was taken is a known function of one tensor.
  void chain(std::size_t last) {
    std::set<std::size_t> region;
    constexpr std::size_t kLongest = 16;
    for (std::size_t next = last; region.size() < kLongest && !gone_[next] && is_chained(nodes_[next]);) {
      region.insert(next);
      std::set<std::string> open;
      next = nodes_.size();
      for (const std::size_t node : region) {
        for (const std::string& name : nodes_[node].inputs) {
          const auto found = writers_.find(name);
          if (!is_data(name) || (found != writers_.end() && region.contains(found->second))) continue;
          open.insert(name);
          if (found != writers_.end() && (next == nodes_.size() || found->second > next)) next = found->second;
        }
      }
      const bool may = region.size() > 1 || nodes_[last].op == "Clip";
      if ((may && open.size() == 1 && replace(region, last, *open.begin())) || next == nodes_.size()) return;
    }
  }

  bool replace(const std::set<std::size_t>& region, std::size_t last, const std::string& from) {
    std::map<std::string, Row> rows{{from, kRow}};
    std::int64_t axis = 0;
    for (const std::size_t i : region) {
      const OnnxNode& node = nodes_[i];
      const std::set<std::size_t>& read = readers_[node.outputs[0]];
      if (i != last && !std::includes(region.begin(), region.end(), read.begin(), read.end())) return false;
      if (node.op == "ReduceMean" && (axis = mean_axis(node)) == 0) return false;
      const auto row = run(node, rows);
      if (!row) return false;
      rows[node.outputs[0]] = *row;
    }
    const std::string_view op = known(rows.at(nodes_[last].outputs[0]), axis < 0);
    const bool is_last_part = op.starts_with("RMS") && writer(from, "Sub") != nullptr;  // of a layer norm
    if (op.empty() || is_last_part) return false;
    for (const std::size_t i : region) gone_[i] = i != last;
    OnnxNode& node = nodes_[last];
    node.op = op;
    node.inputs = {from};
    node.attributes = {{.name = "axis", .i = axis}};
    return true;
  }

  /// The first of the last dimensions, from the back, that `node` takes means over; 0: it takes others.
  [[nodiscard]] std::int64_t mean_axis(const OnnxNode& node) const {
    const auto axes = numbers_of(node, tensors_, "axes", 1);
    const auto rank = static_cast<double>(dims(node.inputs[0]).size());
    std::set<double> from_back;
    for (const double axis : axes.value_or(OnnxNumbers{})) from_back.insert(axis < 0 ? axis : axis - rank);
    const std::int64_t count = std::ssize(from_back);
    const bool fits = count > 0 && *from_back.begin() == static_cast<double>(-count) && node.integer("keepdims", 1) != 0;
    return fits ? -count : 0;
  }

  [[nodiscard]] std::optional<Row> run(const OnnxNode& node, const std::map<std::string, Row>& rows) const {
    static const std::map<std::string_view, double (*)(double, double)> kOfTwo = {
        {"Add", [](double a, double b) { return a + b; }}, {"Sub", [](double a, double b) { return a - b; }},
        {"Mul", [](double a, double b) { return a * b; }}, {"Div", [](double a, double b) { return a / b; }},
        {"Pow", [](double a, double b) { return std::pow(a, b); }}, {"Min", [](double a, double b) { return std::min(a, b); }},
        {"Max", [](double a, double b) { return std::max(a, b); }}};
    static const std::map<std::string_view, double (*)(double)> kOfOne = {
        {"Sqrt", [](double x) { return std::sqrt(x); }}, {"Exp", [](double x) { return std::exp(x); }},
        {"Neg", [](double x) { return -x; }}, {"Reciprocal", [](double x) { return 1 / x; }},
        {"Erf", [](double x) { return std::erf(x); }}, {"Tanh", [](double x) { return std::tanh(x); }}, {"Sigmoid", &sigmoid},
        {"Relu", [](double x) { return std::max(x, 0.0); }}, {"Cast", [](double x) { return x; }}, {"Identity", [](double x) { return x; }}};
    std::vector<Row> in;
    for (const std::string& name : node.inputs) {
      const auto found = rows.find(name);
      const auto constant = number(name);
      const bool is_known = found != rows.end() || constant || name.empty() || node.op == "ReduceMean";
      if (!is_known) return std::nullopt;
      in.push_back(found != rows.end() ? found->second : each(kRow, [&](double) { return constant.value_or(0); }));
    }
    if (const auto two = kOfTwo.find(node.op); two != kOfTwo.end() && in.size() == 2) {
      Row y{};
      std::transform(in[0].begin(), in[0].end(), in[1].begin(), y.begin(), two->second);
      return y;
    }
    if (const auto one = kOfOne.find(node.op); one != kOfOne.end()) return each(in[0], one->second);
    if (node.op == "ReduceMean") return each(in[0], [&](double) { return mean_of(in[0]); });
    if (node.op == "HardSigmoid") {
      const double alpha = node.number("alpha", 0.2), beta = node.number("beta", 0.5);
      return each(in[0], [&](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
    }
    if (node.op != "Clip") return std::nullopt;
    const double low = in.size() > 1 && !node.inputs[1].empty() ? in[1][0] : -HUGE_VAL;
    const double high = in.size() > 2 && !node.inputs[2].empty() ? in[2][0] : HUGE_VAL;
    return each(in[0], [&](double x) { return std::min(std::max(x, low), high); });
  }

  // Around norms and pools

  /// Weights and biases of a norm written out.
  void weigh(std::size_t i) {
    OnnxNode* node = &nodes_[i];
    const OnnxDims& x = dims(node->inputs[0]);
    const std::int64_t width = elements(OnnxDims(x.end() + node->integer("axis", -1), x.end()));
    for (const std::string_view op : {"Mul", "Add"}) {
      OnnxNode* next = reader(node->outputs[0], op);
      const std::string* weights = weights_of(next, width);
      if (weights == nullptr) return;
      std::vector<std::string> inputs = node->inputs;
      inputs.push_back(*weights);
      *next = {.name = next->name, .op = node->op, .inputs = std::move(inputs), .outputs = next->outputs, .attributes = node->attributes};
      remove(*node);
      node = next;
    }
  }

  /// PyTorch's group norm: an instance norm of groups between two reshapes.
  void group(std::size_t i) {
    const OnnxNode& node = nodes_[i];
    const OnnxNode* before = writer(node.inputs[0], "Reshape");
    OnnxNode* after = reader(node.outputs[0], "Reshape");
    if (before == nullptr || after == nullptr || dims(before->inputs[0]) != dims(after->outputs[0])) return;
    if (dims(after->outputs[0]).size() < 2 || dims(node.inputs[0]).size() < 2) return;
    const std::int64_t channels = dims(after->outputs[0])[1], groups = dims(node.inputs[0])[1];
    OnnxNode* scale = reader(after->outputs[0], "Mul");
    const std::string* gamma = weights_of(scale, channels);
    OnnxNode* shift = gamma == nullptr ? nullptr : reader(scale->outputs[0], "Add");
    const std::string* beta = weights_of(shift, channels);
    if (beta == nullptr) return;
    *shift = {.name = node.name, .op = "GroupNormalization", .inputs = {before->inputs[0], *gamma, *beta},
              .outputs = shift->outputs, .attributes = {{.name = "num_groups", .i = groups}}};
    for (const OnnxNode* each : std::initializer_list<const OnnxNode*>{&node, before, after, scale}) remove(*each);
  }

  /// PyTorch pads before it averages.
  void pad(std::size_t i) {
    OnnxNode& node = nodes_[i];
    const OnnxNode* before = writer(node.inputs[0], "Pad");
    const auto pads = before == nullptr ? std::nullopt : numbers_of(*before, tensors_, "pads", 1);
    if (!pads || reader(node.inputs[0]) == nullptr) return;
    OnnxAttribute made{.name = "pads"};
    const std::size_t rank = pads->size() / 2;
    for (std::size_t d = 0; d < pads->size(); ++d) {
      if (d % rank >= 2) made.ints.push_back(static_cast<std::int64_t>((*pads)[d]));
      if (d % rank < 2 && (*pads)[d] != 0) return;
    }
    std::erase_if(node.attributes, [](const OnnxAttribute& attribute) { return attribute.name == "pads"; });
    node.attributes.push_back(std::move(made));
    node.inputs[0] = before->inputs[0];
    remove(*before);
  }

  // Attention

  using Passed = std::vector<const OnnxNode*>;

  static bool is_cast(const OnnxNode& node) { return node.op == "Cast" || node.op == "Identity"; }

  /// Back over casts and scales (products and quotients with a number), whose nodes go to `passed`.
  std::string unscaled(std::string name, Passed& passed) const {
    for (const OnnxNode* node = writer(name); node != nullptr; node = writer(name)) {
      const bool scales = node->op == "Mul" || node->op == "Div", is_first = is_cast(*node) || (scales && number(node->inputs[1]));
      if (!is_first && !(scales && number(node->inputs[0]))) break;
      passed.push_back(node);
      name = node->inputs[is_first ? 0 : 1];
    }
    return name;
  }
  /// Back over masks: sums and choices with what is not the scores.
  std::string unmasked(std::string name, Passed& passed, bool& causal) const {
    for (const OnnxNode* node = writer(name); node != nullptr && (node->op == "Add" || node->op == "Where"); node = writer(name)) {
      const std::size_t count = node->inputs.size();
      std::size_t scores = count;
      for (std::size_t i = count == 3 ? 1 : 0; i < count; ++i) {
        Passed ignored;
        if (writer(unscaled(node->inputs[i], ignored), "MatMul") != nullptr || writer(node->inputs[i], "Where") != nullptr) scores = i;
      }
      if (scores == count) break;
      const std::string& mask = node->inputs[scores == 0 || count == 3 ? (scores == 0 ? 1 : 0) : 0];
      if (model_.weights.contains(mask) && !number(mask)) break;  // a bias that is learnt
      causal = causal || is_causal(mask);
      passed.push_back(node);
      name = unscaled(node->inputs[scores], passed);
    }
    return name;
  }
  /// Whether a mask comes of an operator that makes triangles.
  [[nodiscard]] bool is_causal(const std::string& mask) const {
    std::set<std::string> seen{mask};
    for (std::vector<std::string> open{mask}; !open.empty() && seen.size() < 64;) {
      const OnnxNode* node = writer(open.back());
      open.pop_back();
      if (node == nullptr) continue;
      if (node->op == "Trilu") return true;
      for (const std::string& name : node->inputs) {
        if (seen.insert(name).second) open.push_back(name);
      }
    }
    return false;
  }

  /// Back over what repeats keys or values for the heads that share them; `name`: nothing does.
  [[nodiscard]] std::string shared(const std::string& name) const {
    for (const OnnxNode* node = writer(name); node != nullptr && !node->inputs.empty(); node = writer(node->inputs[0])) {
      const bool repeats = node->op == "Expand" || node->op == "Tile";
      if (repeats && elements(dims(node->inputs[0])) < elements(dims(name))) return node->inputs[0];
      if (!repeats && node->op != "Reshape" && node->op != "Transpose" && node->op != "Identity") break;
    }
    return name;
  }

  void attend(std::size_t i) {
    const OnnxNode& softmax = nodes_[i];
    const std::int64_t rank = std::ssize(dims(softmax.inputs[0])), axis = softmax.integer("axis", -1);
    bool causal = false;
    Passed passed{&softmax}, scales;
    const std::string scores = unmasked(unscaled(softmax.inputs[0], passed), passed, causal);
    const OnnxNode *product = writer(scores, "MatMul"), *drop = nullptr, *last = &softmax;
    OnnxNode* next = reader(softmax.outputs[0]);
    for (; next != nullptr && !next->outputs.empty() && (is_cast(*next) || next->op == "Dropout"); next = reader(last->outputs[0])) {
      passed.push_back(last = next);
      if (next->op == "Dropout") drop = next;
    }
    const bool fits = rank > 2 && (axis == -1 || axis == rank - 1) && product != nullptr && next != nullptr && is_data(product->inputs[1]);
    if (!fits || next->op != "MatMul" || next->inputs[0] != last->outputs[0] || !is_data(next->inputs[1])) return;
    passed.push_back(product);
    for (const OnnxNode* node : passed) {
      if (reader(node->outputs[0]) == nullptr) return;
    }
    OnnxNode fused{.name = softmax.name, .op = "ooc.Attention",
                   .inputs = {unscaled(product->inputs[0], scales), shared(unscaled(product->inputs[1], scales)), shared(next->inputs[1])},
                   .outputs = next->outputs,
                   .attributes = {{.name = "causal", .i = causal ? 1 : 0}, {.name = "keys", .i = dims(product->inputs[1]).back()}}};
    if (drop != nullptr) {
      const double given = drop->inputs.size() > 1 ? number(drop->inputs[1]).value_or(0.5) : 0.5;
      fused.attributes.push_back({.name = "dropout", .f = drop->number("ratio", given)});
    }
    for (const OnnxNode* node : passed) remove(*node);
    *next = std::move(fused);
  }

  std::vector<OnnxNode>& nodes_;
  const OnnxModel& model_;
  const TracedTensors& tensors_;
  std::map<std::string, std::set<std::size_t>> readers_;
  std::map<std::string, std::size_t> writers_;
  std::vector<bool> gone_;
};

}  // namespace

void fuse_nodes(OnnxModel& model, const TracedTensors& tensors, bool fuses_attention) {
  Fusion(model, tensors).fuse(fuses_attention);
}

}  // namespace ooc
