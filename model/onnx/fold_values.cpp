// Values of small tensors, for shapes that a graph computes and for constants of activations.
#include <algorithm>
#include <cmath>

#include "model/base/named.hpp"
#include "model/onnx/onnx_model.hpp"

namespace ooc {
namespace {

using Inputs = std::vector<const TracedTensor*>;
using Folded = std::optional<OnnxNumbers>;

OnnxDims place_of(std::int64_t index, const OnnxDims& dims) {
  OnnxDims place(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; index /= dims[d]) place[d] = index % dims[d];
  return place;
}

/// Within what no index overflows.
std::int64_t whole(double n) { return std::isfinite(n) ? static_cast<std::int64_t>(std::clamp(n, -1e14, 1e14)) : 0; }

std::int64_t index_of(const OnnxDims& place, const OnnxDims& dims) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) index = index * dims[d] + place[d];
  return index;
}

/// `from` read at the place that `where` makes of each place of `out`.
template <class Where>
Folded taken(const TracedTensor& from, const TracedTensor& out, Where where) {
  OnnxNumbers values;
  for (std::int64_t i = 0; i < elements(out.dims); ++i) {
    const std::int64_t index = index_of(where(place_of(i, out.dims)), from.dims);
    if (index < 0 || index >= std::ssize(*from.values)) return std::nullopt;
    values.push_back((*from.values)[static_cast<std::size_t>(index)]);
  }
  return values;
}

/// Aligned at the last dimension; a size of 1 is repeated.
Folded spread(const TracedTensor& from, const TracedTensor& out) {
  return taken(from, out, [&](const OnnxDims& place) {
    OnnxDims own(from.dims.size());
    const std::size_t more = out.dims.size() - from.dims.size();
    for (std::size_t d = 0; d < own.size(); ++d) own[d] = from.dims[d] == 1 ? 0 : place[d + more];
    return own;
  });
}

Folded combined(const std::string& op, const Inputs& in, const TracedTensor& out) {
  static const std::map<std::string_view, double (*)(double, double)> kOperators = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Mod", [](double a, double b) { return a - std::floor(a / b) * b; }},
      {"Pow", [](double a, double b) { return std::pow(a, b); }},
      {"Min", [](double a, double b) { return std::min(a, b); }},
      {"Max", [](double a, double b) { return std::max(a, b); }},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }}};
  const auto found = kOperators.find(op);
  if (found == kOperators.end()) return std::nullopt;
  Folded a = spread(*in[0], out);
  const Folded b = spread(*in[1], out);
  if (!a || !b) return std::nullopt;
  for (std::size_t i = 0; i < a->size(); ++i) {
    (*a)[i] = found->second((*a)[i], (*b)[i]);
    if (!is_floating(in[0]->type)) (*a)[i] = std::trunc((*a)[i]);
    if (!std::isfinite((*a)[i])) return std::nullopt;
  }
  return a;
}

Folded unary(const std::string& op, const TracedTensor& in, int type) {
  OnnxNumbers values = *in.values;
  for (double& value : values) {
    if (op == "Neg") value = -value;
    if (op == "Floor") value = std::floor(value);
    if (op == "Ceil") value = std::ceil(value);
    if (op == "Sqrt") value = std::sqrt(value);
    if (op == "Not") value = value == 0 ? 1 : 0;
    if (op == "Cast" && !is_floating(type)) value = std::trunc(value);
  }
  return values;
}

Folded gathered(const OnnxNode& node, const Inputs& in, const TracedTensor& out) {
  const std::int64_t rank = std::ssize(in[0]->dims);
  const auto axis = static_cast<std::ptrdiff_t>((node.integer("axis", 0) + rank) % rank);
  return taken(*in[0], out, [&](OnnxDims place) {
    const auto first = place.begin() + axis;
    const auto last = first + std::ssize(in[1]->dims);
    const std::int64_t index = index_of(OnnxDims(first, last), in[1]->dims);
    const std::int64_t at = whole((*in[1]->values)[static_cast<std::size_t>(index)]);
    place.insert(place.erase(first, last), at < 0 ? at + in[0]->dims[static_cast<std::size_t>(axis)] : at);
    return place;
  });
}

