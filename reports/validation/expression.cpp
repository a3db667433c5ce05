// Recursive descent over the text, and a walk over the nodes. Deep nesting is refused: the text comes
// from a file.
#include "reports/validation/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/base/decimal.hpp"
#include "model/base/quantity_io.hpp"

namespace ooc {
namespace {

using Kind = Expression::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  explicit Parser(Expression& out) : out_(out), text_(out.text) {}

  void parse() {
    sum(0);
    skip();
    if (at_ < text_.size()) fail("an operator or the end");
  }

 private:
  [[noreturn]] void fail(std::string expected, const std::string& hint = {}) const {
    const std::string found = at_ < text_.size() ? fmt::format("{} at character {} of {}",
                                                               in_quotes(text_.substr(at_, 12)),
                                                               at_ + 1, in_quotes(text_))
                                                 : fmt::format("the end of {}", in_quotes(text_));
    fail_at(out_.place, found, std::move(expected), hint);
  }

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[nodiscard]] char next() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::size_t add(Expression::Node node) {
    out_.nodes.push_back(std::move(node));
    return out_.nodes.size() - 1;
  }
  std::size_t binary(char operation, std::size_t left, std::size_t right, std::size_t offset) {
    return add({.kind = Kind::kBinary,
                .number = 0,
                .operation = operation,
                .name = {},
                .metric = {},
                .operands = {left, right},
                .offset = offset});
  }

  std::size_t sum(int depth) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) fail(fmt::format("at most {} nested brackets", kDeepest));
    std::size_t left = product(depth);
    while (next() == '+' || next() == '-') {
      const std::size_t offset = at_;
      const char operation = text_[at_++];
      left = binary(operation, left, product(depth), offset);
    }
    return left;
  }

  std::size_t product(int depth) {
    std::size_t left = unary(depth);
    while (next() == '*' || next() == '/') {
      const std::size_t offset = at_;
      const char operation = text_[at_++];
      left = binary(operation, left, unary(depth), offset);
    }
    return left;
  }

  std::size_t unary(int depth) {
    if (next() != '-') return primary(depth);
    const std::size_t offset = at_++;
    const std::size_t operand = primary(depth);
    return add({.kind = Kind::kNegate,
                .number = 0,
                .operation = 0,
                .name = {},
                .metric = {},
                .operands = {operand},
                .offset = offset});
  }

  std::size_t primary(int depth) {
    const char c = next();
    if (c == '(') {
      ++at_;
      const std::size_t inner = sum(depth + 1);
      if (next() != ')') fail("\")\"");
      ++at_;
      return inner;
    }
    if (is_digit(c)) return number();
    if (is_letter(c)) return name(depth);
    fail("a number, a run with a metric such as base.samples_per_s, or a function");
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::size_t number() {
    const std::size_t offset = at_;
    const auto prefix = read_decimal(text_.substr(at_));
    if (!prefix) fail("a number");
    const auto nearest = nearest_double(text_.substr(at_, prefix->length), 0);
    if (!nearest) fail("a number of usual size");
    double value = *nearest;
    at_ += prefix->length;
    value *= literal_unit();
    return add({.kind = Kind::kNumber,
                .number = value,
                .operation = 0,
                .name = {},
                .metric = {},
                .operands = {},
                .offset = offset});
  }

  double literal_unit() {
    if (next() == '%') {
      ++at_;
      return 0.01;
    }
    if (!is_letter(next())) return 1;
    const std::size_t begin = at_;
    const std::string unit = word();
    const double factor = unit_factor(unit);
    if (factor == 1 && unit != "B" && unit != "ns") {
      at_ = begin;
      fail("an operator, or a unit of size or time such as GB or ms");
    }
    return factor;
  }

  std::size_t name(int depth) {
    const std::size_t offset = at_;
    std::string first = word();
    if (next() == '(') return call(std::move(first), offset, depth);
    if (first == "inf") {
      return add({.kind = Kind::kNumber,
                  .number = std::numeric_limits<double>::infinity(),
                  .operation = 0,
                  .name = {},
                  .metric = {},
                  .operands = {},
                  .offset = offset});
    }
    Expression::Node node{.kind = Kind::kParameter,
                          .number = 0,
                          .operation = 0,
                          .name = std::move(first),
                          .metric = {},
                          .operands = {},
                          .offset = offset};
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      node.kind = Kind::kMetric;
      node.metric = word();
      if (node.metric.empty()) fail("the name of a metric, such as samples_per_s");
    }
    return add(std::move(node));
  }

  std::size_t call(std::string function, std::size_t offset, int depth) {
    const SeriesFunction* known = find_series_function(function);
    if (known == nullptr) {
      at_ = offset;
      std::vector<std::string> names;
      for (const SeriesFunction& each : series_functions()) names.emplace_back(each.name);
      const auto near = nearest_word(function, names);
      fail(fmt::format("one of the functions {}", fmt::join(names, ", ")),
           near ? fmt::format("did you mean {}?", *near) : "");
    }
    ++at_;
    std::vector<std::size_t> operands{sum(depth + 1)};
    while (next() == ',') {
      ++at_;
      operands.push_back(sum(depth + 1));
    }
    if (next() != ')') fail("\",\" or \")\"");
    if (operands.size() < known->least || operands.size() > known->most) {
      at_ = offset;
      fail(fmt::format("{} with {} arguments", function,
                       known->least == known->most ? std::to_string(known->least)
                                                   : fmt::format("{} or more", known->least)));
    }
    ++at_;
    return add({.kind = Kind::kCall,
                .number = 0,
                .operation = 0,
                .name = std::move(function),
                .metric = {},
                .operands = std::move(operands),
                .offset = offset});
  }

  Expression& out_;
  std::string_view text_;
  std::size_t at_ = 0;
};

