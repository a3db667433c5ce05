// The template of a family filled in (symbols, inputs, layers), and the frame of the file.
#include "model/network/import_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/text_file.hpp"
#include "model/layers/attributes.hpp"
#include "model/network/family_scope.hpp"
#include "model/network/layer_tree.hpp"
#include "model/network/network_json.hpp"

namespace ooc {
namespace {

/// The layers of a family's template, with conditions, parts and layers that differ worked out.
class TemplateLayers {
 public:
  explicit TemplateLayers(FamilyScope& scope) : scope_(scope) {}

  [[nodiscard]] std::vector<SpecNode> of(const SpecView& list) {
    std::vector<SpecNode> layers;
    add(list, layers);
    return layers;
  }

 private:
  void add(const SpecView& list, std::vector<SpecNode>& layers) {
    for (const SpecView& item : list.items()) {
      const auto condition = item.find("if");
      if (condition && !scope_.holds(*condition)) continue;
      if (item.find("part")) {
        add_part(item, layers);
      } else if (item.get("type").as_text() == "repeat") {
        add_repeat(item, layers);
      } else {
        layers.push_back(layer(item, layers));
      }
    }
  }

  void add_part(const SpecView& item, std::vector<SpecNode>& layers) {
    const SpecView name = item.get("part");
    const auto part = scope_.family().find("parts", name.as_text());
    if (!part) name.fail(name.found(), "the name of one of the \"parts\"");
    constexpr int kDeepest = 20;
    if (depth_ == kDeepest)
      name.fail(name.found() + ", which has itself in it", "parts without circles");
    FamilyScope::Names names;
    for (const auto& [key, value] : item.members()) {
      if (key != "if" && key != "part") names.emplace_back(key, scope_.value(value));
    }
    scope_.add(names);
    ++depth_;
    add(*part, layers);
    --depth_;
    scope_.take_back(names);
  }

  [[nodiscard]] SpecNode layer(const SpecView& item, const std::vector<SpecNode>& before) {
    SpecNode made = object_node({});
    for (const auto& [key, member] : item.members()) {
      if (key == "if") continue;
      SpecNode value = *scope_.value(member).node;
      if (key == "inputs") choose_inputs(value, before);
      if (value.type != SpecType::kNull) made.members.emplace_back(key, std::move(value));
    }
    return made;
  }

  /// Of "a|b|c" the first that is among the layers before, else the last.
  static void choose_inputs(SpecNode& inputs, const std::vector<SpecNode>& before) {
    const auto is_there = [&](const std::string& name) {
      return std::ranges::any_of(before, [&](const SpecNode& layer) {
        return std::ranges::any_of(layer.members, [&](const auto& member) {
          return member.first == "name" && member.second.text == name;
        });
      });
    };
    for (SpecNode& input : inputs.items) {
      for (std::size_t bar = input.text.find('|'); bar != std::string::npos;
           bar = input.text.find('|')) {
        if (is_there(input.text.substr(0, bar))) {
          input.text.erase(bar);
        } else {
          input.text.erase(0, bar + 1);
        }
      }
    }
  }

  /// Where layers differ a repeat for each run of those that are alike, named by its first.
  void add_repeat(const SpecView& item, std::vector<SpecNode>& layers) {
    const SpecView times = item.get("times");
    const std::int64_t count = scope_.integer(times, 1, kMaxTimes);
    const auto by_layer = item.find("by_layer");
    constexpr int kMostRuns = 1000;  // each is written out
    int runs = 0;
    std::int64_t first = 0;
    FamilyScope::Names names = names_at(by_layer, 0);
    while (first < count) {
      if (++runs > kMostRuns) {
        const std::string key = scope_.value(times).key;
        const SpecView at_fault = key.empty() ? times : scope_.config().get(key);
        at_fault.fail(at_fault.found(),
                      fmt::format("at most {} runs of layers that are alike", kMostRuns));
      }
      std::int64_t end = first + 1;
      FamilyScope::Names next;
      for (; by_layer && end < count; ++end) {
        next = names_at(by_layer, end);
        if (!alike(next, names)) break;
      }
      if (!by_layer) end = count;
      scope_.add(names);
      layers.push_back(run(item, first, end - first, end - first == count));
      scope_.take_back(names);
      first = end;
      names = std::move(next);
    }
  }

  [[nodiscard]] FamilyScope::Names names_at(const std::optional<SpecView>& by_layer,
                                            std::int64_t layer) {
    FamilyScope::Names names;
    if (!by_layer) return names;
    const FamilyScope::Names here{{"layer", family_value(integer_node(layer))}};
    scope_.add(here);
    for (const auto& [name, spec] : by_layer->members())
      names.emplace_back(name, scope_.value(spec));
    scope_.take_back(here);
    return names;
  }

