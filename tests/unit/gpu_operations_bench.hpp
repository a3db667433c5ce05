// A few blocks of near memory on the stub device and operations on them: runs a step's line, and checks backward
// passes against finite differences of the forward pass.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/gpu/job.hpp"
#include "calibrate/gpu/operations/operations.hpp"
#include "calibrate/gpu/replay/memory.hpp"
#include "calibrate/gpu/resources.hpp"

namespace ooc::test {

class OperationsBench {
 public:
  // Numbers in each block, and of the static memory.
  explicit OperationsBench(const std::vector<std::size_t>& blocks, std::size_t statics = 0);

  float* block(std::size_t number) const;
  float* statics() const;
  unsigned char* bytes(std::size_t number) const;

  // `keys`: "op=relu pass=forward …". Throws what making it throws; REQUIREs that there is an operation.
  std::unique_ptr<gpu::Operation> make(const std::string& keys) const;
  // Why there is none.
  std::string missing(const std::string& keys) const;
  // The text of the RequestError, or "".
  std::string error(const std::string& keys) const;
  void run(const std::string& keys) const;
  // On an idle device, by the stub's clock.
  double time_ns(const std::string& keys) const;

 private:
  gpu::BufferPool pool_;
  std::unique_ptr<gpu::ReplayMemory> memory_;
};

// `count` numbers that differ, in [-1, 1).
void fill(float* numbers, std::size_t count, unsigned seed);
std::vector<float> copy(const float* numbers, std::size_t count);

struct Numbers {
  float* first;
  std::size_t count;
};

// With the loss Σ y · r, r fixed: fills dy with r, runs `backward` and compares what it wrote at `gradient` with
// (loss(v + h) - loss(v - h)) / 2h for each number v of `variable`. `forward` must be repeatable. dy may be null.
void check_gradient(const OperationsBench& bench, const std::string& forward,
                    const std::string& backward, Numbers variable, const float* gradient, Numbers y,
                    float* dy);

}  // namespace ooc::test
