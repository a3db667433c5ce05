// Reads places "B", "B+O" and "B+O/P" and sizes. See operations/keys.hpp.
#include "calibrate/gpu/operations/keys.hpp"

#include <cstdlib>
#include <optional>

namespace ooc::gpu {
namespace {

constexpr std::size_t kMostElements = (std::size_t{1} << 31) - 1;
constexpr std::size_t kMostBytes = std::size_t{1} << 46;

std::string op_of(const Line& step) {
  const std::string* op = step.find("op");
  return op == nullptr ? std::string() : *op;
}

// Digits from `begin` on, which is moved behind them.
std::optional<std::size_t> take_number(const std::string& text, std::size_t& begin) {
  const std::size_t first = begin;
  std::size_t value = 0;
  while (begin < text.size() && text[begin] >= '0' && text[begin] <= '9' && begin - first < 15) {
    value = value * 10 + static_cast<std::size_t>(text[begin++] - '0');
  }
  return begin == first ? std::nullopt : std::optional(value);
}

struct PlaceText {
  std::size_t block = 0;
  std::size_t offset = 0;
  std::size_t stride = 0;
};

std::optional<PlaceText> parse_place(const std::string& text) {
  PlaceText place;
  std::size_t at = 0;
  const auto block = take_number(text, at);
  if (!block) return std::nullopt;
  place.block = *block;
  if (at < text.size() && text[at] == '+') {
    const auto offset = take_number(text, ++at);
    if (!offset) return std::nullopt;
    place.offset = *offset;
    if (at < text.size() && text[at] == '/') {
      const auto stride = take_number(text, ++at);
      if (!stride || *stride == 0) return std::nullopt;
      place.stride = *stride;
    }
  }
  return at == text.size() ? std::optional(place) : std::nullopt;
}

}  // namespace

OperationKeys::OperationKeys(const Line& step, const ReplayMemory& memory)
    : line_(step), memory_(memory), op_(op_of(step)), fields_(step, op_) {
  if (has("batch")) batch_ = size("batch");
}

TaskPass OperationKeys::pass() const {
  const std::string name = text("pass");
  if (name == "forward") return TaskPass::kForward;
  if (name == "backward") return TaskPass::kBackward;
  if (name == "backward_data") return TaskPass::kBackwardData;
  if (name == "backward_weights") return TaskPass::kBackwardWeights;
  fail("'pass': found '" + name +
       "', expected forward, backward, backward_data or backward_weights");
}

void OperationKeys::refuse_pass() const { fail("it has no pass '" + text("pass") + "'"); }

unsigned OperationKeys::size(const std::string& key) const {
  return static_cast<unsigned>(fields_.integer(key, 1, kMostElements));
}

int OperationKeys::small_or_zero(const std::string& key) const {
  return static_cast<int>(fields_.integer_or(key, 0, 0, kMostElements));
}

void OperationKeys::require_countable(std::size_t count) const {
  if (count > kMostElements) fail(std::to_string(count) + " elements are more than it can count");
}

OperationKeys::Place OperationKeys::place(const std::string& key) const {
  const std::string value = text(key);
  const std::optional<PlaceText> found = parse_place(value);
  if (!found || found->offset % 4 != 0 || found->stride % 4 != 0) {
    fail("'" + key + "': found '" + value + "', expected B, B+O or B+O/P, O and P multiples of 4");
  }
  if (found->block >= memory_.block_count()) {
    fail("'" + key + "': there is no block " + std::to_string(found->block));
  }
  const std::size_t bytes = memory_.block_bytes(found->block);
  if (found->offset > bytes) fail("'" + key + "': " + value + " begins behind its block");
  return {memory_.block(found->block) + found->offset, bytes - found->offset, found->stride};
}

Slice OperationKeys::tensor(const std::string& key, std::size_t elements) const {
  require_countable(elements);
  const Place at = place(key);
  const std::size_t stride = at.stride == 0 ? elements : at.stride / 4;
  if (stride < elements) fail("'" + key + "': samples of a slice overlap");
  const std::size_t need = 4 * ((batch_ - 1) * stride + elements);
  if (need > at.left) {
    fail("'" + key + "': needs " + std::to_string(need) + " bytes, its block has " +
         std::to_string(at.left));
  }
  return {reinterpret_cast<float*>(at.memory), stride};
}

bool OperationKeys::is_added_to(const std::string& key) const {
  const std::string list = "," + fields_.text_or("add_to", "") + ",";
  return list.find("," + key + ",") != std::string::npos;
}

Target OperationKeys::gradient(const std::string& key, std::size_t elements) const {
  if (!has(key)) return {};
  return {tensor(key, elements), is_added_to(key)};
}

unsigned char* OperationKeys::mask(std::size_t elements) const {
  const Place at = place("mask");
  const std::size_t need = batch_ * elements;
  if (need > at.left) {
    fail("'mask': needs " + std::to_string(need) + " bytes, its block has " +
         std::to_string(at.left));
  }
  return reinterpret_cast<unsigned char*>(at.memory);
}

float* OperationKeys::parameters(const std::string& key, std::size_t count) const {
  const std::size_t offset = fields_.integer(key, 0, kMostBytes);
  if (offset % 4 != 0) fail("'" + key + "': expected a multiple of 4");
  if (offset + 4 * count > memory_.static_bytes()) {
    fail("'" + key + "': ends at byte " + std::to_string(offset + 4 * count) +
         ", the static memory has " + std::to_string(memory_.static_bytes()));
  }
  return reinterpret_cast<float*>(memory_.statics() + offset);
}

Workspace OperationKeys::workspace() const {
  if (!has("workspace")) return {};
  const Place at = place("workspace");
  const std::size_t bytes = fields_.integer_or("workspace_bytes", at.left, 0, kMostBytes);
  if (bytes > at.left) fail("'workspace_bytes': more than its block has");
  return {at.memory, bytes};
}

}  // namespace ooc::gpu