  [[nodiscard]] static bool alike(const FamilyScope::Names& a, const FamilyScope::Names& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return is_equal(*x.second.node, *y.second.node);
    });
  }

  [[nodiscard]] SpecNode run(const SpecView& item, std::int64_t first, std::int64_t times,
                             bool is_all) {
    SpecNode made = object_node({});
    for (const auto& [key, member] : item.members()) {
      if (key == "if" || key == "by_layer") continue;
      SpecNode value = key == "layers"  ? list_node(of(member))
                       : key == "times" ? integer_node(times)
                                        : *scope_.value(member).node;
      if (key == "name" && !is_all) value.text += fmt::format(".{}", first);
      made.members.emplace_back(key, std::move(value));
    }
    return made;
  }

  FamilyScope& scope_;
  int depth_ = 0;
};

/// What was asked for, else what is usual, within the positions there are.
std::int64_t length_of(const std::string& name, const SpecView& spec, FamilyScope& scope,
                       const NetworkOptions& options) {
  constexpr std::int64_t kUsual = 4096;
  const auto limit = spec.find("limit");
  const FamilyValue positions = limit ? scope.value(*limit) : family_value({});
  const std::int64_t most = positions.node->integer.value_or(kMaxSize);
  const auto usual = spec.find("usual");
  std::int64_t length =
      usual ? scope.integer(*usual, 1, kMaxSize) : std::min<std::int64_t>(most, kUsual);
  for (const SymbolValue& asked : options.symbols) {
    if (asked.name == name) length = asked.value;
  }
  if (length <= most) return length;
  const bool may = spec.flag("rotary");
  if (may && options.long_sequences) return length;
  const SpecView at_fault = positions.key.empty() ? *limit : scope.config().get(positions.key);
  at_fault.fail(fmt::format("{} positions", most),
                fmt::format("at least {}, the length of the sequence", length),
                may ? "--allow-long takes rotary positions beyond it" : "they are learned");
}

SpecNode symbols_node(const SpecView& symbols, FamilyScope& scope, const NetworkOptions& options) {
  SpecNode made = object_node({});
  for (const auto& [name, spec] : symbols.members()) {
    made.members.emplace_back(name, integer_node(length_of(name, spec, scope, options)));
    scope.add({{name, family_value(made.members.back().second)}});
  }
  return made;
}

SpecView section(const Family& family, std::string_view name) {
  if (const auto found = family.find(name)) return *found;
  return SpecView(family.files.front()).get(name);  // throws: absent
}

std::string name_of(const SpecDocument& config, const NetworkOptions& options) {
  if (!options.name.empty()) return options.name;
  namespace fs = std::filesystem;
  if (config.file != kStandardInput) {
    const fs::path path(config.file);
    if (path.stem() != "config") return path.stem().string();
    std::error_code ignored;
    const fs::path folder = fs::absolute(path, ignored).lexically_normal().parent_path();
    if (!ignored && folder.has_filename()) return folder.filename().string();
  }
  return SpecView(config).get("model_type").as_text();
}

std::string source_of(const SpecView& config, const NetworkOptions& options) {
  if (!options.source.empty()) return options.source;
  const auto classes = config.find("architectures");
  const bool has_class = classes && !classes->node().items.empty();
  return "config.json of " +
         (has_class ? classes->items().front() : config.get("model_type")).as_text();
}

}  // namespace

std::string_view kernels_name(ImportKernels kernels) {
  return text_at(kernels, {"eager", "sdpa", "fused"});
}

bool is_checkpoint_config(const SpecDocument& document) {
  const auto& members = document.root.members;
  return find_named(members, "model_type") != nullptr && find_named(members, "format") == nullptr;
}

std::string import_config(const SpecDocument& document, const NetworkOptions& options) {
  const SpecView config(document);
  const Family family = find_family(config, options.families);
  FamilyScope scope(config, family, options);
  SpecNode file = object_node({
      {"$schema", text_node("network.schema.json")},
      {"format", text_node("ooc-paleo/network")},
      {"version", integer_node(1)},
      {"name", text_node(name_of(document, options))},
      {"source", text_node(source_of(config, options))},
      {"description",
       text_node(fmt::format("imported with --kernels {}",
                             kernels_name(options.kernels.value_or(ImportKernels::kSdpa))) +
                 (options.loss.empty() ? "" : " --loss " + options.loss))},
      {"batch", integer_node(1)},
      {"precision", text_node("bf16")},
      {"optimizer", text_node("adam")},
  });
  if (const auto symbols = family.find("symbols")) {
    file.members.emplace_back("symbols", symbols_node(*symbols, scope, options));
  }
  file.members.emplace_back("inputs", *scope.value(section(family, "inputs")).node);
  file.members.emplace_back("layers",
                            list_node(TemplateLayers(scope).of(section(family, "layers"))));
  return json_text(file);
}

}  // namespace ooc
