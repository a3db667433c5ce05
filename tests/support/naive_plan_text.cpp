// Reads the text form of a plan (the format stands in simulator/plan/plan_text.hpp) word by word.
#include <sstream>
#include <stdexcept>

#include "tests/support/naive_simulator.hpp"

namespace ooc::test {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("plan text: " + what); }

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  std::string part;
  while (std::getline(stream, part, separator)) parts.push_back(part);
  return parts;
}

/// The rest of `word` after "key=".
std::string value_of(const std::string& word, const std::string& key) {
  if (word.rfind(key + "=", 0) != 0) fail("expected " + key + "=..., found " + word);
  return word.substr(key.size() + 1);
}

std::vector<std::string> list_of(const std::string& word, const std::string& key) {
  const std::string value = value_of(word, key);
  if (value == "-") return {};
  return split(value, ',');
}

std::optional<std::int64_t> rate_of(const std::string& text) {
  if (text == "inf") return std::nullopt;
  return std::stoll(text);
}

std::string unescaped(const std::string& text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (next == '\\')
      name += '\\';
    else if (next == 'n')
      name += '\n';
    else if (next == 'r')
      name += '\r';
    else
      fail("unknown escape in " + text);
    ++i;
  }
  return name;
}

NaiveStep read_step(const std::string& line, std::size_t number) {
  NaiveStep step;
  const std::size_t name_at = line.find(" name=");
  if (name_at == std::string::npos) fail("a step without a name: " + line);
  step.name = unescaped(line.substr(name_at + 6));
  const std::vector<std::string> words = split(line.substr(0, name_at), ' ');
  if (words.size() < 8) fail("a short step: " + line);
  if (words[1] != std::to_string(number)) fail("steps are numbered in order: " + line);
  step.queue = words[2];
  step.kind = words[3];
  std::size_t at = 4;
  if (step.copies()) {
    step.bytes = std::stoll(value_of(words.at(at++), "bytes"));
    step.latency = std::stoll(value_of(words.at(at++), "latency"));
    step.rate = rate_of(value_of(words.at(at++), "rate"));
  } else {
    if (step.kind != "compute" && step.kind != "recompute" && step.kind != "far_compute")
      fail("unknown kind: " + line);
    step.time = std::stoll(value_of(words.at(at++), "time"));
    if (words.at(at).starts_with("issue=")) {
      step.issue = std::stoll(value_of(words.at(at++), "issue"));
    }
    if (words.at(at).starts_with("pinning=")) {
      step.pinning = std::stoll(value_of(words.at(at++), "pinning"));
    }
  }
  for (const std::string& item : list_of(words.at(at++), "waits")) {
    step.waits.push_back(std::stoull(item));
  }
  for (const std::string& item : list_of(words.at(at++), "takes")) {
    const auto parts = split(item, ':');
    step.takes.emplace_back(std::stoull(parts.at(0)), std::stoll(parts.at(1)));
  }
  for (const std::string& item : list_of(words.at(at++), "frees")) {
    step.frees.push_back(std::stoull(item));
  }
  if (at < words.size()) static_cast<void>(value_of(words.at(at++), "algorithm"));
  if (at != words.size()) fail("too many words: " + line);
  return step;
}

NaivePlan::Initial read_initial(const std::string& line) {
  const std::string what = split(line, ' ').at(1);  // block:bytes
  const std::size_t colon = what.find(':');
  if (colon == std::string::npos) fail("initial: " + line);
  return {.block = std::stoull(what.substr(0, colon)), .bytes = std::stoll(what.substr(colon + 1))};
}

/// "duplex N" for both directions, or a line for each.
void read_duplex(NaivePlan& plan, std::istream& lines) {
  std::string key;
  std::int64_t share = 0;
  const auto next = [&] {
    std::string line;
    if (!std::getline(lines, line)) fail("ends before duplex");
    const auto words = split(line, ' ');
    if (words.size() != 2) fail("expected duplex, found " + line);
    key = words[0];
    share = std::stoll(words[1]);
  };
  next();
  plan.duplex_to_far = plan.duplex_to_near = share;
  if (key == "duplex") return;
  if (key != "duplex_to_far") fail("expected duplex or duplex_to_far, found " + key);
  next();
  if (key != "duplex_to_near") fail("expected duplex_to_near, found " + key);
  plan.duplex_to_near = share;
}

}  // namespace

NaivePlan read_plan_text(std::string_view text) {
  NaivePlan plan;
  std::stringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != "ooc-paleo-plan 3") fail("unknown version: " + line);
  const auto header = [&](const std::string& key) {
    if (!std::getline(lines, line)) fail("ends before " + key);
    const auto words = split(line, ' ');
    if (words.size() != 2 || words[0] != key) fail("expected " + key + ", found " + line);
    return words[1];
  };
  plan.budget = std::stoll(header("budget"));
  plan.static_bytes = std::stoll(header("static"));
  read_duplex(plan, lines);
  while (std::getline(lines, line)) {
    if (line.rfind("initial ", 0) == 0)
      plan.initial.push_back(read_initial(line));
    else if (line.rfind("step ", 0) == 0)
      plan.steps.push_back(read_step(line, plan.steps.size()));
    else
      fail("unknown line: " + line);
  }
  return plan;
}

}  // namespace ooc::test
