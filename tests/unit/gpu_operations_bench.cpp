// See gpu_operations_bench.hpp.
#include "tests/unit/gpu_operations_bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibrate/gpu/check.hpp"
#include "calibrate/gpu/operations/math.hpp"
#include "calibrate/gpu/timing.hpp"

namespace ooc::test {
namespace {

gpu::Line line_of(const std::string& keys) {
  const auto parsed = gpu::parse_line("step id=1 " + keys);
  REQUIRE_MESSAGE(parsed.line.has_value(), parsed.problem);
  return *parsed.line;
}

double loss(const std::vector<float>& r, const Numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.count; ++i) sum += double{y.first[i]} * double{r[i]};
  return sum;
}

}  // namespace

OperationsBench::OperationsBench(const std::vector<std::size_t>& blocks, std::size_t statics) {
  gpu::ReplayProgram program;
  for (const std::size_t count : blocks) {
    gpu::ReplayBlock block;
    block.offset = program.arena_bytes;
    block.bytes = count * sizeof(float);
    program.arena_bytes += (block.bytes + 255) / 256 * 256;
    program.blocks.push_back(block);
  }
  program.static_bytes = statics * sizeof(float);
  memory_ = std::make_unique<gpu::ReplayMemory>(program, gpu::Machine{}, pool_);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    fill(block(i), blocks[i], static_cast<unsigned>(i) + 1);
  }
  if (statics > 0) fill(this->statics(), statics, 100);
}

float* OperationsBench::block(std::size_t number) const {
  return reinterpret_cast<float*>(memory_->block(number));
}

float* OperationsBench::statics() const { return reinterpret_cast<float*>(memory_->statics()); }

unsigned char* OperationsBench::bytes(std::size_t number) const {
  return reinterpret_cast<unsigned char*>(memory_->block(number));
}

std::unique_ptr<gpu::Operation> OperationsBench::make(const std::string& keys) const {
  const gpu::Line line = line_of(keys);  // must not be needed after the making
  // Algorithms are tried out on the buffers.
  const std::vector<char> arena(memory_->pool(), memory_->pool() + memory_->pool_bytes());
  const std::vector<char> statics(memory_->statics(), memory_->statics() + memory_->static_bytes());
  gpu::MadeOperation made = gpu::make_operation(line, *memory_);
  std::copy(arena.begin(), arena.end(), memory_->pool());
  std::copy(statics.begin(), statics.end(), memory_->statics());
  REQUIRE_MESSAGE(made.operation != nullptr, made.missing);
  return std::move(made.operation);
}

std::string OperationsBench::missing(const std::string& keys) const {
  const gpu::MadeOperation made = gpu::make_operation(line_of(keys), *memory_);
  return made.operation == nullptr ? made.missing : "";
}

std::string OperationsBench::error(const std::string& keys) const {
  try {
    gpu::make_operation(line_of(keys), *memory_);
  } catch (const gpu::RequestError& error) {
    return error.text;
  }
  return "";
}

void OperationsBench::run(const std::string& keys) const {
  const auto operation = make(keys);
  const gpu::Stream stream;
  operation->run(stream.get());
  stream.wait();
}

double OperationsBench::time_ns(const std::string& keys) const {
  const auto operation = make(keys);
  gpu::Timer timer;
  return timer.time_ns(true, [&](const gpu::Stream& stream) { operation->run(stream.get()); });
}

void fill(float* numbers, std::size_t count, unsigned seed) {
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = gpu::random_number(static_cast<unsigned>(i), seed);
  }
}

std::vector<float> copy(const float* numbers, std::size_t count) {
  return {numbers, numbers + count};
}

void check_gradient(const OperationsBench& bench, const std::string& forward,
                    const std::string& backward, Numbers variable, const float* gradient, Numbers y,
                    float* dy) {
  constexpr float kStep = 1e-2F;
  std::vector<float> r(y.count);
  fill(r.data(), r.size(), 55);
  bench.run(forward);
  if (dy != nullptr) std::copy(r.begin(), r.end(), dy);
  bench.run(backward);
  const std::vector<float> found = copy(gradient, variable.count);
  for (std::size_t i = 0; i < variable.count; ++i) {
    const float value = variable.first[i];
    variable.first[i] = value + kStep;
    bench.run(forward);
    const double above = loss(r, y);
    variable.first[i] = value - kStep;
    bench.run(forward);
    const double below = loss(r, y);
    variable.first[i] = value;
    const double expected = (above - below) / (2 * double{kStep});
    INFO("number " << i);
    CHECK(std::abs(double{found[i]} - expected) < 2e-3 + 5e-3 * std::abs(expected));
  }
}

}  // namespace ooc::test
