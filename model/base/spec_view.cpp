// The readers' view on a value tree. Every getter either returns what was asked for or throws a SpecError with place, line
// and column; the wording of those errors lives here, so that networks and profiles complain alike.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {

SpecNode::SpecNode() = default;
SpecNode::SpecNode(const SpecNode&) = default;
SpecNode::SpecNode(SpecNode&&) noexcept = default;
SpecNode& SpecNode::operator=(const SpecNode&) = default;
SpecNode& SpecNode::operator=(SpecNode&&) noexcept = default;
SpecNode::~SpecNode() = default;

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_word(word, known);
  return nearest ? fmt::format("did you mean {}?", in_quotes(*nearest)) : "";
}

namespace {

std::string join_quoted(std::vector<std::string> words) {
  for (std::string& word : words) word = in_quotes(word);
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The parsed value of a text node, or the parser's words about it as an error at this place.
template <class Value>
Value quantity(const SpecView& view, Parsed<Value> (*parse)(std::string_view)) {
  const bool has_text = view.type() == SpecType::kText || view.type() == SpecType::kNumber;
  // A bare number goes through the parser too: it says which unit to add.
  Parsed<Value> parsed = parse(has_text ? std::string_view(view.node().text) : std::string_view());
  if (auto* error = std::get_if<QuantityError>(&parsed)) {
    view.fail(view.found(), std::move(error->expected));
  }
  return std::get<Value>(parsed);
}

}  // namespace

std::string child_pointer(std::string_view pointer, std::string_view key) {
  std::string child(pointer);
  child += '/';
  for (const char c : key) {
    if (c == '~') {
      child += "~0";
    } else if (c == '/') {
      child += "~1";
    } else {
      child += c;
    }
  }
  return child;
}

SpecView::SpecView(const SpecDocument& document) : SpecView(document.root, document, "") {}

SpecView::SpecView(const SpecNode& node, const SpecDocument& document, std::string pointer)
    : node_(&node),
      document_(&document),
      pointer_(std::move(pointer)),
      asked_(node.type == SpecType::kObject ? std::make_shared<KeysAskedFor>() : nullptr) {}

void SpecView::fail(std::string found, std::string expected, const std::string& hint) const {
  std::string where = fmt::format("line {}, column {}", node_->line, node_->column);
  if (!hint.empty()) where += ", " + hint;
  throw SpecError({file(), pointer_, std::move(found), std::move(expected), std::move(where)});
}

std::string SpecView::found() const {
  switch (node_->type) {
    case SpecType::kNull:
      return "null";
    case SpecType::kBoolean:
      return node_->boolean ? "true" : "false";
    case SpecType::kNumber:
      return node_->text.size() <= 40 ? node_->text : node_->text.substr(0, 40) + "...";
    case SpecType::kText:
      return in_quotes(node_->text);
    case SpecType::kList:
      return node_->items.empty() ? "an empty list"
                                  : fmt::format("a list of {}", node_->items.size());
    case SpecType::kObject:
      return "an object";
  }
  return "nothing";
}

std::optional<SpecView> SpecView::find(std::string_view key) const {
  if (type() != SpecType::kObject) fail(found(), "an object");
  // Once per key: the layer of a repeat's block is read again for every copy with other shapes.
  std::vector<std::string>& keys = asked_->keys;
  if (!contains(keys, key)) keys.emplace_back(key);
  for (const auto& [name, value] : node_->members) {
    if (name == key) return SpecView(value, *document_, child_pointer(pointer_, name));
  }
  return std::nullopt;
}

SpecView SpecView::get(std::string_view key) const {
  if (std::optional<SpecView> value = find(key)) return *std::move(value);
  std::vector<std::string> unread;
  for (const auto& [name, value] : node_->members) {
    if (!contains(asked_->keys, name)) unread.push_back(name);
  }
  const std::optional<std::string> misspelt = nearest_word(key, unread);
  fail(fmt::format("no {}", in_quotes(key)), fmt::format("an object with {}", in_quotes(key)),
       misspelt ? fmt::format("is {} meant to be it?", in_quotes(*misspelt)) : "");
}

std::vector<std::pair<std::string, SpecView>> SpecView::members() const {
  if (type() != SpecType::kObject) fail(found(), "an object");
  std::vector<std::pair<std::string, SpecView>> views;
  views.reserve(node_->members.size());
  for (const auto& [name, value] : node_->members) {
    asked_->keys.push_back(name);
    views.emplace_back(name, SpecView(value, *document_, child_pointer(pointer_, name)));
  }
  return views;
}

void SpecView::reject_unknown_keys(std::initializer_list<std::string_view> also_known) const {
  if (type() != SpecType::kObject) fail(found(), "an object");
  std::vector<std::string> known = asked_->keys;
  known.insert(known.end(), also_known.begin(), also_known.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const auto& [name, value] : node_->members) {
    if (std::ranges::binary_search(known, name)) continue;
    const SpecView unknown(value, *document_, child_pointer(pointer_, name));
    unknown.fail(fmt::format("unknown key {}", in_quotes(name)),
                 known.empty() ? "no keys here" : "one of " + join_quoted(known),
                 nearest_hint(name, known));
  }
}

std::vector<SpecView> SpecView::items() const {
  if (type() != SpecType::kList) fail(found(), "a list");
  std::vector<SpecView> views;
  views.reserve(node_->items.size());
  for (const SpecNode& item : node_->items) {
    views.push_back(
        SpecView(item, *document_, child_pointer(pointer_, std::to_string(views.size()))));
  }
  return views;
}

std::vector<std::string> SpecView::as_texts() const {
  if (type() == SpecType::kText) return {node_->text};
  std::vector<std::string> texts;
  for (const SpecView& item : items()) texts.push_back(item.as_text());
  return texts;
}

std::string SpecView::as_text() const {
  if (type() != SpecType::kText) fail(found(), "text in quotes");
  return node_->text;
}

bool SpecView::as_boolean() const {
  if (type() != SpecType::kBoolean) fail(found(), "true or false");
  return node_->boolean;
}

std::optional<Int128> SpecView::symbol() const {
  return type() == SpecType::kText ? document_->symbols.read(node_->text) : std::nullopt;
}

std::int64_t SpecView::as_integer(std::int64_t lowest, std::int64_t highest) const {
  if (const std::optional<Int128> value = symbol()) {
    if (*value >= lowest && *value <= highest) return static_cast<std::int64_t>(*value);
    fail(fmt::format("{}, which is {}", found(), *value),
         fmt::format("an integer from {} to {}", lowest, highest));
  }
  const bool inside = node_->integer && *node_->integer >= lowest && *node_->integer <= highest;
  if (type() != SpecType::kNumber || !inside) {
    const std::string expected = lowest == highest
                                     ? fmt::format("{}", lowest)
                                     : fmt::format("an integer from {} to {}", lowest, highest);
    const std::vector<std::string> known = document_->symbols.names();
    if (type() != SpecType::kText || known.empty()) fail(found(), expected);
    fail(found(), expected + ", or a symbol, as " + in_quotes(known.front()) + " or " +
                      in_quotes("2*" + known.front()));
  }
  return *node_->integer;
}

bool SpecView::flag(std::string_view key, bool otherwise) const {
  const std::optional<SpecView> value = find(key);
  return value ? value->as_boolean() : otherwise;
}

double SpecView::as_number() const {
  if (type() != SpecType::kNumber) fail(found(), "a number");
  return node_->number;
}

std::string SpecView::as_choice(const std::vector<std::string>& choices) const {
  if (type() == SpecType::kText) {
    if (contains(choices, node_->text)) return node_->text;
    fail(found(), "one of " + join_quoted(choices), nearest_hint(node_->text, choices));
  }
  fail(found(), "one of " + join_quoted(choices));
}

Bytes SpecView::as_bytes() const { return quantity(*this, &parse_bytes); }
Duration SpecView::as_duration() const { return quantity(*this, &parse_duration); }
BytesPerSecond SpecView::as_rate() const { return quantity(*this, &parse_rate); }
BytesPerSecond SpecView::as_update_rate() const { return quantity(*this, &parse_update_rate); }
FlopsPerSecond SpecView::as_flop_rate() const { return quantity(*this, &parse_flop_rate); }

double SpecView::as_ratio(double lowest, double highest) const {
  const double ratio =
      type() == SpecType::kNumber ? node_->number : quantity<double>(*this, &parse_ratio);
  if (!(ratio >= lowest && ratio <= highest)) {
    fail(found(), fmt::format("a ratio from {} to {}", lowest, highest));
  }
  return ratio;
}

void check_format(const SpecView& root, std::string_view format,
                  const std::vector<std::pair<std::string, std::string>>& others) {
  (void)root.find("$schema");
  const SpecView given = root.get("format");
  const std::string name = given.as_text();
  if (name != format) {
    const auto* other = find_named(others, name);
    given.fail(given.found(), in_quotes(format), other != nullptr ? other->second : "");
  }
  const SpecView version = root.get("version");
  if (version.node().integer == 1) return;
  version.fail(version.found(), "1", "the version of the format, not of the file");
}

// Values without a place in a file.

namespace {

SpecNode node_of(SpecType type) {
  SpecNode node;
  node.type = type;
  return node;
}

}  // namespace

SpecNode boolean_node(bool value) {
  SpecNode node = node_of(SpecType::kBoolean);
  node.boolean = value;
  return node;
}

SpecNode number_node(double value) {
  SpecNode node = node_of(SpecType::kNumber);
  node.number = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode integer_node(std::int64_t value) {
  SpecNode node = node_of(SpecType::kNumber);
  node.number = static_cast<double>(value);
  node.integer = value;
  node.text = fmt::format("{}", value);
  return node;
}

SpecNode text_node(std::string_view text) {
  SpecNode node = node_of(SpecType::kText);
  node.text = text;
  return node;
}

SpecNode list_node(std::vector<SpecNode> items) {
  SpecNode node = node_of(SpecType::kList);
  node.items = std::move(items);
  return node;
}

SpecNode object_node(std::vector<std::pair<std::string, SpecNode>> members) {
  SpecNode node = node_of(SpecType::kObject);
  node.members = std::move(members);
  return node;
}

void put(SpecNode& object, std::string key, SpecNode value) {
  object.members.emplace_back(std::move(key), std::move(value));
}

// One product of a number and a name is all the arithmetic that shapes of transformers need; whoever
// needs more writes the number.

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_numeral(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_symbol_name(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return !text.empty() && text.size() <= kLongest && is_letter(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_letter(c) || is_numeral(c) || c == '_'; });
}

std::string symbols_text(const std::vector<SymbolValue>& symbols) {
  std::string text;
  for (const SymbolValue& each : symbols) {
    text += (text.empty() ? "" : ",") + each.name + '=' + std::to_string(each.value);
  }
  return text;
}

std::vector<std::string> SpecSymbols::names() const { return names_of(values_); }

std::optional<Int128> SpecSymbols::read(std::string_view text) const {
  std::int64_t factor = 1;
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    const auto number = integer_in(text.substr(0, star));
    if (!number || !is_numeral(text.front())) return std::nullopt;
    factor = *number;
    text.remove_prefix(star + 1);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].name != text) continue;
    is_read_[i] = true;
    return Int128{factor} * values_[i].value;
  }
  return std::nullopt;
}

const SymbolValue* SpecSymbols::unread() const {
  const auto place = std::ranges::find(is_read_, false);
  return place == is_read_.end() ? nullptr : &values_[std::size_t(place - is_read_.begin())];
}

}  // namespace ooc
