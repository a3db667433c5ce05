// Keys that are absent or null have the defaults of Hugging Face's configuration classes, which family files
// state. Keys that no expression asks for are ignored, as configs are full of them.
#include "model/network/family_scope.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "model/base/errors.hpp"
#include "model/layers/attributes.hpp"
#include "model/network/network_json.hpp"

namespace ooc {

// Finding and checking of family files. Expressions are parsed here, so that a slip in a branch that no config
// takes is told all the same.

namespace {

namespace fs = std::filesystem;

void check_texts(const SpecView& view) {
  if (view.type() == SpecType::kText) {
    const std::string text = view.as_text();
    if (text.starts_with('=')) return check_expression(std::string_view(text).substr(1), view);
    (void)fill_braces(text, [&](std::string_view expression) {
      check_expression(expression, view);
      return "";
    });
  } else if (view.type() == SpecType::kList) {
    for (const SpecView& item : view.items()) check_texts(item);
  } else if (view.type() == SpecType::kObject) {
    for (const auto& [key, value] : view.members()) {
      if (key == "if" || key == "that") {
        check_expression(value.as_text(), value);
      } else {
        check_texts(value);
      }
    }
  }
}

void check_file(const SpecView& root) {
  check_format(root, "ooc-paleo/family");
  root.reject_unknown_keys({"description", "model_types", "base", "heads", "keys", "words",
                            "refuse", "require", "values", "symbols", "inputs", "layers", "parts"});
  if (const auto keys = root.find("keys")) {
    for (const auto& [name, key] : keys->members()) {
      key.reject_unknown_keys({"key", "is", "of", "least", "most", "default"});
    }
  }
  if (const auto required = root.find("require")) {
    for (const SpecView& each : required->items()) {
      for (const char* key : {"that", "key", "expected"}) (void)each.get(key).as_text();
      each.reject_unknown_keys();
    }
  }
  if (const auto symbols = root.find("symbols")) {
    for (const auto& [name, symbol] : symbols->members()) {
      symbol.reject_unknown_keys({"limit", "usual", "rotary"});
    }
  }
  check_texts(root);
}

/// The one that is called as the family first, the others sorted, so that the folder's order does not matter.
std::vector<std::string> files_of(const std::string& folder, const std::string& name) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  std::stable_partition(files.begin(), files.end(),
                        [&](const std::string& file) { return fs::path(file).stem() == name; });
  return files;
}

void add_bases(Family& family, const std::vector<std::string>& folders) {
  constexpr std::size_t kMost = 8;
  while (const auto base = SpecView(family.files.back()).find("base")) {
    const std::string name = base->as_text();
    if (family.files.size() == kMost) base->fail(base->found(), "no circle of bases");
    std::error_code ignored;
    const auto folder = std::ranges::find_if(folders, [&](const std::string& each) {
      return fs::exists(fs::path(each) / (name + ".json"), ignored);
    });
    if (folder == folders.end()) base->fail(base->found(), "the name of a family file");
    family.files.push_back(read_spec_file((fs::path(*folder) / (name + ".json")).string()));
  }
  for (const SpecDocument& file : family.files) check_file(SpecView(file));
}

}  // namespace

std::optional<SpecView> Family::find(std::string_view section) const {
  for (const SpecDocument& file : files) {
    if (auto found = SpecView(file).find(section)) return found;
  }
  return std::nullopt;
}

std::optional<SpecView> Family::find(std::string_view section, std::string_view name) const {
  for (const SpecDocument& file : files) {
    const auto members = SpecView(file).find(section);
    if (!members) continue;
    if (auto found = members->find(name)) return found;
  }
  return std::nullopt;
}

