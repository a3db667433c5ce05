// Reads the lines of a group one by one into a program. See replay_group.hpp.
#include "calibrate/gpu/replay/group.hpp"

#include <utility>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/replay/fields.hpp"

namespace ooc::gpu {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 46;
constexpr std::size_t kMostLines =
    1000000;  // of each kind; keeps a garbled count from taking memory
constexpr std::size_t kMostPages = std::size_t{1} << 25;
constexpr std::size_t kLeastPage = 4096;
constexpr std::size_t kMostPage = std::size_t{1} << 30;
constexpr std::size_t kMostContent = std::size_t{1} << 31;
constexpr std::size_t kMostTimes = 20000000;  // steps × iterations, each kept as two numbers

std::string id_of(const Line& line) {
  const std::string* id = line.find("id");
  return id == nullptr ? std::string() : *id;
}

// Patterns are words of 8 bytes; the plan's writer keeps a much larger alignment.
std::size_t read_multiple_of_8(const ReplayFields& fields, const char* key, std::size_t value) {
  if (value % 8 == 0) return value;
  fields.fail("'" + std::string(key) + "': found " + std::to_string(value) +
              ", expected a multiple of 8");
}

std::size_t read_offset(const ReplayFields& fields) {
  return read_multiple_of_8(fields, "offset", fields.integer("offset", 0, kMostBytes));
}

void require_inside(const ReplayFields& fields, std::size_t offset, std::size_t bytes,
                    std::size_t end, const char* of) {
  if (offset + bytes > end) {
    fields.fail("ends at byte " + std::to_string(offset + bytes) + ", " + of + " has " +
                std::to_string(end));
  }
}

std::optional<std::int64_t> read_content(const ReplayFields& fields) {
  const std::optional<std::size_t> content = fields.integer_if("content", kMostContent);
  return content ? std::optional<std::int64_t>(static_cast<std::int64_t>(*content)) : std::nullopt;
}

ReplayQueue read_queue(const ReplayFields& fields) {
  const std::string queue = fields.text("queue");
  if (queue == "compute") return ReplayQueue::kCompute;
  if (queue == "to_far") return ReplayQueue::kToFar;
  if (queue == "to_near") return ReplayQueue::kToNear;
  fields.fail("'queue': found '" + queue + "', expected compute, to_far or to_near");
}

// The kind must be one that its queue does.
ReplayKind read_kind(const ReplayFields& fields, ReplayQueue queue) {
  const std::string kind = fields.text("kind");
  const bool compute = kind == "compute" || kind == "recompute";
  if (!compute && kind != "to_far" && kind != "to_near") {
    fields.fail("'kind': found '" + kind + "', expected compute, recompute, to_far or to_near");
  }
  const ReplayKind found = compute            ? ReplayKind::kCompute
                           : kind == "to_far" ? ReplayKind::kToFar
                                              : ReplayKind::kToNear;
  if (static_cast<int>(found) != static_cast<int>(queue)) {
    fields.fail("kind " + kind + " does not belong on queue " + fields.text("queue"));
  }
  return found;
}

}  // namespace

bool ReplayGroup::takes(const std::string& word) {
  return word == "plan" || word == "block" || word == "pages" || word == "slot" || word == "step" ||
         word == "run";
}

bool ReplayGroup::goes_on_with(const Line& line) const {
  return open_ && line.word != "plan" && id_of(line) == id_of(first_);
}

void ReplayGroup::add(const Line& line) {
  if (!open_) {
    open_ = true;
    first_ = line;
    if (line.word != "plan") spoil("'" + line.word + "' without a 'plan' before it");
  }
  if (!problem_.empty()) return;
  try {
    read(line);
  } catch (const RequestError& error) {
    spoil(error.text);
  }
}

