// A session without a parent: requests from a file, answers into another, so that a machine that has only this
// program still yields samples. Started again it goes on where it was interrupted. See server.hpp.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/gpu/platform.hpp"
#include "calibrate/gpu/server.hpp"

namespace ooc::gpu {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The ids whose answer is complete in a recorded session.
std::set<std::string> answered_in(const std::string& path) {
  std::set<std::string> ids;
  std::ifstream file(path);
  std::string text;
  while (std::getline(file, text)) {
    const ParsedLine parsed = parse_line(text);
    if (!parsed.line || (parsed.line->word != "done" && parsed.line->word != "error")) continue;
    if (const std::string* id = parsed.line->find("id")) ids.insert(*id);
  }
  return ids;
}

// What an interruption left of a line is taken away before anything is appended.
void drop_half_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return;
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  const std::size_t end = text.rfind('\n');
  std::filesystem::resize_file(path, end == std::string::npos ? 0 : end + 1);
}

// What is asked for by one line, or by a group of them (a plan, to its `run`).
struct Request {
  std::vector<std::string> lines;
};

struct Requests {
  std::vector<Request> open;  // without an answer yet
  bool cut_short = false;     // the last plan has no `run`
};

[[noreturn]] void refuse(const std::string& file, int line, const std::string& problem) {
  std::ostringstream message;
  message << file << ": line " << line << ": " << problem;
  throw std::runtime_error(message.str());
}

Requests read_requests(const std::string& requests, const std::string& answers) {
  std::ifstream file(requests);
  if (!file) throw std::runtime_error("cannot read " + requests);
  const std::set<std::string> answered = answered_in(answers);
  Requests found;
  Request group;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.empty() || text[0] == '#') continue;
    const ParsedLine parsed = parse_line(text);
    if (!parsed.line) refuse(requests, number, parsed.problem);
    const std::string* id = parsed.line->find("id");
    if (id == nullptr) refuse(requests, number, "a request without id: " + text);
    if (answered.count(*id) != 0) continue;
    group.lines.push_back(text);
    if (ReplayGroup::takes(parsed.line->word) && parsed.line->word != "run") continue;
    found.open.push_back(std::move(group));
    group = Request();
  }
  found.cut_short = !group.lines.empty();
  if (found.cut_short) {
    std::cerr << "ooc-paleo-gpu: " << requests << " ends within a plan, which is not run\n";
  }
  return found;
}

}  // namespace

int run_script(const Script& script, int device, std::size_t need) {
  const Requests requests = read_requests(script.requests, script.answers);
  const std::vector<Request>& open = requests.open;
  const int all_answered = requests.cut_short ? 2 : 0;
  if (open.empty()) {
    if (!requests.cut_short) {
      std::cerr << "ooc-paleo-gpu: " << script.answers << " has every answer already\n";
    }
    return all_answered;
  }
  drop_half_line(script.answers);
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(script.answers.c_str(), "a"));
  if (file == nullptr) throw std::runtime_error("cannot write " + script.answers);
  Output output(file.get());
  try {
    const double start = host_now_ns();
    const Machine machine = greet(output, device, need);
    Server server(machine, output);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (host_now_ns() - start > script.budget_seconds * 1e9) {
        std::cerr << "ooc-paleo-gpu: time is up, " << open.size() - i << " requests are open\n";
        return 0;
      }
      for (const std::string& line : open[i].lines) {
        const Next next = server.answer(line);
        if (next == Next::kDeviceLost) return 4;
        if (next == Next::kQuit) return all_answered;
      }
    }
    return all_answered;
  } catch (const NoDevice& none) {
    std::cerr << "ooc-paleo-gpu: no usable device: " << none.looked_for << ": " << none.reason
              << '\n';
    return 5;
  }
}

}  // namespace ooc::gpu