Family find_family(const SpecView& config, const std::vector<std::string>& folders) {
  const SpecView model_type = config.get("model_type");
  const std::string wanted = model_type.as_text();
  std::vector<std::string> known;
  for (const std::string& folder : folders) {
    for (const std::string& path : files_of(folder, wanted)) {
      Family family;
      family.files.push_back(read_spec_file(path));
      const auto types = SpecView(family.files.front()).find("model_types");
      if (!types) continue;
      for (const SpecView& type : types->items()) {
        known.push_back(type.as_text());
        if (known.back() != wanted) continue;
        add_bases(family, folders);
        return family;
      }
    }
  }
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  model_type.fail(model_type.found(),
                  known.empty() ? "a family file (networks/families), and there is none"
                                : fmt::format("one of {}", fmt::join(known, ", ")),
                  config.find("text_config")
                      ? "its \"text_config\" may be one, in a file of its own"
                      : did_you_mean(wanted, known));
}

namespace {

/// `memory` of the loss that the kernels have; "chunked" is no memory of it but another layer.
std::string loss_of(const NetworkOptions& options, ImportKernels kernels) {
  if (!options.loss.empty()) return options.loss;
  return std::string(text_at(kernels, {"upcast", "eager", "in_place"}));
}

/// The keys of the config that an entry of "keys" reads, in order.
std::vector<std::string> config_keys(const std::string& name, const SpecView& spec) {
  const auto keys = spec.find("key");
  return keys ? keys->as_texts() : std::vector<std::string>{name};
}

/// Anything but null, false, 0, 1 (as of experts) and what is empty.
bool is_on(const SpecNode& node) {
  return family_value(node).is_true() && !(node.type == SpecType::kNumber && node.number == 1);
}

template <class Visit>
void each_key(const Family& family, const Visit& visit) {
  for (const SpecDocument& file : family.files) {
    const auto keys = SpecView(file).find("keys");
    if (!keys) continue;
    for (const auto& [name, spec] : keys->members()) visit(name, spec);
  }
}

double read_cap(const SpecView& value) {
  const double cap = value.as_number();
  if (!(cap >= 1 && cap <= 1e6)) value.fail(value.found(), "a cap from 1 to 1,000,000, or null");
  return cap;
}

double read_share(const SpecView& value, bool is_rate) {
  const double share = value.as_number();
  if (!(share >= 0 && share <= 1)) value.fail(value.found(), "a share from 0 to 1");
  if (is_rate && share == 1) value.fail(value.found(), "a rate below 1");
  return share;
}

/// By layer, whether the list names it.
SpecNode layers_named(const SpecView& list, std::int64_t layers) {
  SpecNode named;
  named.type = SpecType::kList;
  named.items.resize(static_cast<std::size_t>(layers), boolean_node(false));
  for (const SpecView& layer : list.items()) {
    named.items[static_cast<std::size_t>(layer.as_integer(0, layers - 1))].boolean = true;
  }
  return named;
}

}  // namespace

FamilyScope::FamilyScope(const SpecView& config, const Family& family,
                         const NetworkOptions& options)
    : config_(config), family_(family) {
  const auto name = [&](std::string_view key, SpecNode value) {
    names_.emplace_back(std::string(key), family_value(std::move(value)));
  };
  name("model_type", config.get("model_type").node());
  const ImportKernels kernels = options.kernels.value_or(ImportKernels::kSdpa);
  name("fused", boolean_node(kernels == ImportKernels::kFused));
  name("flash", boolean_node(kernels != ImportKernels::kEager));
  name("loss", text_node(loss_of(options, kernels)));
  name("head", text_node(head()));
  refuse();
  require();
  // A bad value is told although no expression asks for it.
  each_key(family, [&](const std::string& key, const SpecView& spec) {
    const auto stated = [&](const std::string& each) { return config_.find(each).has_value(); };
    if (std::ranges::any_of(config_keys(key, spec), stated)) (void)named(key, spec);
  });
}

