// Plans as request lines (docs/gpu-protocol.md, Replay), as the measuring program reads them: a problem, or a
// program whose steps name blocks and slots that there are and whose order runs each of them once.
#include <algorithm>
#include <string>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/replay/group.hpp"
#include "model/base/errors.hpp"
#include "tests/fuzz/target.hpp"

namespace ooc::fuzz {
namespace {

void check_program(const gpu::ReplayProgram& program) {
  std::vector<std::size_t> order(program.order.begin(), program.order.end());
  std::sort(order.begin(), order.end());
  OOC_CHECK(order.size() == program.steps.size(), "every step runs");
  for (std::size_t i = 0; i < order.size(); ++i) OOC_CHECK(order[i] == i, "each step once");
  for (const gpu::ReplayStep& step : program.steps) {
    if (step.kind != gpu::ReplayKind::kCompute) {
      OOC_CHECK(step.block < program.blocks.size(), "copies have a block");
      OOC_CHECK(step.slot < program.slots.size(), "copies have a slot");
    }
    for (const auto& list : {step.reads, step.writes}) {
      for (const auto block : list) OOC_CHECK(block < program.blocks.size(), "blocks are there");
    }
  }
}

}  // namespace

Verdict consume(std::string_view text) {
  gpu::ReplayGroup group;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const gpu::ParsedLine parsed = gpu::parse_line(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!parsed.line || !gpu::ReplayGroup::takes(parsed.line->word)) return Verdict::kRejected;
    group.add(*parsed.line);
    if (parsed.line->word != "run") continue;
    try {
      check_program(group.finish());
      return Verdict::kAccepted;
    } catch (const gpu::RequestError&) {
      return Verdict::kRejected;
    }
  }
  return Verdict::kRejected;
}

std::vector<std::filesystem::path> seed_folders() { return {"tests/fuzz/seeds/plan"}; }

}  // namespace ooc::fuzz
