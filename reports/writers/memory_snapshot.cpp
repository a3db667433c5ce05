// Pickle's protocol 2, of which the viewer reads dictionaries, lists, texts and whole numbers. Texts that come again are
// kept by number; longer lists are appended in parts, as the viewer passes each part as arguments of a call.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "model/base/errors.hpp"
#include "reports/writers/trace.hpp"
#include "simulator/engine/near_memory.hpp"

namespace ooc {
namespace {

class Pickle {
 public:
  Pickle() : bytes_("\x80\x02") {}

  void object() { bytes_ += "}("; }
  void end_object() { bytes_ += 'u'; }
  void list() { bytes_ += "]("; }
  void next_part(std::size_t of_list) {
    constexpr std::size_t kPart = 1000;
    if (of_list > 0 && of_list % kPart == 0) bytes_ += "e(";
  }
  void end_list() { bytes_ += 'e'; }
  /// A key, or a text of few values.
  void word(std::string_view text) {
    const auto [known, is_new] =
        words_.try_emplace(std::string(text), static_cast<std::uint8_t>(words_.size()));
    if (!is_new) {
      bytes_ += 'h';
      bytes_ += static_cast<char>(known->second);
      return;
    }
    this->text(text);
    bytes_ += 'q';
    bytes_ += static_cast<char>(known->second);
  }
  void text(std::string_view text) {
    bytes_ += 'X';
    little_endian(text.size(), 4);
    bytes_ += text;
  }
  void number(std::int64_t value) {
    constexpr std::size_t kSize = 8;
    bytes_ += '\x8a';
    bytes_ += static_cast<char>(kSize);
    little_endian(static_cast<std::uint64_t>(value), kSize);
  }
  void field(std::string_view key, std::int64_t value) {
    word(key);
    number(value);
  }
  void field(std::string_view key, std::string_view value) {
    word(key);
    word(value);
  }
  [[nodiscard]] std::string finish() && { return std::move(bytes_ += '.'); }

 private:
  void little_endian(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }

  std::string bytes_;
  std::map<std::string, std::uint8_t> words_;
};

std::string_view category_of(const TrainingGraph& graph, TensorId id) {
  return text_at(graph.tensors[id.at()].role,
                 {"INPUT", "ACTIVATION", "ACTIVATION", "AUTOGRAD_DETAIL", "AUTOGRAD_DETAIL",
                  "GRADIENT", "PARAMETER", "GRADIENT", "OPTIMIZER_STATE"});
}

/// What stands in memory: a block, or what is static.
struct Held {
  Bytes bytes;
  std::int64_t address = 0;
  std::string name;
  std::string_view category;
};

constexpr std::int64_t kBase = std::int64_t{1} << 40;  // no address of a real segment is 0

class Snapshot {
 public:
  explicit Snapshot(const TraceInput& input)
      : in_(input), memory_(in_.plan, Bytes(kMaxTotalBytes), Fit::kFirst, buffers_) {}

  void run() {
    const Plan& plan = in_.plan;
    blocks_.resize(plan.blocks.size());
    const Bytes weights(in_.graph.weight_bytes);
    const Bytes optimizer(in_.graph.optimizer_bytes);
    fixed_ = {{weights, 0, "weights", "PARAMETER"},
              {optimizer, 0, "optimizer state", "OPTIMIZER_STATE"},
              {plan.static_bytes - weights - optimizer, 0, "weight gradients", "GRADIENT"}};
    for (Held& each : fixed_) allocate(each, end_, Duration(0));
    first_ = end_;
    for (const BlockId id : plan.initial_blocks) start(id, Duration(0));
    for (const StepEvent event : in_.timeline.events) {
      const Span& span = in_.timeline.spans[event.step.at()];
      if (!event.ends) {
        for (const BlockId id : plan.acquires[event.step]) start(id, span.start);
        continue;
      }
      for (const BlockId id : plan.releases[event.step]) {
        if (--buffers_.releases_left[id.at()] == 0) end(id, span.end);
      }
    }
  }

  void write_events(Pickle& to) const {
    to.list();
    write_event(to, "segment_alloc", {Bytes(end_ - kBase), kBase, "", "unknown"}, Duration(0));
    std::size_t count = 1;
    for (const Event& event : events_) {
      to.next_part(count++);
      write_event(to, event.action, *event.held, event.at);
    }
    // The viewer's legend wants a category of that name.
    write_event(to, "snapshot", {Bytes(0), 0, "", "unknown"}, in_.timeline.iteration_time);
    to.end_list();
  }

