// Finding and checking of family files. Expressions are parsed here, so that a slip in a branch that no config
// takes is told all the same.
#include "model/network/family_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "model/base/suggest.hpp"
#include "model/network/family_expression.hpp"

namespace ooc {
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
  const SpecView format = root.get("format");
  if (format.as_text() != "ooc-paleo/family") format.fail(format.found(), "\"ooc-paleo/family\"");
  (void)root.get("version").as_integer(1, 1);
  root.reject_unknown_keys({"$schema", "description", "model_types", "base", "heads", "keys",
                            "words", "refuse", "require", "values", "symbols", "inputs", "layers",
                            "parts"});
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
  std::sort(files.begin(), files.end());
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
    const auto folder = std::find_if(folders.begin(), folders.end(), [&](const std::string& each) {
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

Family find_family(const SpecView& model_type, const std::vector<std::string>& folders) {
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
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  model_type.fail(model_type.found(),
                  known.empty() ? "a family file (networks/families), and there is none"
                                : fmt::format("one of {}", fmt::join(known, ", ")),
                  did_you_mean(wanted, known));
}

}  // namespace ooc
