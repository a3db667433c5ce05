// Flags are compared as they were written, so that no axis has to be understood here, and a sweep spelt anew is
// another one: the error says what to spell as before.
#include "cli/sweep/identity.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "cli/locate.hpp"
#include "cli/sweep/sha256.hpp"
#include "cli/version.hpp"
#include "model/base/errors.hpp"
#include "model/base/json_writer.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/architecture_files.hpp"

namespace ooc {
namespace {

/// Flags that change no row; which shard it is stands apart.
constexpr std::array<std::string_view, 10> kBeside{
    "--shard",     "--output",    "--format",  "--jobs",   "--quiet",
    "--max-input", "--overwrite", "--dry-run", "--report", "--plot"};

std::string joined_texts(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& each : texts) all += (all.empty() ? "" : " ") + each;
  return all;
}

/// Two files of one role that call themselves the same go by their paths.
void add_file(std::vector<ReadFile>& files, std::map<std::string, std::string>& seen,
              std::string role, std::string name, const std::string& path) {
  if (const auto before = seen.find(role + '\n' + name); before != seen.end()) {
    if (before->second == path) return;
    name = path;
  }
  seen.emplace(role + '\n' + name, path);
  files.push_back({std::move(role), std::move(name), sha256_of_file(path).value_or("")});
}

/// The framework of all rows is the list's, or the machines'.
std::vector<std::string> framework_names(const IdentityRequest& request) {
  const std::vector<std::string>& list = request.grid.lists().frameworks;
  if (!list.empty()) return list;
  const std::string& name = request.inputs.machines.front().profile.framework;
  return name.empty() ? std::vector<std::string>() : std::vector{name};
}

std::vector<ReadFile> read_files(const IdentityRequest& request) {
  const SweepInputs& inputs = request.inputs;
  std::vector<ReadFile> files;
  std::map<std::string, std::string> seen;
  for (std::size_t i = 0; i < inputs.network_names.size(); ++i) {
    add_file(files, seen, "network", inputs.network_names[i], network_of(inputs, i).path);
  }
  const ProfileSources sources{.limits = inputs.options.limits,
                               .architecture_folders = architecture_folders()};
  for (std::size_t i = 0; i < inputs.machines.size(); ++i) {
    const auto& [path, profile] = inputs.machines[i];
    add_file(files, seen, "hardware", inputs.hardware_names[i], path);
    if (!profile.kernels || profile.kernels->written_out) continue;
    const std::string& name = profile.kernels->architecture->name;
    const auto architecture = find_architecture(name, path, sources);
    if (architecture) add_file(files, seen, "architecture", name, *architecture);
  }
  const std::vector<std::string> frameworks = framework_names(request);
  for (std::size_t i = 0; i < frameworks.size(); ++i) {
    const auto path = find_data(DataKind::kFramework, frameworks[i]);
    const bool listed = i < inputs.framework_names.size();
    const std::string& name = listed ? inputs.framework_names[i] : inputs.frameworks[i]->name;
    if (path) add_file(files, seen, "framework", name, *path);
  }
  for (const std::string& path : request.others) add_file(files, seen, "study", path, path);
  return files;
}

std::vector<std::string> texts_of(const SpecView& list) {
  std::vector<std::string> texts;
  for (const SpecView& each : list.items()) texts.push_back(each.as_text());
  return texts;
}

void compare_settings(const SweepIdentity& was, const SweepIdentity& is,
                      std::vector<std::string>& found) {
  const std::map<std::string, std::string> before(was.settings.begin(), was.settings.end());
  const std::map<std::string, std::string> now(is.settings.begin(), is.settings.end());
  const auto shown = [](const auto& settings, const std::string& name) {
    const auto at = settings.find(name);
    if (at == settings.end()) return std::string("not given");
    return at->second.empty() ? std::string("given") : at->second;
  };
  std::map<std::string, std::string> all = before;
  all.insert(now.begin(), now.end());
  for (const auto& each : all) {
    const std::string then = shown(before, each.first);
    const std::string today = shown(now, each.first);
    if (then != today) found.push_back(each.first + " was " + then + ", is " + today);
  }
}

void compare_files(const SweepIdentity& was, const SweepIdentity& is,
                   std::vector<std::string>& found) {
  std::map<std::pair<std::string, std::string>, std::string> before;
  for (const ReadFile& file : was.files) before[{file.role, file.name}] = file.sha256;
  for (const ReadFile& file : is.files) {
    const auto then = before.find({file.role, file.name});
    const std::string named = file.role + " " + file.name;
    if (then == before.end()) {
      found.push_back(named + " was not read");
    } else if (file.sha256.empty()) {
      found.push_back(named + " is a pipe, whose text may be another one");
    } else if (then->second != file.sha256) {
      found.push_back(named + " was another text (sha256 " + then->second.substr(0, 12) +
                      "..., is " + file.sha256.substr(0, 12) + "...)");
    }
  }
}

}  // namespace

