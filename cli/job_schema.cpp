// Keys and what one value of each is, from the flags of every command about a network. What a text says the reader checks.
#include "cli/job_schema.hpp"

#include <set>
#include <string_view>
#include <vector>

#include "cli/job_file.hpp"
#include "model/base/json_writer.hpp"
#include "simulator/predict/options.hpp"

namespace ooc {
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
  const Option* option = find_option(flag.name);
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
