// The small plan. See gpu_replay_plan.hpp.
#include "tests/unit/gpu_replay_plan.hpp"

#include <doctest/doctest.h>

namespace ooc::test {

std::size_t PlanText::find(const std::string& line) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].rfind(line, 0) == 0) return i;
  }
  FAIL("no line begins with '" << line << "'");
  return 0;
}

PlanText PlanText::with(const std::string& line, const std::string& part,
                        const std::string& by) const {
  PlanText changed = *this;
  std::string& text = changed.lines_[find(line)];
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  text.replace(at, part.size(), by);
  return changed;
}

PlanText PlanText::without(const std::string& line) const {
  PlanText changed = *this;
  changed.lines_.erase(changed.lines_.begin() + static_cast<std::ptrdiff_t>(find(line)));
  return changed;
}

PlanText PlanText::with_line(const std::string& before, const std::string& line) const {
  PlanText changed = *this;
  changed.lines_.insert(changed.lines_.begin() + static_cast<std::ptrdiff_t>(find(before)), line);
  return changed;
}

std::string PlanText::text(int id) const {
  std::string text;
  for (const std::string& line : lines_) {
    const std::size_t word = std::min(line.find(' '), line.size());
    text += text.empty() ? "" : "\n";
    text += line.substr(0, word) + " id=" + std::to_string(id) + line.substr(word);
  }
  return text;
}

PlanText small_plan() {
  return PlanText(
      {"plan blocks=4 slots=1 steps=7 budget_bytes=2100000 static_bytes=4096 arena_bytes=2000000 "
       "far_bytes=1000000",
       "block block=0 offset=0 bytes=1000000 content=1",
       "block block=1 offset=1000000 bytes=1000000 content=2",
       "block block=2 offset=0 bytes=1000000 content=1",
       "block block=3 offset=0 bytes=1000000 content=3", "slot slot=0 offset=0 bytes=1000000",
       "step step=0 queue=compute kind=compute ns=2000000 writes=0 name=conv1.forward",
       "step step=1 queue=to_far kind=to_far block=0 slot=0 bytes=1000000 waits=0",
       "step step=2 queue=compute kind=compute ns=500000 reads=0 writes=1",
       "step step=3 queue=compute kind=recompute ns=100000 writes=3 waits=1",
       "step step=4 queue=to_near kind=to_near block=2 slot=0 bytes=1000000 waits=3",
       "step step=5 queue=compute kind=compute ns=300000 reads=1,2 waits=4 name=conv1.backward",
       "step step=6 queue=compute kind=compute ns=200000 reads=2",
       "run compute=spin iterations=3"});
}

std::vector<gpu::Line> run_plan(const PlanText& plan, GpuChild::Environment environment) {
  environment.emplace("OOC_STUB", kRoundDevice);
  GpuChild child(environment);
  return child.ask(plan.text());
}

std::vector<std::string> values(const std::vector<gpu::Line>& lines, const std::string& word,
                                const std::string& key) {
  std::vector<std::string> found;
  for (const gpu::Line& line : lines) {
    const std::string* value = line.find(key);
    if (line.word == word && value != nullptr) found.push_back(*value);
  }
  return found;
}

}  // namespace ooc::test
