// A parser by recursive descent that evaluates as it goes. In a branch that is not chosen it only parses.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/base/spec_tree.hpp"
#include "model/layers/attributes.hpp"
#include "model/network/family_scope.hpp"

namespace ooc {
namespace {

bool is_name_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_begin(c) || is_figure(c) || c == '.'; }

enum Level { kOr, kAnd, kNot, kComparison, kSum, kProduct, kTightest };
struct Operator {
  std::string_view text;
  Level level;
};
/// One that begins as another stands before it.
constexpr Operator kOperators[] = {{"or", kOr},         {"and", kAnd},       {"==", kComparison},
                                   {"!=", kComparison}, {"<=", kComparison}, {">=", kComparison},
                                   {"<", kComparison},  {">", kComparison},  {"in", kComparison},
                                   {"+", kSum},         {"-", kSum},         {"//", kProduct},
                                   {"/", kProduct},     {"*", kProduct},     {"%", kProduct}};

class Expression {
 public:
  Expression(std::string_view text, const SpecView& place, const SpecView* config,
             const FamilyLookup* lookup)
      : text_(text), place_(place), config_(config), lookup_(lookup), live_(lookup != nullptr) {}

  FamilyValue run() {
    FamilyValue value = conditional();
    if (at_ < text_.size()) fail("an operator or the end");
    return value;
  }

 private:
  /// `a ? b : c`; without `: c` none.
  FamilyValue conditional() {
    constexpr int kDeepest = 50;
    if (++depth_ > kDeepest) fail("fewer parentheses");
    FamilyValue value = binary(kOr);
    if (take("?")) {
      const bool chosen = live_ && value.is_true();
      FamilyValue first = branch(chosen);
      FamilyValue second = take(":") ? branch(live_ && !chosen) : none();
      value = chosen ? std::move(first) : std::move(second);
    }
    --depth_;
    return value;
  }

  FamilyValue branch(bool is_live) {
    const bool before = std::exchange(live_, is_live);
    FamilyValue value = conditional();
    live_ = before;
    return value;
  }

  /// Operators of this level and those that bind tighter.
  FamilyValue binary(int level) {
    if (level == kTightest) return atom();
    if (level == kNot && take_word("not")) {
      const bool negated = !binary(kNot).is_true();
      return family_value(boolean_node(negated));
    }
    skip_spaces();
    const std::size_t begin = at_;
    FamilyValue value = binary(level + 1);
    while (const Operator* sign = take_operator(level)) {
      if (level < kNot) {
        const bool known = value.is_true();
        const bool decided = known == (level == kOr);
        const bool before = std::exchange(live_, live_ && !decided);
        const bool other = binary(level + 1).is_true();
        live_ = before;
        value = family_value(boolean_node(level == kOr ? known || other : known && other));
        continue;
      }
      std::string_view left = text_.substr(begin, at_ - begin - sign->text.size());
      while (left.ends_with(' ')) left.remove_suffix(1);
      const FamilyValue right = binary(level + 1);
      if (!live_) {
        value = none();
      } else if (level > kComparison) {
        value = integers(value, sign->text, right, left);
      } else {
        value = family_value(boolean_node(compared(value, sign->text, right)));
      }
      if (level == kComparison) break;
    }
    return value;
  }

  const Operator* take_operator(int level) {
    for (const Operator& each : kOperators) {
      const bool is_word = each.text >= "a";
      if (each.level == level && (is_word ? take_word(each.text) : take(each.text))) return &each;
    }
    return nullptr;
  }

  [[nodiscard]] bool compared(const FamilyValue& a, std::string_view sign,
                              const FamilyValue& b) const {
    if (sign != "in") return holds(*a.node, sign, *b.node);
    if (b.node->type != SpecType::kList) wrong(b, "a list");
    const auto& items = b.node->items;
    return std::ranges::any_of(items,
                               [&](const SpecNode& item) { return is_equal(item, *a.node); });
  }

  [[nodiscard]] bool holds(const SpecNode& a, std::string_view sign, const SpecNode& b) const {
    if (sign == "==") return is_equal(a, b);
    if (sign == "!=") return !is_equal(a, b);
    const bool numbers = a.type == SpecType::kNumber && b.type == SpecType::kNumber;
    if (!numbers) fail("numbers beside " + in_quotes(sign));
    if (sign == "<") return a.number < b.number;
    if (sign == ">") return a.number > b.number;
    return sign == "<=" ? a.number <= b.number : a.number >= b.number;
  }