Folded sliced(const Inputs& in, const TracedTensor& out) {
  OnnxDims begins(out.dims.size(), 0);
  OnnxDims steps(out.dims.size(), 1);
  const auto rank = static_cast<double>(out.dims.size());
  for (std::size_t i = 0; i < in[1]->values->size(); ++i) {
    const auto number = [&](std::size_t at, double otherwise) {
      const bool given = at < in.size() && in[at] != nullptr && i < in[at]->values->size();
      return given ? (*in[at]->values)[i] : otherwise;
    };
    const double axis = number(3, static_cast<double>(i));
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    const auto size = static_cast<double>(in[0]->dims[d]);
    const double begin = number(1, 0) < 0 ? number(1, 0) + size : number(1, 0);
    begins[d] = whole(std::clamp(begin, 0.0, std::max(0.0, size - 1)));
    steps[d] = whole(number(4, 1));
  }
  return taken(*in[0], out, [&](OnnxDims place) {
    for (std::size_t d = 0; d < place.size(); ++d) place[d] = begins[d] + place[d] * steps[d];
    return place;
  });
}

Folded transposed(const OnnxNode& node, const TracedTensor& in, const TracedTensor& out) {
  OnnxDims order = node.integers("perm");
  while (order.size() < in.dims.size()) order.push_back(std::ssize(in.dims) - 1 - std::ssize(order));
  return taken(in, out, [&](const OnnxDims& place) {
    OnnxDims own(place.size());
    for (std::size_t d = 0; d < own.size(); ++d) own[static_cast<std::size_t>((order[d] + std::ssize(own)) % std::ssize(own))] = place[d];
    return own;
  });
}

/// By the first input where the condition holds.
Folded chosen(const Inputs& in, const TracedTensor& out) {
  const Folded which = spread(*in[0], out);
  Folded yes = spread(*in[1], out);
  const Folded no = spread(*in[2], out);
  if (!which || !yes || !no) return std::nullopt;
  for (std::size_t i = 0; i < yes->size(); ++i) {
    if ((*which)[i] == 0) (*yes)[i] = (*no)[i];
  }
  return yes;
}

/// Lists behind each other: along other axes nobody computes shapes.
Folded joined(const OnnxNode& node, const Inputs& in) {
  if (node.integer("axis", 0) != 0) return std::nullopt;
  OnnxNumbers values;
  for (const auto* each : in) values.insert(values.end(), each->values->begin(), each->values->end());
  return values;
}

Folded product(const TracedTensor& in, const TracedTensor& out) {
  if (elements(out.dims) != 1) return std::nullopt;
  double all = 1;
  for (const double each : *in.values) all *= each;
  return OnnxNumbers{all};
}

}  // namespace

void fold_values(const OnnxNode& node, const Inputs& in, TracedTensor& out) {
  const std::string& op = node.op;
  const bool known = !in.empty() && in[0] != nullptr && std::ranges::all_of(in, [](auto* each) {
    return each == nullptr || each->values;
  });
  constexpr std::int64_t kMost = 4096;
  if (!known || elements(out.dims) > kMost) return;
  if (is_one_of(op, {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"})) out.values = in[0]->values;
  if (is_one_of(op, {"Cast", "Neg", "Floor", "Ceil", "Sqrt", "Not"})) out.values = unary(op, *in[0], out.type);
  if (op == "Concat") out.values = joined(node, in);
  if (op == "Gather") out.values = gathered(node, in, out);
  if (op == "Slice" && in.size() > 2) out.values = sliced(in, out);
  if (op == "Transpose") out.values = transposed(node, *in[0], out);
  if (op == "Expand") out.values = spread(*in[0], out);
  if (op == "Where") out.values = chosen(in, out);
  if (op == "ReduceProd") out.values = product(*in[0], out);
  if (in.size() == 2 && in[1] != nullptr && !out.values) out.values = combined(op, in, out);
}

}  // namespace ooc
