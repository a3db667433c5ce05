#include "cli/job_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>

#include "cli/locate.hpp"
#include "cli/remarks.hpp"
#include "model/base/json_writer.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"
#include "simulator/predict/options.hpp"
#include "simulator/predict/solve.hpp"

namespace ooc {
namespace {

constexpr Flag kNetwork{.name = "NETWORK", .value = "FILE", .many = true};
constexpr std::string_view kStudy = "ooc-paleo/study";
/// Who works on results, and how, is no part of what is asked.
constexpr std::string_view kNotOfJobs[] = {"--dry-run",   "--format",    "--job",
                                           "--jobs",      "--max-input", "--no-color",
                                           "--overwrite", "--quiet",     "--rows"};
/// A larger file is no job, and a network is not to be read twice.
constexpr std::uintmax_t kMostOfJob = std::uintmax_t{8} << 20;  // bytes

const Flag* find_flag(const Command& command, std::string_view name) {
  return find_named(command.flags, name);
}

/// As the command line would have it; a number in a unit is a text with it.
std::string text_of(const SpecView& value, std::string_view unit) {
  const SpecNode& node = value.node();
  const bool is_number = node.type == SpecType::kNumber;
  if (!unit.empty() && is_number) {
    return node.text + (unit == "bytes" ? "B" : unit == "bytes_per_s" ? "B/s" : "ns");
  }
  const bool is_infinite = node.type == SpecType::kText && node.text == "inf";
  if (!unit.empty() && !is_infinite) {
    value.fail(value.found(), fmt::format("a number in the unit of the key, {}", unit),
               "the key without the unit takes a text with one");
  }
  if ((node.type == SpecType::kText || is_number) && !trimmed(node.text).empty()) return node.text;
  value.fail(value.found(), "a text or a number, as its flag takes it");
}

void check_head(const SpecView& root) {
  if (const auto format = root.find("format")) {
    (void)format->as_choice({std::string(kJobFormat), std::string(kStudy)});
  }
  for (const char* text : {"$schema", "name", "description"}) {
    if (const auto found = root.find(text)) (void)found->as_text();
  }
  const auto version = root.find("version");
  if (version && version->node().integer != 1) {
    version->fail(version->found(), "1", "the version of the format, not of the file");
  }
  if (const auto options = root.find("options")) {
    options->fail(options->found(), "each option beside \"network\", by its flag's name",
                  "move what is in \"options\" one level up");
  }
}

/// The inputs of a result; of several those of the first, which is the best. Unset: it is no result.
std::optional<SpecView> inputs_of_result(const SpecView& view) {
  if (view.type() != SpecType::kObject) return std::nullopt;
  if (auto inputs = view.find("inputs"); inputs && view.find("tool")) return inputs;
  for (const char* list : {"results", "machines"}) {
    const auto found = view.find(list);
    const bool is_list = found && found->type() == SpecType::kList && !found->items().empty();
    if (is_list) return inputs_of_result(found->items().front());
  }
  return std::nullopt;
}

bool is_job(const SpecDocument& document) {
  const SpecView root(document);
  if (root.type() != SpecType::kObject) return false;
  const auto format = root.find("format");
  const std::string name = format ? format->node().text : "";
  return name == kJobFormat || name == kStudy || inputs_of_result(root) ||
         (root.find("network") && !root.find("layers"));
}

/// What the command looks for a job may say, too: of `need link` the link, of `max` the batch.
bool is_looked_for(const Arguments& given, std::string_view flag) {
  const bool needs = given.command->name == "need";
  if (!needs && given.command->name != "max") return false;
  const auto* axis = find_solve_axis(needs ? given.word : given.value("--of").value_or("batch"));
  return axis != nullptr &&
         (flag == axis->flag || (axis->word == "link" && flag.starts_with("--link-")));
}

/// True if a schedule that is asked for, or one of all, reads --blocks.
bool may_read_blocks(const Arguments& given) {
  if (find_flag(*given.command, "--schedule") == nullptr) return false;
  const auto lists = given.values("--schedule");
  return lists.empty() || std::ranges::any_of(lists, [](const std::string& list) {
           return std::ranges::any_of(split_list(list, "--schedule", ','), [](const auto& name) {
             const Schedule* schedule = find_schedule(name);
             return name == "all" || (schedule != nullptr && reads(*schedule, "--blocks"));
           });
         });
}

/// What the command, or no schedule that it is told, has no use for.
bool is_left_alone(const Arguments& given, std::string_view flag) {
  return is_looked_for(given, flag) || (flag == "--blocks" && !may_read_blocks(given));
}

/// The shipped network that a model of the hub is, or the name as it is: "llama-3-8b" of "meta-llama/Meta-Llama-3-8B".
std::string network_of_hub(const std::string& name) {
  std::string word = lower_case(std::string_view(name).substr(name.rfind('/') + 1));
  for (const std::string_view end : {"-hf", "-instruct", "-base"}) {
    if (word.ends_with(end)) word.erase(word.size() - end.size());
  }
  constexpr std::string_view kMaker = "meta-";
  if (word.starts_with(kMaker)) word.erase(0, kMaker.size());
  return find_named(data_files(DataKind::kNetwork), word) != nullptr ? word : name;
}

/// 256, 0.85; not 1e3 or 007.
bool is_plain_number(std::string_view text) {
  const auto number = read_decimal(text);
  const bool is_padded = text.size() > 1 && text.front() == '0' && text[1] != '.';
  return number && number->length == text.size() && !is_padded &&
         text.find_first_of("-eE") == std::string_view::npos;
}

}  // namespace

bool is_of_jobs(const Flag& flag) {
  return flag.completes != Completes::kFiles && !contains(kNotOfJobs, flag.name);
}

JobFile::JobFile(const SpecDocument& document, const Arguments& given) : file_(document.file) {
  const Command& command = *given.command;
  SpecView root(document);
  if (const auto inputs = inputs_of_result(SpecView(document))) root = *inputs;
  check_head(root);
  if (const auto value = root.find("network")) add(kNetwork, *value);
  for (const Flag& flag : command.flags) {
    if (!is_of_jobs(flag)) continue;
    const std::string key = option_key(flag.name);
    const auto value = root.find(key);
    // Results say what follows from others, too: "memory_given" is false there.
    if (value && root.flag(key + "_given", true)) add(flag, *value);
    const bool has_alias = flag.brief.starts_with("--");
    if (has_alias) {
      if (const auto other = root.find(option_key(flag.brief))) add(flag, *other);
    }
  }
  // The job is the same for every command; what this one does not ask it leaves alone.
  for (const Command* other : commands()) {
    if (other->positionals.completes != Completes::kNetworks) continue;
    for (const Flag& flag : other->flags) {
      if (is_of_jobs(flag)) (void)root.find(option_key(flag.name));
    }
  }
  for (const Option& option : run_options()) {
    const std::string key = option_key(option.flag);
    const std::string_view unit = option_unit(option);
    if (unit.empty()) continue;
    const auto value = root.find(option.column);
    const Flag* flag = find_flag(command, option.flag);
    const bool is_asked = value && root.flag(key + "_given", true);
    if (is_asked && flag != nullptr) add(*flag, *value, unit);
  }
  if (const auto symbols = root.find("symbols")) add_symbols(*symbols, command);
  std::erase_if(entries_, [&](const Entry& each) { return is_left_alone(given, each.flag->name); });
  for (const std::string_view key : kOfResults) (void)root.find(key);
  root.reject_unknown_keys();
}

JobFile::JobFile(const TrainerFile& trainer, const std::string& path, const Arguments& given)
    : file_(path) {
  const Command& command = *given.command;
  const bool takes_schedule = command.name == "predict" || command.name == "fit";
  for (const TrainerFlag& each : trainer.flags) {
    const bool is_network = each.flag == kNetwork.name;
    const Flag* flag = is_network ? &kNetwork : find_flag(command, each.flag);
    if (flag == nullptr || (is_network && !given.positionals.empty())) continue;
    if (each.flag == "--schedule" && !takes_schedule) continue;  // the others compare them
    if (each.flag == "--precision" && given.has("--dtype")) continue;
    if (each.flag == "--clip-gradients" && given.has("--update-in-backward")) continue;
    entries_.push_back({.flag = flag,
                        .pointer = each.pointer,
                        .texts = {is_network ? network_of_hub(each.text) : each.text},
                        .file = each.file});
  }
  for (const std::string& name : given.positionals) {
    entries_.push_back({.flag = &kNetwork, .texts = {name}});
  }
  std::erase_if(entries_, [&](const Entry& each) { return is_left_alone(given, each.flag->name); });
}

void JobFile::add(const Flag& flag, const SpecView& value, std::string_view unit) {
  if (value.type() == SpecType::kNull) return;
  for (const Entry& entry : entries_) {
    if (entry.flag != &flag) continue;
    value.fail(fmt::format("{} for the second time, behind {}", flag.name, entry.pointer),
               "each option once");
  }
  Entry entry{.flag = &flag, .pointer = value.pointer()};
  if (flag.option != nullptr) entry.separator = flag.option->separator;
  if (flag.value.empty()) {
    if (!value.as_boolean()) return;
    entry.texts.emplace_back();
  } else if (value.type() == SpecType::kList) {
    const bool is_axis = flag.option != nullptr && !flag.option->column.empty();
    if (!is_axis && !flag.takes_list() && !flag.many)
      value.fail(value.found(), "one value: it is no axis of sweeps");
    entry.list = true;
    for (const SpecView& item : value.items()) entry.texts.push_back(text_of(item, unit));
    if (entry.texts.empty()) value.fail("an empty list", "at least one value");
  } else {
    entry.texts.push_back(text_of(value, unit));
  }
  entries_.push_back(std::move(entry));
}

void JobFile::add_symbols(const SpecView& symbols, const Command& command) {
  // Commands without such a flag run networks with the symbols of a result, too.
  const auto flag_named = [&](std::string_view name) {
    const Flag* flag = find_flag(command, name);
    return flag != nullptr ? flag : find_flag(*find_command("predict"), name);
  };
  Entry others{.flag = flag_named("--symbol"), .pointer = symbols.pointer()};
  for (const auto& [name, value] : symbols.members()) {
    const std::string text = text_of(value, {});
    if (name == kSequence || name == kTargetSequence) {
      const Flag* flag = flag_named(name == kSequence ? "--seq" : "--target-seq");
      entries_.push_back({.flag = flag, .pointer = value.pointer(), .texts = {text}});
    } else {
      others.texts.push_back(fmt::format("{}={}", name, text));
    }
  }
  if (!others.texts.empty()) entries_.push_back(std::move(others));
}

Arguments JobFile::with_flags_of(const Arguments& given) const {
  Arguments all = given;
  all.positionals.clear();
  all.job = file_;
  std::erase_if(all.flags, [](const GivenFlag& each) { return each.flag->name == "--job"; });
  for (const Entry& entry : entries_) {
    if (entry.flag == &kNetwork) {
      for (const std::string& each : entry.texts) {
        for (std::string& name : split_list(each, kNetwork.name))
          all.positionals.push_back(std::move(name));
      }
      continue;
    }
    if (given.has(*entry.flag)) continue;
    const std::string between(1, entry.separator);
    all.flags.push_back({entry.flag, {fmt::format("{}", fmt::join(entry.texts, between))}});
  }
  return all;
}

std::string JobFile::words() const {
  std::vector<std::string> words;
  for (const Entry& entry : entries_) {
    if (entry.flag != &kNetwork) words.emplace_back(entry.flag->name);
    for (const std::string& text : entry.texts) {
      if (!text.empty()) words.push_back(text);
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

SpecError JobFile::located(const SpecError& error, const Arguments& given) const {
  SpecError::Parts parts = error.parts();
  if (!parts.file.empty()) return error;
  std::string file = file_;
  const auto entry = std::ranges::find_if(
      entries_, [&](const Entry& each) { return each.flag->name == parts.place; });
  if (entry != entries_.end() && (entry->flag == &kNetwork || !given.has(*entry->flag))) {
    if (entry->pointer.empty()) return error;  // of the command line
    parts.place = entry->pointer;
    if (!entry->file.empty()) file = entry->file;
    // Which element it is about, what was found says.
    for (std::size_t i = 0; i < entry->texts.size() && entry->list; ++i) {
      if (parts.found.starts_with(in_quotes(entry->texts[i]))) parts.place += fmt::format("/{}", i);
    }
  } else if (parts.place == kNetwork.name ||
             (parts.place == "--hardware" && !given.has("--hardware"))) {
    parts.place = "/" + option_key(parts.place);  // both are wanted
  } else {
    return error;
  }
  parts.file = std::move(file);
  return SpecError(std::move(parts));
}

std::optional<JobFile> find_job(const Arguments& arguments) {
  const ReadLimits& limits = arguments.options.limits;
  if (arguments.command->positionals.completes != Completes::kNetworks) return std::nullopt;
  if (const auto path = arguments.value("--job")) {
    const TrainerFile trainer =
        read_trainer_file(*path, arguments.value("--devices").value_or(""), limits);
    const Remarks remarks = arguments.remarks();
    for (const std::string& text : trainer.remarks) remark(remarks, "remark: " + text);
    JobFile job(trainer, *path, arguments);
    remark(remarks, fmt::format("{}: {}", *path, job.words()));
    return job;
  }
  // What is too large for any reader is for the network's to refuse.
  const auto most = std::min(kMostOfJob, static_cast<std::uintmax_t>(limits.max_bytes));
  for (const std::string& name : arguments.positionals) {
    const auto path = find_data(DataKind::kNetwork, name);
    std::error_code ignored;
    if (!path && !arguments.has("--hardware"))
      (void)locate(DataKind::kNetwork, name, kNetwork.name);
    if (!path || path != name || is_onnx(name)) continue;
    // A pipe of the shell is read once, by whoever takes it for a network.
    const bool is_small = std::filesystem::is_regular_file(*path, ignored) &&
                          std::filesystem::file_size(*path, ignored) <= most;
    if (name != kStandardInput && !is_small) continue;
    const SpecDocument document = read_spec_file(*path, limits);
    if (!is_job(document)) continue;
    if (arguments.positionals.size() > 1) {
      bad_value(kNetwork.name, in_quotes(name) + ", a job, beside others", "one job or networks",
                "a job names its networks itself");
    }
    return JobFile(document, arguments);
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> job_of(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> job;
  if (!arguments.positionals.empty()) {
    job.emplace_back("network", json_string(arguments.positionals.front()));
  }
  for (const auto& [flag, values] : arguments.flags) {
    if (!is_of_jobs(*flag)) continue;
    // What has a unit results have as a number.
    if (flag->option != nullptr && !option_unit(*flag->option).empty()) continue;
    const std::string text = fmt::format("{}", fmt::join(values, ","));
    job.emplace_back(option_key(flag->name), flag->value.empty()     ? "true"
                                             : is_plain_number(text) ? text
                                                                     : json_string(text));
  }
  std::ranges::sort(job);
  return job;
}

// Keys and what one value of each is, from the flags of every command about a network. What a text says the reader checks.

namespace {

/// Each key once, on a line of its own.
class Properties {
 public:
  explicit Properties(JsonWriter& json) : json_(json) {}

  /// `of`: a definition below.
  void put(std::string_view key, std::string_view of, std::string_view help = {}) {
    if (!known_.emplace(key).second) return;
    json_.line(4).begin_object(key);
    if (!of.empty()) json_.member("$ref", "#/$defs/" + std::string(of));
    if (!help.empty()) json_.member("description", help);
    json_.end();
  }
  void put_choices(std::string_view key, const Flag& flag) {
    if (!known_.emplace(key).second) return;
    json_.line(4).begin_object(key).begin_list("enum").value(nullptr);
    for (const std::string& word : words_of(flag.choices)) {
      json_.value(word);
      const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
      if (is_number) json_.value(JsonText{word});
    }
    json_.end().member("description", flag.help).end();
  }

 private:
  JsonWriter& json_;
  std::set<std::string, std::less<>> known_;
};

void put_flag(Properties& properties, const Flag& flag) {
  const std::string key = option_key(flag.name);
  const Option* option = flag.option;
  const bool is_axis = option != nullptr && !option->column.empty();
  const bool has_unit = is_axis && !option_unit(*option).empty();
  if (flag.value.empty()) {
    properties.put(key, "switch", flag.help);
  } else if (!is_axis && !flag.choices.empty()) {
    properties.put_choices(key, flag);
  } else {
    properties.put(key, has_unit ? "texts" : is_axis ? "values" : "value", flag.help);
  }
  if (has_unit) {
    properties.put(option->column, "numbers", key + " as a number in that unit, or \"inf\"");
  }
  if (flag.brief.starts_with("--")) properties.put(option_key(flag.brief), "values", flag.help);
}

void put_properties(JsonWriter& json) {
  Properties properties(json);
  for (const char* key : {"$schema", "name", "description"}) properties.put(key, "text");
  json.line(4).begin_object("format").begin_list("enum");
  json.value(kJobFormat).value("ooc-paleo/study").end().end();
  json.line(4).begin_object("version").member("const", 1).end();
  properties.put("network", "texts", "files, or names of `ooc-paleo list networks`");
  for (const Command* command : commands()) {
    if (command->positionals.completes != Completes::kNetworks) continue;
    for (const Flag& flag : command->flags) {
      if (is_of_jobs(flag)) put_flag(properties, flag);
    }
  }
  properties.put("symbols", "", "sizes by the names of symbols, as results have them");
  for (const std::string_view key : kOfResults) properties.put(key, "", "of results");
}

/// One value, and one or a list of them. Where results have no value there is null.
void put_kind(JsonWriter& json, const std::string& name, const std::vector<std::string>& types,
              std::string_view pattern) {
  json.line(4).begin_object(name).member("type", types).member("pattern", pattern);
  json.member("minimum", 0).end();
  const auto put_ref = [&] { json.member("$ref", "#/$defs/" + name).end(); };
  json.line(4).begin_object(name + "s").begin_list("anyOf").begin_object();
  put_ref();
  json.begin_object().member("type", "null").end();
  json.begin_object().member("type", "array").member("minItems", 1).begin_object("items");
  put_ref();
  json.end().end().end();
}

}  // namespace

std::string job_schema() {
  std::string text;
  JsonWriter json(text, JsonLayout::kLine);
  json.begin_object();
  json.line(2).member("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.line(2).member("title", "OOC-Paleo job");
  json.line(2).member("description",
                      "What the flags of a command say, by their names, in place of NETWORK; "
                      "`ooc-paleo sweep` takes lists. See docs/formats.md, section 4. Made by "
                      "`ooc-paleo schema job`.");
  json.line(2).member("type", "object").line(2).begin_list("required").value("network").end();
  json.line(2).member("additionalProperties", false).line(2).begin_object("properties");
  put_properties(json);
  json.line(2).end().line(2).begin_object("patternProperties").begin_object("_given$");
  json.member("type", "boolean").end().end().line(2).begin_object("$defs");
  json.line(4).begin_object("switch").begin_list("type").value("boolean").value("null").end().end();
  put_kind(json, "text", {"string"}, "\\S");
  put_kind(json, "value", {"string", "number"}, "\\S");
  put_kind(json, "number", {"string", "number"}, "^inf$");
  json.line(2).end().line(0).end();
  return text + "\n";
}

}  // namespace ooc