  void write_segment(Pickle& to) const {
    std::int64_t live = 0;
    for (const auto& [unused, held] : live_) live += held->bytes.count();
    to.object();
    to.field("device", 0);
    to.field("address", kBase);
    to.field("total_size", end_ - kBase);
    to.field("allocated_size", live);
    to.field("active_size", live);
    to.field("requested_size", live);
    to.field("stream", 0);
    to.field("segment_type", "large");
    to.word("blocks");
    to.list();
    std::int64_t at = kBase;
    std::size_t count = 0;
    for (const auto& [address, held] : live_) {
      if (address > at) write_block(to, nullptr, at, address - at, count);
      write_block(to, held, address, held->bytes.count(), count);
      at = address + held->bytes.count();
    }
    if (at < end_) write_block(to, nullptr, at, end_ - at, count);
    to.end_list();
    to.end_object();
  }

 private:
  struct Event {
    std::string_view action;
    const Held* held;
    Duration at;
  };

  void start(BlockId id, Duration at) {
    const Block& block = in_.plan.blocks[id.at()];
    if (block.bytes == Bytes(0)) return;
    const auto task = make_id<TaskId>(static_cast<std::size_t>(block.object));
    const auto tensor = make_id<TensorId>(static_cast<std::size_t>(block.object));
    Held& held = blocks_[id.at()];
    held = block.kind == BlockKind::kTensor ? Held{block.bytes, 0, tensor_name(in_.graph, tensor),
                                                   category_of(in_.graph, tensor)}
           : block.kind == BlockKind::kGradient
               ? Held{block.bytes, 0, task_name(in_.graph, task) + " (weights)", "GRADIENT"}
               : Held{block.bytes, 0, task_name(in_.graph, task) + " (workspace)", "TEMPORARY"};
    memory_.place(id);
    allocate(held, first_ + buffers_.addresses[id.at()], at);
  }
  void allocate(Held& held, std::int64_t address, Duration at) {
    if (held.bytes <= Bytes(0)) return;
    held.address = address;
    end_ = std::max(end_, address + held.bytes.count());
    live_.emplace(held.address, &held);
    events_.push_back({"alloc", &held, at});
  }
  void end(BlockId id, Duration at) {
    const Held& held = blocks_[id.at()];
    if (held.bytes == Bytes(0)) return;
    live_.erase(held.address);
    memory_.remove(id);
    events_.push_back({"free_requested", &held, at});
    events_.push_back({"free_completed", &held, at});
  }

  static void write_frames(Pickle& to, const std::string& name, std::string_view category) {
    to.word("frames");
    to.list();
    if (!name.empty()) {
      to.object();
      to.field("filename", category);
      to.field("line", 0);
      to.word("name");
      to.text(name);
      to.end_object();
    }
    to.end_list();
  }
  static void write_event(Pickle& to, std::string_view action, const Held& held, Duration at) {
    to.object();
    to.field("action", action);
    to.field("addr", held.address);
    to.field("size", held.bytes.count());
    to.field("stream", 0);
    to.field("time_us", at.count() / 1000);
    to.field("category", held.category);
    write_frames(to, held.name, held.category);
    to.end_object();
  }
  static void write_block(Pickle& to, const Held* held, std::int64_t address, std::int64_t bytes,
                          std::size_t& count) {
    to.next_part(count++);
    to.object();
    to.field("address", address);
    to.field("size", bytes);
    to.field("requested_size", held ? bytes : 0);
    to.field("state", held ? "active_allocated" : "inactive");
    write_frames(to, held ? held->name : "", held ? held->category : "");
    to.end_object();
  }

  const TraceInput& in_;
  std::vector<Held> fixed_;
  std::vector<Held> blocks_;
  std::map<std::int64_t, const Held*> live_;
  std::vector<Event> events_;
  MemoryBuffers buffers_;
  AddressedMemory memory_;      ///< of all bytes that there can be
  std::int64_t first_ = kBase;  ///< address of blocks, behind what is static
  std::int64_t end_ = kBase;
};

}  // namespace

std::string memory_snapshot(const TraceInput& input) {
  Snapshot snapshot(input);
  snapshot.run();
  Pickle to;
  to.object();
  to.word("segments");
  to.list();
  snapshot.write_segment(to);
  to.end_list();
  to.word("device_traces");
  to.list();
  snapshot.write_events(to);
  to.end_list();
  to.end_object();
  return std::move(to).finish();
}

}  // namespace ooc