double combined(char operation, double a, double b) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
  }
}

/// Point by point; a single number stands for every point.
Series combined(const Expression& expression, const Expression::Node& node, const Series& a,
                const Series& b) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) {
    fail_at(expression.place,
            fmt::format("{} and {} points on the two sides of \"{}\" in {}", a.size(), b.size(),
                        node.operation, in_quotes(expression.text)),
            "as many on both, or one number");
  }
  Series out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = combined(node.operation, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return out;
}

}  // namespace

double unit_factor(std::string_view unit) {
  if (unit == "%") return 0.01;
  const std::string one = "1 " + std::string(unit);
  if (const auto bytes = parse_bytes(one); const auto* value = std::get_if<Bytes>(&bytes)) {
    return static_cast<double>(value->count());
  }
  if (const auto time = parse_duration(one); const auto* value = std::get_if<Duration>(&time)) {
    return static_cast<double>(value->count());
  }
  if (const auto rate = parse_rate(one); const auto* value = std::get_if<BytesPerSecond>(&rate)) {
    return static_cast<double>(value->count());
  }
  return 1;
}

Expression parse_expression(std::string text, const Place& place) {
  constexpr std::size_t kLongest = 2000;
  Expression expression{.text = std::move(text), .place = place, .nodes = {}};
  if (expression.text.size() > kLongest) {
    fail_at(place, fmt::format("a formula of {} characters", expression.text.size()),
            fmt::format("at most {}", kLongest));
  }
  Parser(expression).parse();
  return expression;
}

Expression constant_expression(double number, const Place& place) {
  Expression expression{.text = fmt::format("{}", number), .place = place, .nodes = {}};
  expression.nodes.push_back({.kind = Kind::kNumber,
                              .number = number,
                              .operation = 0,
                              .name = {},
                              .metric = {},
                              .operands = {},
                              .offset = 0});
  return expression;
}

bool is_constant(const Expression& expression) {
  return std::none_of(expression.nodes.begin(), expression.nodes.end(), [](const auto& node) {
    return node.kind == Kind::kMetric || node.kind == Kind::kParameter;
  });
}

std::vector<std::string> runs_in(const Expression& expression) {
  std::vector<std::string> names;
  for (const Expression::Node& node : expression.nodes) {
    if (node.kind != Kind::kMetric) continue;
    if (std::find(names.begin(), names.end(), node.name) == names.end()) names.push_back(node.name);
  }
  return names;
}

Series evaluate(const Expression& expression, const Meanings& meanings) {
  std::vector<Series> values;
  values.reserve(expression.nodes.size());
  for (const Expression::Node& node : expression.nodes) {
    switch (node.kind) {
      case Kind::kNumber:
        values.push_back({node.number});
        break;
      case Kind::kMetric:
        values.push_back(meanings.metric(node.name, node.metric, expression));
        break;
      case Kind::kParameter:
        values.push_back(meanings.parameter(node.name, expression));
        break;
      case Kind::kNegate: {
        Series negated = values[node.operands[0]];
        for (double& value : negated) value = -value;
        values.push_back(std::move(negated));
        break;
      }
      case Kind::kBinary:
        values.push_back(
            combined(expression, node, values[node.operands[0]], values[node.operands[1]]));
        break;
      case Kind::kCall: {
        std::vector<Series> arguments;
        for (const std::size_t operand : node.operands) arguments.push_back(values[operand]);
        values.push_back(find_series_function(node.name)->apply(arguments));
        break;
      }
    }
  }
  return values.back();
}

}  // namespace ooc
