// Keys in the order of docs/gpu-protocol.md. Optional ones are left out where they say nothing.
#include "simulator/replay/replay_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "model/base/errors.hpp"
#include "simulator/plan/plan_text.hpp"

namespace ooc {
namespace {

constexpr std::size_t kLongestLine = 4096;

/// As the protocol writes values: bytes of other kinds as %XX.
std::string escaped(std::string_view value) {
  constexpr std::string_view kPlain = "._~:+/(),-";
  std::string text;
  for (const char letter : value) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || kPlain.find(letter) != std::string_view::npos);
    if (plain) {
      text += letter;
    } else {
      fmt::format_to(std::back_inserter(text), "%{:02X}", byte);
    }
  }
  return text;
}

/// No longer than `room`; an escaped byte is kept whole.
std::string_view cut(std::string_view value, std::size_t room) {
  if (value.size() <= room) return value;
  std::size_t end = room;
  for (std::size_t back = 1; back <= 2 && back <= end; ++back) {
    if (value[end - back] == '%') {
      end -= back;
      break;
    }
  }
  return value.substr(0, end);
}

void append_list(std::string& text, std::string_view key, const std::vector<std::int32_t>& list) {
  if (list.empty()) return;
  fmt::format_to(std::back_inserter(text), " {}={}", key, fmt::join(list, ","));
}

std::string step_line(const ReplayStep& step, std::size_t number, const ReplayRun& run) {
  const bool computes = step.kind == StepKind::kCompute;
  const std::string_view queue = queue_name(step.kind);
  std::string line = fmt::format("step id={} step={} queue={} kind={}", run.id, number, queue,
                                 step.recompute ? "recompute" : queue);
  if (computes) {
    fmt::format_to(std::back_inserter(line), " ns={}", step.duration.count());
  } else {
    fmt::format_to(std::back_inserter(line), " block={} slot={} bytes={}", step.block, step.slot,
                   step.bytes.count());
  }
  append_list(line, "waits", step.waits);
  append_list(line, "reads", step.reads);
  append_list(line, "writes", step.writes);
  if (run.mode == ReplayMode::kReal && !step.operation.empty()) line += ' ' + step.operation;
  constexpr std::string_view kName = " name=";
  if (line.size() > kLongestLine) {
    throw SpecError({.file = "",
                     .place = "step " + in_quotes(step.name),
                     .found = fmt::format("{} bytes of description", line.size()),
                     .expected = fmt::format("at most {}", kLongestLine),
                     .hint = "a layer with fewer inputs"});
  }
  if (line.size() + kName.size() < kLongestLine && !step.name.empty()) {
    line += kName;
    line += cut(escaped(step.name), kLongestLine - line.size());
  }
  return line;
}

void append_blocks(std::string& text, const ReplayProgram& program, std::int64_t id) {
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    const ReplayBlock& block = program.blocks[i];
    fmt::format_to(std::back_inserter(text), "block id={} block={} offset={} bytes={}", id, i,
                   block.offset.count(), block.bytes.count());
    if (program.pool) {
      fmt::format_to(std::back_inserter(text), " start={}", program.pool->blocks[i].start.count());
    }
    if (block.content) {
      fmt::format_to(std::back_inserter(text), " content={}", block.content->index);
    }
    text += block.initial ? " initial=1\n" : "\n";
  }
}

/// As many lines a block as its runs need.
void append_pages(std::string& text, const PagePool& pool, std::int64_t id) {
  constexpr std::size_t kLongestRun = 32;
  for (std::size_t i = 0; i < pool.blocks.size(); ++i) {
    std::string line;
    for (const PageRun& run : pool.blocks[i].runs) {
      if (line.size() + kLongestRun > kLongestLine) {
        text += line + '\n';
        line.clear();
      }
      if (line.empty()) {
        line = fmt::format("pages id={} block={} runs=", id, i);
      } else {
        line += ',';
      }
      fmt::format_to(std::back_inserter(line), "{}", run.first);
      if (run.count > 1) fmt::format_to(std::back_inserter(line), "+{}", run.count);
    }
    if (!line.empty()) text += line + '\n';
  }
}

void append_slots(std::string& text, const ReplayProgram& program, std::int64_t id) {
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    const ReplaySlot& slot = program.slots[i];
    fmt::format_to(std::back_inserter(text), "slot id={} slot={} offset={} bytes={}", id, i,
                   slot.offset.count(), slot.bytes.count());
    if (slot.content) {
      fmt::format_to(std::back_inserter(text), " content={}", slot.content->index);
    }
    text += '\n';
  }
}

}  // namespace

std::string write_replay_requests(const ReplayProgram& program, const ReplayRun& run) {
  std::string text = fmt::format(
      "plan id={} blocks={} slots={} steps={} budget_bytes={} static_bytes={} arena_bytes={} "
      "far_bytes={}",
      run.id, program.blocks.size(), program.slots.size(), program.steps.size(),
      program.budget.count(), program.static_bytes.count(), program.arena_bytes.count(),
      program.far_bytes.count());
  if (program.pool) {
    fmt::format_to(std::back_inserter(text), " version={} page_bytes={} pool_pages={}",
                   kPagedPlanVersion, program.pool->page.count(), program.pool->pages);
  }
  text += '\n';
  append_blocks(text, program, run.id);
  if (program.pool) append_pages(text, *program.pool, run.id);
  append_slots(text, program, run.id);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    text += step_line(program.steps[i], i, run) + '\n';
  }
  fmt::format_to(std::back_inserter(text),
                 "run id={} compute={} iterations={} warmup={} verify={} max_ms={}\n", run.id,
                 run.mode == ReplayMode::kReal ? "real" : "spin", run.iterations, run.warmup,
                 run.verify ? 1 : 0, run.max_ms);
  return text;
}

}  // namespace ooc