/// "CausalLM" of "LlamaForCausalLM", "Model" of "LlamaModel"; empty where `architectures` is absent.
std::string FamilyScope::head() const {
  const auto known = family_.find("heads");
  const auto list = config_.find("architectures");
  if (!known || !list || list->type() == SpecType::kNull || list->items().empty()) return {};
  const SpecView first = list->items().front();
  const std::string whole = first.as_text();
  std::string words;
  for (const std::string& each : known->as_texts()) {
    // "LlamaForCausalLM" and "GPT2LMHeadModel", but "GPT2DoubleHeadsModel" is no "Model".
    const bool ends = whole.ends_with(each) && whole.size() > each.size();
    const bool is_bare = each != "Model" || whole.find("Head") == std::string::npos;
    if (ends && is_bare) return each;
    words += fmt::format("{}\"…{}\"", words.empty() ? "" : ", ", each);
  }
  first.fail(first.found(), "a model whose head is understood: " + words);
}

/// A key that a file reads is understood by it, whatever the file that it is based on says.
void FamilyScope::refuse() const {
  std::set<std::string, std::less<>> understood;
  each_key(family_, [&](const std::string& name, const SpecView& spec) {
    for (std::string& key : config_keys(name, spec)) understood.insert(std::move(key));
  });
  for (const SpecDocument& file : family_.files) {
    const auto refused = SpecView(file).find("refuse");
    if (!refused) continue;
    for (const auto& [key, expected] : refused->members()) {
      const auto found = config_.find(key);
      if (!found || understood.contains(key) || !is_on(found->node())) continue;
      found->fail(found->found(), expected.as_text());
    }
  }
}

void FamilyScope::require() {
  for (const SpecDocument& file : family_.files) {
    const auto required = SpecView(file).find("require");
    if (!required) continue;
    for (const SpecView& each : required->items()) {
      if (holds(each.get("that"))) continue;
      const std::string key = each.get("key").as_text();
      const std::string expected = value(each.get("expected")).node->text;
      const auto stated = config_.find(key);
      if (stated) stated->fail(stated->found(), expected);
      config_.fail("no " + in_quotes(key), expected);
    }
  }
}

bool FamilyScope::holds(const SpecView& condition) {
  return evaluate(condition.as_text(), condition).is_true();
}

std::int64_t FamilyScope::integer(const SpecView& spec, std::int64_t lowest, std::int64_t highest) {
  const FamilyValue found = value(spec);
  const auto number = found.node->integer;
  if (number && *number >= lowest && *number <= highest) return *number;
  const SpecView at_fault = found.key.empty() ? spec : config_.get(found.key);
  at_fault.fail(
      number ? fmt::format("{}, which makes {}", at_fault.found(), *number) : at_fault.found(),
      fmt::format("an integer from {} to {}", lowest, highest));
}

FamilyValue FamilyScope::value(const SpecView& spec) {
  constexpr std::int64_t kMost = 2'000'000;  // parts and values may double at every level
  if (++values_ > kMost) spec.fail("more values than that", fmt::format("at most {}", kMost));
  SpecNode made;
  made.type = spec.type();
  if (spec.type() == SpecType::kText) {
    const std::string& text = spec.node().text;
    if (text.starts_with('=')) return evaluate(std::string_view(text).substr(1), spec);
    made.text = fill_braces(text, [&](std::string_view expression) {
      const SpecNode part = *evaluate(expression, spec).node;
      if (part.type != SpecType::kText && !part.integer)
        spec.fail(spec.found(), "texts and whole numbers in braces");
      return part.text;
    });
  } else if (spec.type() == SpecType::kList) {
    for (const SpecView& item : spec.items()) {
      const FamilyValue found = value(item);
      if (!found.is_none()) made.items.push_back(*found.node);
    }
  } else if (spec.type() == SpecType::kObject) {
    for (const auto& [key, member] : spec.members()) {
      const FamilyValue found = value(member);
      if (!found.is_none()) made.members.emplace_back(key, *found.node);
    }
  } else {
    made = spec.node();
  }
  return family_value(std::move(made));
}

FamilyValue FamilyScope::evaluate(std::string_view text, const SpecView& place) {
  return evaluate_expression(text, place, config_,
                             [&](const std::string& name) { return named(name, place); });
}