SweepIdentity identity_of(const IdentityRequest& request) {
  const Arguments& arguments = request.arguments;
  SweepIdentity identity;
  identity.tool = {.version = std::string(version()), .command = arguments.command_line()};
  identity.settings.emplace_back("NETWORK", joined_texts(arguments.positionals()));
  for (const auto& [flag, values] : arguments.flags()) {
    if (std::find(kBeside.begin(), kBeside.end(), flag) != kBeside.end()) continue;
    // Two names of one flag.
    identity.settings.emplace_back(flag == "--schedules" ? "--schedule" : flag,
                                   joined_texts(values));
  }
  identity.files = read_files(request);
  identity.rows = request.grid.rows();
  identity.range = {.begin = 0, .end = identity.rows};
  if (request.shard) {
    identity.settings.emplace_back("--shard", shard_text(*request.shard));
    identity.range = rows_of_shard(request.grid, *request.shard);
  }
  return identity;
}

std::string identity_line(const SweepIdentity& identity) {
  std::string line;
  JsonWriter json(line, JsonLayout::kLine);
  json.begin_object().member("format", "ooc-paleo/sweep-run").member("version", 1);
  json.begin_object("tool").member("version", identity.tool.version);
  json.member("command", identity.tool.command).end();
  json.member("table", identity.format).begin_object("settings");
  for (const auto& [name, text] : identity.settings) json.member(name, text);
  json.end().objects("files", identity.files, [&](const ReadFile& file) {
    json.member("role", file.role).member("name", file.name).member("sha256", file.sha256);
  });
  json.member("rows", identity.rows).begin_list("range");
  json.value(identity.range.begin).value(identity.range.end).end().end();
  return line;
}

SweepIdentity read_identity(const std::string& line, const std::string& file) {
  const SpecDocument document = read_spec_text(line, file);
  const SpecView root(document);
  if (root.get("format").as_text() != "ooc-paleo/sweep-run") {
    root.get("format").fail(root.get("format").found(), "\"ooc-paleo/sweep-run\"");
  }
  static_cast<void>(root.get("version").as_integer(1, 1));
  SweepIdentity identity;
  identity.tool = {.version = root.get("tool").get("version").as_text(),
                   .command = texts_of(root.get("tool").get("command"))};
  identity.format = root.get("table").as_text();
  for (const auto& [name, text] : root.get("settings").members()) {
    identity.settings.emplace_back(name, text.as_text());
  }
  for (const SpecView& each : root.get("files").items()) {
    identity.files.push_back(
        {each.get("role").as_text(), each.get("name").as_text(), each.get("sha256").as_text()});
  }
  const auto count = [](const SpecView& view) {
    return static_cast<std::size_t>(view.as_integer(0, INT64_MAX));
  };
  identity.rows = count(root.get("rows"));
  const std::vector<SpecView> range = root.get("range").items();
  if (range.size() != 2) root.get("range").fail(root.get("range").found(), "two numbers");
  identity.range = {.begin = count(range[0]), .end = count(range[1])};
  return identity;
}

std::vector<std::string> differences(const SweepIdentity& was, const SweepIdentity& is) {
  std::vector<std::string> found;
  if (was.tool.version != is.tool.version) {
    found.push_back("version was " + was.tool.version + ", is " + is.tool.version);
  }
  if (was.format != is.format) found.push_back("format was " + was.format + ", is " + is.format);
  compare_settings(was, is, found);
  compare_files(was, is, found);
  if (found.empty() && was.rows != is.rows) {
    found.push_back("rows were " + std::to_string(was.rows) + ", are " + std::to_string(is.rows));
  }
  return found;
}

}  // namespace ooc
