#include "cli/yaml_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// YAML 1.1, which PyYAML reads: yes and off are booleans.
void set_plain(SpecNode& node, const std::string& text) {
  const std::string word = lower_case(text);
  const bool is_true = is_one_of(word, {"true", "yes", "on"});
  if (is_one_of(word, {"", "~", "null"})) return;
  node.text = text;
  if (is_true || is_one_of(word, {"false", "no", "off"})) {
    node.type = SpecType::kBoolean;
    node.boolean = is_true;
  } else if (const auto number = real_in(text)) {
    node.type = SpecType::kNumber;
    node.number = *number;
    node.integer = integer_in(text);
  } else {
    node.type = SpecType::kText;
  }
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, const ReadLimits& limits) : file_(file), limits_(limits) {}

  SpecNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    expect_value(mark);
    add(node_at(SpecType::kNull, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    expect_value(mark);
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) fail(mark, "an alias within what it stands for", "no circle");
    count(found->second.values, mark);
    add(SpecNode(found->second.node), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    constexpr std::string_view kPlain = "?";
    SpecNode node = node_at(tag == kPlain ? SpecType::kNull : SpecType::kText, mark);
    if (tag == kPlain) {
      set_plain(node, text);
    } else {
      node.text = text;
    }
    is_key() ? add_key(text, mark) : add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(SpecType::kList, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(SpecType::kObject, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    SpecNode node;
    YAML::anchor_t anchor = 0;
    std::int64_t first_value = 0;  ///< how many stood before
    bool has_key = false;
  };
  struct Anchored {
    SpecNode node;
    std::int64_t values = 0;
  };

  [[noreturn]] void fail(const YAML::Mark& mark, std::string found, std::string expected) const {
    throw SpecError(
        {file_, fmt::format("line {}", mark.line + 1), std::move(found), std::move(expected)});
  }
  void count(std::int64_t more, const YAML::Mark& mark) {
    values_ += more;
    if (values_ > limits_.max_values) {
      fail(mark, "more values, aliases written out",
           fmt::format("at most {} values", limits_.max_values));
    }
  }
  SpecNode node_at(SpecType type, const YAML::Mark& mark) {
    count(1, mark);
    SpecNode node;
    node.type = type;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }
  [[nodiscard]] bool is_key() const {
    return !open_.empty() && open_.back().node.type == SpecType::kObject && !open_.back().has_key;
  }
  void expect_value(const YAML::Mark& mark) const {
    if (is_key()) fail(mark, "a key that is no word", "a word, and each bracket closed");
  }
  void add_key(const std::string& key, const YAML::Mark& mark) {
    auto& members = open_.back().node.members;
    const bool again =
        std::ranges::any_of(members, [&](const auto& each) { return each.first == key; });
    if (again) fail(mark, in_quotes(key) + " for the second time", "each key once");
    members.emplace_back(key, SpecNode());
    open_.back().has_key = true;
  }
  void open(SpecType type, const YAML::Mark& mark, YAML::anchor_t anchor) {
    expect_value(mark);
    if (open_.size() >= static_cast<std::size_t>(limits_.max_depth)) {
      fail(mark, "more", fmt::format("a nesting depth of at most {}", limits_.max_depth));
    }
    open_.push_back({.node = node_at(type, mark), .anchor = anchor, .first_value = values_ - 1});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor, values_ - done.first_value);
  }
  void add(SpecNode node, YAML::anchor_t anchor, std::int64_t values = 1) {
    if (anchor != 0) anchored_[anchor] = {.node = node, .values = values};
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (SpecNode& to = open_.back().node; to.type == SpecType::kList) {
      to.items.push_back(std::move(node));
    } else {
      to.members.back().second = std::move(node);
      open_.back().has_key = false;
    }
  }

  const std::string& file_;
  const ReadLimits& limits_;
  SpecNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::int64_t values_ = 0;
};

}  // namespace

SpecDocument read_yaml_text(std::string_view text, const std::string& file,
                            const ReadLimits& limits) {
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file, limits);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    throw SpecError({file, fmt::format("line {}", error.mark.line + 1), error.msg, "YAML"});
  }
  return {.file = file, .root = builder.take()};
}

}  // namespace ooc