  /// `left` is how `a` is written.
  [[nodiscard]] FamilyValue integers(const FamilyValue& a, std::string_view sign,
                                     const FamilyValue& b, std::string_view left) const {
    for (const FamilyValue& each : {a, b}) {
      if (!each.node->integer) wrong(each, "a whole number");
    }
    const Int128 x = *a.node->integer;
    const Int128 y = *b.node->integer;
    const std::string& key = a.key.empty() ? b.key : a.key;
    Int128 result = 0;
    if (sign == "+") {
      result = x + y;
    } else if (sign == "-") {
      result = x - y;
    } else if (sign == "*") {
      result = x * y;
    } else if (y == 0) {
      wrong(b, "a number other than 0");
    } else if (sign == "%") {
      result = x % y;
    } else if (sign == "/" && x % y != 0) {
      wrong(b, fmt::format("a divisor of {}, {}", left, *a.node->integer));
    } else {
      result = x / y;
    }
    if (result > kMaxSize || result < -kMaxSize) {
      wrong(a.key.empty() ? b : a, fmt::format("less: {} is beyond 2^48", text_));
    }
    return family_value(integer_node(static_cast<std::int64_t>(result)), key);
  }

  FamilyValue atom() {
    FamilyValue value = plain_atom();
    while (take("[")) {
      const FamilyValue index = conditional();
      want("]");
      if (live_ && !value.is_none()) value = item(value, index);
    }
    return value;
  }

  [[nodiscard]] FamilyValue item(const FamilyValue& list, const FamilyValue& index) const {
    if (list.node->type != SpecType::kList) wrong(list, "a list");
    const auto place = index.node->integer.value_or(-1);
    const auto& items = list.node->items;
    if (place < 0 || place >= static_cast<std::int64_t>(items.size())) {
      wrong(list, fmt::format("at least {} of them", place + 1));
    }
    return {std::shared_ptr<const SpecNode>(list.node, &items[static_cast<std::size_t>(place)]),
            list.key};
  }

  FamilyValue plain_atom() {
    if (take("(")) {
      FamilyValue value = conditional();
      want(")");
      return value;
    }
    if (take("[")) return list();
    if (take("'")) {
      const std::size_t end = text_.find('\'', at_);
      if (end == std::string_view::npos) fail("a closing '");
      const std::string_view text = text_.substr(at_, end - at_);
      at_ = end + 1;
      return family_value(text_node(text));
    }
    if (at_ < text_.size() && is_figure(text_[at_])) return number();
    if (at_ == text_.size() || !is_name_begin(text_[at_])) fail("a number, a 'text' or a name");
    return named(word());
  }

  FamilyValue list() {
    std::vector<SpecNode> items;
    do {
      items.push_back(*conditional().node);
    } while (take(","));
    want("]");
    return family_value(list_node(std::move(items)));
  }

  FamilyValue number() {
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value > kMaxSize) fail("a number up to 2^48");
    at_ += static_cast<std::size_t>(end - begin);
    return family_value(integer_node(value));
  }

  [[nodiscard]] FamilyValue named(const std::string& name) const {
    if (name == "true" || name == "false") return family_value(boolean_node(name == "true"));
    return live_ && name != "null" ? (*lookup_)(name) : none();
  }

  [[nodiscard]] static FamilyValue none() { return family_value({}); }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// The name or number of characters of one at this place.
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  bool take(std::string_view sign) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  bool take_word(std::string_view wanted) {
    skip_spaces();
    const std::size_t before = at_;
    if (word() == wanted) return true;
    at_ = before;
    return false;
  }
  void want(std::string_view sign) {
    if (!take(sign)) fail(in_quotes(sign));
  }

  /// The config is at fault where the value comes from it.
  [[noreturn]] void wrong(const FamilyValue& value, const std::string& expected) const {
    if (value.key.empty()) fail(expected);
    const SpecView at_fault = config_->get(value.key);
    at_fault.fail(at_fault.found(), expected);
  }
  [[noreturn]] void fail(const std::string& expected) const {
    place_.fail(fmt::format("{} after {} characters of {}", in_quotes(text_.substr(at_)), at_,
                            in_quotes(text_)),
                expected);
  }

  std::string_view text_;
  const SpecView& place_;
  const SpecView* config_;
  const FamilyLookup* lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool live_;
};

}  // namespace

bool FamilyValue::is_true() const {
  switch (node->type) {
    case SpecType::kNull:
      return false;
    case SpecType::kBoolean:
      return node->boolean;
    case SpecType::kNumber:
      return node->number != 0;
    case SpecType::kText:
      return !node->text.empty();
    case SpecType::kList:
      return !node->items.empty();
    case SpecType::kObject:
      return true;
  }
  return false;
}

FamilyValue family_value(SpecNode node, std::string key) {
  return {std::make_shared<const SpecNode>(std::move(node)), std::move(key)};
}

bool is_equal(const SpecNode& a, const SpecNode& b) {
  if (a.type != b.type) return false;
  if (a.type == SpecType::kBoolean) return a.boolean == b.boolean;
  if (a.type == SpecType::kNumber) return a.number == b.number;
  return a.text == b.text && a.items.empty() && b.items.empty();
}

FamilyValue evaluate_expression(std::string_view text, const SpecView& place,
                                const SpecView& config, const FamilyLookup& lookup) {
  return Expression(text, place, &config, &lookup).run();
}

void check_expression(std::string_view text, const SpecView& place) {
  (void)Expression(text, place, nullptr, nullptr).run();
}

}  // namespace ooc