void ReplayGroup::spoil(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

ReplayProgram ReplayGroup::finish() {
  if (!problem_.empty()) throw RequestError{problem_};
  program_.order = replay_order(program_.steps);
  return std::move(program_);
}

void ReplayGroup::read(const Line& line) {
  if (line.word == "plan") return read_plan(line);
  if (line.word == "block") return read_block(line);
  if (line.word == "pages") return read_pages(line);
  if (line.word == "slot") return read_slot(line);
  if (line.word == "step") return read_step(line);
  read_run(line);
}

void ReplayGroup::read_plan(const Line& line) {
  const ReplayFields fields(line, "plan");
  fields.integer("id", 1, kMostBytes);
  const std::size_t version = fields.integer_or("version", 1, 0, kMostLines);
  if (version < 1 || version > kPlanVersion) {
    fields.fail("'version': found " + std::to_string(version) +
                ", this program reads plans of version 1 to " + std::to_string(kPlanVersion) +
                ": the main program and this one must be built from the same sources");
  }
  blocks_ = fields.integer("blocks", 0, kMostLines);
  slots_ = fields.integer("slots", 0, kMostLines);
  steps_ = fields.integer("steps", 1, kMostLines);
  program_.budget_bytes = fields.integer("budget_bytes", 0, kMostBytes);
  program_.static_bytes = fields.integer("static_bytes", 0, kMostBytes);
  program_.arena_bytes = fields.integer("arena_bytes", 0, kMostBytes);
  program_.far_bytes = fields.integer("far_bytes", 0, kMostBytes);
  program_.pool_pages = fields.integer_or("pool_pages", 0, 0, kMostPages);
  if (program_.pool_pages == 0) return;
  program_.page_bytes = fields.integer("page_bytes", kLeastPage, kMostPage);
  if (program_.page_bytes % kLeastPage != 0) {
    fields.fail("'page_bytes': found " + std::to_string(program_.page_bytes) +
                ", expected a multiple of " + std::to_string(kLeastPage));
  }
}

// Lines come in order, each with its number; a missing one shows at the next.
void ReplayGroup::require_turn(const Line& line, std::size_t came, std::size_t announced) const {
  const ReplayFields fields(line, line.word + " " + std::to_string(came));
  if (came >= announced) {
    fields.fail("the plan announces " + std::to_string(announced) + " " + line.word + " lines");
  }
  const std::size_t number = fields.integer(line.word, 0, kMostLines);
  if (number != came) {
    fields.fail("found " + line.word + "=" + std::to_string(number) +
                ": a line is missing, double or not in its place");
  }
}

// The first `kinds` of blocks, slots and steps must have come as announced.
void ReplayGroup::require_all(const ReplayFields& fields, int kinds) const {
  const auto require = [&fields](const char* word, std::size_t came, std::size_t announced) {
    if (came == announced) return;
    fields.fail("the plan announces " + std::to_string(announced) + " " + word + " lines, " +
                std::to_string(came) + " came before it");
  };
  if (kinds >= 1) require("block", program_.blocks.size(), blocks_);
  if (kinds >= 2) require("slot", program_.slots.size(), slots_);
  if (kinds >= 3) require("step", program_.steps.size(), steps_);
}

void ReplayGroup::read_block(const Line& line) {
  require_turn(line, program_.blocks.size(), blocks_);
  const ReplayFields fields(line, "block " + std::to_string(program_.blocks.size()));
  ReplayBlock block;
  block.offset = read_offset(fields);
  block.bytes = fields.integer("bytes", 1, kMostBytes);
  require_inside(fields, block.offset, block.bytes, program_.arena_bytes, "the arena");
  block.content = read_content(fields);
  block.initial = fields.flag_or("initial", false);
  block.start = read_multiple_of_8(fields, "start", fields.integer_or("start", 0, 0, kMostPage));
  program_.blocks.push_back(block);
}

// "0,5+12": pages 0 and 5 to 16. A block may have several such lines.
void ReplayGroup::read_pages(const Line& line) {
  const ReplayFields fields(line, "pages");
  require_all(fields, 1);
  const std::size_t number = fields.number("block", program_.blocks.size(), "block");
  for (const ReplayFields::Run& run : fields.runs("runs", program_.pool_pages, "page")) {
    program_.blocks[number].pages.push_back({run.first, run.count});
  }
}

// Every block lies within its pages, if the plan has any.
void ReplayGroup::require_pages(const Line& line) const {
  const ReplayFields fields(line, line.word);
  if (program_.pool_pages == 0) return;
  for (std::size_t i = 0; i < program_.blocks.size(); ++i) {
    const ReplayBlock& block = program_.blocks[i];
    std::size_t pages = 0;
    for (const PageRun& run : block.pages) pages += run.count;
    if (block.start + block.bytes <= pages * program_.page_bytes) continue;
    fields.fail("block " + std::to_string(i) + " ends at byte " +
                std::to_string(block.start + block.bytes) + " of its pages, which have " +
                std::to_string(pages * program_.page_bytes));
  }
}

void ReplayGroup::read_slot(const Line& line) {
  require_turn(line, program_.slots.size(), slots_);
  const ReplayFields fields(line, "slot " + std::to_string(program_.slots.size()));
  require_all(fields, 1);
  ReplaySlot slot;
  slot.offset = read_offset(fields);
  slot.bytes = fields.integer("bytes", 1, kMostBytes);
  require_inside(fields, slot.offset, slot.bytes, program_.far_bytes, "the far pool");
  slot.content = read_content(fields);
  program_.slots.push_back(slot);
}

void ReplayGroup::read_step(const Line& line) {
  require_turn(line, program_.steps.size(), steps_);
  const ReplayFields fields(line, "step " + std::to_string(program_.steps.size()));
  require_all(fields, 2);
  ReplayStep step;
  step.queue = read_queue(fields);
  step.kind = read_kind(fields, step.queue);
  step.waits = fields.numbers("waits", steps_, "step");
  if (step.kind == ReplayKind::kCompute) {
    step.ns = fields.ns("ns");
    step.reads = fields.numbers("reads", program_.blocks.size(), "block");
    step.writes = fields.numbers("writes", program_.blocks.size(), "block");
  } else {
    step.block = fields.number("block", program_.blocks.size(), "block");
    step.slot = fields.number("slot", program_.slots.size(), "slot");
    step.bytes = fields.integer("bytes", 1, kMostBytes);
    require_inside(fields, 0, step.bytes, program_.blocks[step.block].bytes, "its block");
    require_inside(fields, 0, step.bytes, program_.slots[step.slot].bytes, "its slot");
  }
  if (line.find("op") != nullptr) step.line = line;
  step.name = fields.text_or("name", "");
  program_.steps.push_back(std::move(step));
}

void ReplayGroup::read_run(const Line& line) {
  const ReplayFields fields(line, "run");
  require_all(fields, 3);
  require_pages(line);
  ReplayRun& run = program_.run;
  const std::string compute = fields.text_or("compute", "spin");
  if (compute != "spin" && compute != "real") {
    fields.fail("'compute': found '" + compute + "', expected spin or real");
  }
  run.real = compute == "real";
  run.iterations = fields.integer_or("iterations", 20, 1, kMostLines);
  run.warmup = fields.integer_or("warmup", 2, 0, kMostLines);
  run.verify = fields.flag_or("verify", true);
  run.max_ns = static_cast<double>(fields.integer_or("max_ms", 30000, 0, kMostLines * 100)) * 1e6;
  if (run.iterations * steps_ > kMostTimes) {
    fields.fail("'iterations': " + std::to_string(run.iterations) + " times " +
                std::to_string(steps_) + " steps are more than " + std::to_string(kMostTimes));
  }
}

}  // namespace ooc::gpu
