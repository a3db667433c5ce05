// Output goes to files rather than pipes, so that no reader has to keep up; the environment is small and
// known (no locale, no colours, no data folder of the developer's).
#include "tests/cli/run_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ooc::test {
namespace {

std::string program_folder() { return std::filesystem::path(OOC_PROGRAM).parent_path().string(); }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "ooc-paleo-test.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder: " + name);
  path_ = std::filesystem::canonical(name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::file(const std::string& name, const std::string& text) const {
  write_file(path_ / name, text);
  return (path_ / name).string();
}

std::string ScratchFolder::read(const std::string& name) const { return read_file(path_ / name); }

std::vector<std::string> ScratchFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Ran run_program(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const ScratchFolder outputs;
  const std::string out = (outputs.path() / "out").string();
  const std::string err = (outputs.path() / "err").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, surroundings.folder.c_str());

  std::vector<std::string> words = arguments;
  std::vector<std::string> environment{"PATH=" + program_folder() + ":/usr/bin:/bin", "HOME=/"};
  for (const auto& [name, value] : surroundings.environment) {
    environment.push_back(name + "=" + value);
  }
  pid_t child = 0;
  const int failed = posix_spawn(&child, words.front().c_str(), &actions, nullptr,
                                 pointers(words).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " + words.front());
  int status = 0;
  waitpid(child, &status, 0);
  Ran ran;
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = read_file(out);
  ran.err = read_file(err);
  return ran;
}

Ran run_shell(const std::string& script, const Surroundings& surroundings) {
  return run_program({"/bin/sh", "-c", script}, surroundings);
}

Ran run_ooc_paleo(std::vector<std::string> arguments, const Surroundings& surroundings) {
  arguments.insert(arguments.begin(), OOC_PROGRAM);
  return run_program(arguments, surroundings);
}

Words of_one_schedule(Words words) {
  const bool named = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.starts_with("--schedule");
  });
  return named ? std::move(words) : std::move(words) + Words{"--schedule", "capacity"};
}

std::vector<CsvRow> csv_rows(const std::string& csv) {
  std::vector<Words> lines{{""}};
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      lines.back().emplace_back();
    } else if (c == '\n') {
      lines.push_back({""});
    } else {
      lines.back().back() += c;
    }
  }
  lines.pop_back();  // behind the last line's end
  std::vector<CsvRow> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    REQUIRE(lines[line].size() == lines[0].size());
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < lines[0].size(); ++i) row[lines[0][i]] = lines[line][i];
  }
  return rows;
}

long long json_number(const std::string& json, const std::string& key) {
  const std::string begin = "\"" + key + "\": ";
  const std::size_t at = json.find(begin);
  if (at == std::string::npos) return -1;
  return std::strtoll(json.c_str() + at + begin.size(), nullptr, 10);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace ooc::test
