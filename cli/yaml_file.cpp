#include "cli/yaml_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

/// By YAML 1.1, which PyYAML reads: yes and off are booleans.
void set_plain(SpecNode& node) {
  const std::string word = lower_case(node.text);
  const bool is_true = is_one_of(word, {"true", "yes", "on"});
  if (is_true || is_one_of(word, {"false", "no", "off"})) {
    node.type = SpecType::kBoolean;
    node.boolean = is_true;
  } else if (const auto number = real_in(node.text)) {
    node.type = SpecType::kNumber;
    node.number = *number;
    node.integer = integer_in(node.text);
  }
}

class TreeBuilder {
 public:
  TreeBuilder(const std::string& file, const ReadLimits& limits) : file_(file), limits_(limits) {}

  SpecNode build(const YAML::Node& from) {
    const YAML::Mark mark = from.Mark();
    if (std::ranges::any_of(open_, [&](const YAML::Node& each) { return each.is(from); })) {
      fail(mark, "an alias within what it stands for", "no circle");
    }
    if (++values_ > limits_.max_values) {
      const std::size_t member = open_.size() > 1 ? 1 : 0;  // of the document, not behind an alias
      fail(open_.at(member).Mark(), "more values, aliases written out",
           fmt::format("at most {} values", limits_.max_values));
    }
    SpecNode node;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    if (from.IsScalar()) {
      constexpr std::string_view kPlain = "?";
      node.type = SpecType::kText;
      node.text = from.Scalar();
      if (from.Tag() == kPlain) set_plain(node);
    } else if (!from.IsNull()) {
      if (std::ssize(open_) >= limits_.max_depth) {
        fail(mark, "more", fmt::format("a nesting depth of at most {}", limits_.max_depth));
      }
      open_.push_back(from);
      from.IsMap() ? add_members(node, from) : add_items(node, from);
      open_.pop_back();
    }
    return node;
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, std::string found, std::string expected) const {
    throw SpecError(
        {file_, fmt::format("line {}", mark.line + 1), std::move(found), std::move(expected)});
  }
  void add_items(SpecNode& node, const YAML::Node& from) {
    node.type = SpecType::kList;
    for (const YAML::Node& item : from) node.items.push_back(build(item));
  }
  void add_members(SpecNode& node, const YAML::Node& from) {
    node.type = SpecType::kObject;
    for (const auto& each : from) {
      const YAML::Node& key = each.first;
      if (!key.IsScalar()) {
        fail(key.Mark(), "a key that is no word", "a word, and each bracket closed");
      }
      if (find_named(node.members, key.Scalar()) != nullptr) {
        fail(key.Mark(), in_quotes(key.Scalar()) + " for the second time", "each key once");
      }
      node.members.emplace_back(key.Scalar(), build(each.second));
    }
  }

  const std::string& file_;
  const ReadLimits& limits_;
  std::vector<YAML::Node> open_;  ///< lists and maps that the value at hand is in
  std::int64_t values_ = 0;
};

}  // namespace

SpecDocument read_yaml_text(std::string_view text, const std::string& file,
                            const ReadLimits& limits) {
  constexpr std::size_t kMostBytes = 1 << 20;  // yaml-cpp's nodes take 300 times as much
  if (text.size() > kMostBytes) {
    throw SpecError({file, "", fmt::format("{} bytes", text.size()), "at most 1 MiB of YAML"});
  }
  try {
    return {.file = file, .root = TreeBuilder(file, limits).build(YAML::Load(std::string(text)))};
  } catch (const YAML::DeepRecursion& error) {
    throw SpecError({file, fmt::format("line {}", error.mark.line + 1), "more",
                     fmt::format("a nesting depth of at most {}", limits.max_depth)});
  } catch (const YAML::Exception& error) {
    throw SpecError({file, fmt::format("line {}", error.mark.line + 1), error.msg, "YAML"});
  }
}

}  // namespace ooc
