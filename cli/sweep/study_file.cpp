#include "cli/sweep/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/locate.hpp"
#include "model/base/option_text.hpp"
#include "model/base/suggest.hpp"
#include "simulator/predict/options.hpp"

namespace ooc {
namespace {

constexpr std::string_view kFormat = "ooc-paleo/study";
constexpr std::string_view kNetworkList = "NETWORK";
/// Who works on results, and how, is no part of what is studied.
constexpr std::string_view kNotOfStudies[] = {"--dry-run",   "--format", "--jobs", "--max-input",
                                              "--overwrite", "--quiet",  "--rows"};

/// Nor is where results go: a study from elsewhere must not choose a file to replace.
bool is_of_studies(const Flag& flag) {
  return flag.completes != Completes::kFiles &&
         std::find(std::begin(kNotOfStudies), std::end(kNotOfStudies), flag.name) ==
             std::end(kNotOfStudies);
}

/// "--far-memory" as "far_memory".
std::string key_of(std::string_view flag) {
  std::string key(flag.starts_with("--") ? flag.substr(2) : flag);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

bool is_axis(std::string_view flag) {
  const auto kinds = axis_kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const Option& kind) { return kind.flag == flag; });
}

/// What stands between the values of its list.
char separator_of(std::string_view flag) {
  return is_axis(flag) ? axis_kinds()[axis_place(flag)].separator : ',';
}

/// As the command line would have it.
std::string text_of(const SpecView& value) {
  const SpecNode& node = value.node();
  if (node.type == SpecType::kText || node.type == SpecType::kNumber) {
    if (!trimmed(node.text).empty()) return node.text;
  }
  value.fail(value.found(), "a text or a number, as its flag takes it");
}

void check_format(const SpecView& root) {
  (void)root.find("$schema");
  const SpecView format = root.get("format");
  if (format.as_text() != kFormat) {
    format.fail(format.found(), in_quotes(kFormat), "networks want --hardware beside them");
  }
  for (const char* text : {"name", "description"}) {
    if (const auto found = root.find(text)) (void)found->as_text();
  }
  const SpecView version = root.get("version");
  if (version.node().integer != 1) {
    version.fail(version.found(), "1", "the version of the format, not of the file");
  }
}

}  // namespace

StudyFile::StudyFile(const SpecDocument& document, std::span<const Flag> flags)
    : file_(document.file) {
  const SpecView root(document);
  check_format(root);
  for (const Option& axis : axis_kinds()) {
    if (const auto value = root.find(option_key(axis.flag))) add(axis.flag, *value);
  }
  if (const auto zip = root.find("zip"); zip && zip->as_boolean()) {
    entries_.push_back({.flag = "--zip", .pointer = zip->pointer(), .texts = {""}});
  }
  if (const auto options = root.find("options")) add_options(*options, flags);
  root.reject_unknown_keys();
}

void StudyFile::add(std::string_view flag, const SpecView& value) {
  Entry entry{.flag = std::string(flag), .pointer = value.pointer(), .texts = {}};
  if (value.type() == SpecType::kList) {
    entry.list = true;
    for (const SpecView& item : value.items()) entry.texts.push_back(text_of(item));
    if (entry.texts.empty()) value.fail("an empty list", "at least one value");
  } else {
    entry.texts.push_back(text_of(value));
  }
  entries_.push_back(std::move(entry));
}

void StudyFile::add_options(const SpecView& options, std::span<const Flag> flags) {
  for (const auto& member : options.members()) {
    // Named for the lambda: clang 14 lets it use no parts of a structured binding.
    const std::string& key = member.first;
    const SpecView& value = member.second;
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](const Flag& each) {
      return key_of(each.name) == key && !is_axis(each.name) && each.name != "--zip" &&
             is_of_studies(each);
    });
    if (flag == flags.end()) {
      value.fail("an unknown option " + in_quotes(key), "an option of `sweep` that is no list",
                 "lists stand beside \"options\"; where results go, the command line says");
    }
    if (!flag->value.empty()) {
      add(flag->name, value);
    } else if (value.as_boolean()) {
      entries_.push_back(
          {.flag = std::string(flag->name), .pointer = value.pointer(), .texts = {""}});
    }
  }
}

Arguments StudyFile::with_flags_of(const Arguments& given) const {
  std::vector<std::string> networks;
  auto flags = given.flags();
  for (const Entry& entry : entries_) {
    if (entry.flag == kNetworkList) {
      for (const std::string& each : entry.texts) {
        for (std::string& name : split_list(each, kNetworkList))
          networks.push_back(std::move(name));
      }
      continue;
    }
    if (given.has(std::string_view(entry.flag))) continue;
    const std::string between(1, separator_of(entry.flag));
    flags.emplace_back(entry.flag, std::vector{fmt::format("{}", fmt::join(entry.texts, between))});
  }
  return Arguments(std::move(networks), std::move(flags), given.command_line());
}

SpecError StudyFile::located(const SpecError& error, const Arguments& given) const {
  SpecError::Parts parts = error.parts();
  if (!parts.file.empty()) return error;
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& each) { return each.flag == parts.place; });
  if (entry != entries_.end() &&
      (entry->flag == kNetworkList || !given.has(std::string_view(entry->flag)))) {
    parts.place = entry->pointer;
    // Which element it is about, what was found says.
    for (std::size_t i = 0; i < entry->texts.size() && entry->list; ++i) {
      if (parts.found.starts_with(in_quotes(entry->texts[i]))) parts.place += fmt::format("/{}", i);
    }
  } else if (parts.place == kNetworkList || parts.place == "--hardware") {
    parts.place = parts.place == kNetworkList ? "/network" : "/hardware";  // both are wanted
    if (given.has("--hardware") && parts.place == "/hardware") return error;
  } else {
    return error;
  }
  parts.file = file_;
  return SpecError(std::move(parts));
}

std::optional<StudyFile> find_study(const Arguments& arguments, std::span<const Flag> flags,
                                    const ReadLimits& limits) {
  for (const std::string& name : arguments.positionals()) {
    const auto path = find_data(DataKind::kNetwork, name);
    std::error_code ignored;
    // A pipe is read once, by whoever takes it for a network.
    if (!path && !arguments.has("--hardware")) (void)locate(DataKind::kNetwork, name, "NETWORK");
    if (!path || path != name || !std::filesystem::is_regular_file(*path, ignored)) continue;
    SpecDocument document = read_spec_file(*path, limits);
    const auto& members = document.root.members;
    // Without machines, what else could it be?
    const bool is_study = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      const bool no_network = member.second.text != "ooc-paleo/network";
      return member.first == "format" &&
             (member.second.text == kFormat || (no_network && !arguments.has("--hardware")));
    });
    if (!is_study) continue;
    if (arguments.positionals().size() > 1) {
      bad_value("NETWORK", in_quotes(name) + ", a study, beside others", "one study or networks",
                "a study names its networks itself");
    }
    return StudyFile(document, flags);
  }
  return std::nullopt;
}

}  // namespace ooc