FamilyValue FamilyScope::named(const std::string& name, const SpecView& place) {
  const auto hidden = std::find_if(names_.rbegin(), names_.rend(),
                                   [&](const auto& each) { return each.first == name; });
  if (hidden != names_.rend()) return hidden->second;
  if (const auto known = bound_.find(name); known != bound_.end()) return known->second;
  constexpr int kDeepest = 50;
  if (depth_ == kDeepest)
    place.fail(in_quotes(name) + ", which needs itself", "values without circles");
  ++depth_;
  std::optional<FamilyValue> found;
  for (const SpecDocument& file : family_.files) {
    const SpecView root(file);
    const auto values = root.find("values");
    const auto keys = root.find("keys");
    if (const auto own = values ? values->find(name) : std::nullopt) {
      found = value(*own);
    } else if (const auto key = keys ? keys->find(name) : std::nullopt) {
      found = bound_[name] = bound(name, *key);
    }
    if (found) break;
  }
  const std::size_t dot = name.rfind('.');
  if (!found && dot != std::string::npos) found = word_field(name, dot, place);
  --depth_;
  if (!found) place.fail("the name " + in_quotes(name), "a name of \"keys\" or \"values\"");
  return *std::move(found);
}

/// "hidden_act.kind": what the table of words that the key is of says of its value.
FamilyValue FamilyScope::word_field(const std::string& name, std::size_t dot,
                                    const SpecView& place) {
  const std::string key = name.substr(0, dot);
  const auto spec = family_.find("keys", key);
  const auto table = spec ? spec->find("of") : std::nullopt;
  const auto words = table ? family_.find("words", table->as_text()) : std::nullopt;
  if (!words)
    place.fail("the name " + in_quotes(name), "a key with a table of words before the dot");
  const auto field = words->get(named(key, place).node->text).find(name.substr(dot + 1));
  return field ? value(*field) : family_value({});
}

FamilyValue FamilyScope::bound(const std::string& name, const SpecView& spec) {
  const std::vector<std::string> keys = config_keys(name, spec);
  for (const std::string& key : keys) {
    const auto stated = config_.find(key);
    if (!stated) continue;
    if (stated->type() != SpecType::kNull) return family_value(read(spec, *stated), key);
    if (const auto is = spec.find("is"); is && is->as_text() == "cap") return family_value({}, key);
  }
  if (const auto otherwise = spec.find("default")) return value(*otherwise);
  return family_value(read(spec, config_.get(keys.front())),
                      keys.front());  // throws: absent or null
}

SpecNode FamilyScope::read(const SpecView& spec, const SpecView& stated) {
  const auto is = spec.find("is");
  const std::string type = is ? is->as_choice({"integer", "number", "cap", "flag", "share", "rate",
                                               "text", "list", "layers", "members"})
                              : "integer";
  const auto of = spec.find("of");
  if (type == "number") return number_node(stated.as_number());
  if (type == "cap") return number_node(read_cap(stated));
  if (type == "flag") return boolean_node(stated.as_boolean());
  if (type == "share" || type == "rate") return number_node(read_share(stated, type == "rate"));
  if (type == "layers") return layers_named(stated, integer(spec.get("of"), 1, kMaxSize));
  if (type == "members") {
    (void)stated.members();
    return integer_node(static_cast<std::int64_t>(stated.node().members.size()));
  }
  if (type == "text" || type == "list") {
    std::vector<std::string> words;
    if (of && of->type() == SpecType::kText) {
      const auto table = family_.find("words", of->as_text());
      if (!table) of->fail(of->found(), "the name of a table of \"words\"");
      for (const auto& [word, meaning] : table->members()) words.push_back(word);
    } else if (of) {
      words = of->as_texts();
    }
    const std::vector<SpecView> texts = type == "text" ? std::vector{stated} : stated.items();
    for (const SpecView& text : texts) {
      if (of) (void)text.as_choice(words);
      if (type == "text") (void)text.as_text();
    }
    return stated.node();
  }
  const auto least = spec.find("least");
  const auto most = spec.find("most");
  return integer_node(stated.as_integer(least ? integer(*least, 0, kMaxSize) : 1,
                                        most ? integer(*most, 0, kMaxSize) : kMaxSize));
}

}  // namespace ooc
