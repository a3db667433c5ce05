// The keys of a step's operation (docs/replay-operations.md), with places turned into addresses. What is missing, wrong
// or larger than its block throws RequestError.
#pragma once

#include <cstddef>
#include <string>

#include "calibrate/gpu/operations/kernels.hpp"
#include "calibrate/gpu/replay/fields.hpp"
#include "calibrate/gpu/replay/memory.hpp"

namespace ooc::gpu {

enum class TaskPass { kForward, kBackward, kBackwardData, kBackwardWeights };

struct Workspace {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

class OperationKeys {
 public:
  OperationKeys(const Line& step, const ReplayMemory& memory);

  const std::string& op() const { return op_; }
  TaskPass pass() const;
  // Throws for a pass that this operation does not have.
  [[noreturn]] void refuse_pass() const;

  bool has(const std::string& key) const { return line_.find(key) != nullptr; }
  std::string text(const std::string& key) const { return fields_.text(key); }
  // 1 to 2^31 - 1.
  unsigned size(const std::string& key) const;
  int small(const std::string& key) const { return static_cast<int>(size(key)); }
  int small_or_zero(const std::string& key) const;
  bool flag(const std::string& key) const { return fields_.flag_or(key, false); }
  unsigned batch() const { return batch_; }

  // A tensor of `elements` numbers a sample.
  Slice tensor(const std::string& key, std::size_t elements) const;
  // The same; data is null where the key is missing, `add` where it is in the list `add_to`.
  Target gradient(const std::string& key, std::size_t elements) const;
  unsigned char* mask(std::size_t elements) const;
  // `count` numbers in the static memory.
  float* parameters(const std::string& key, std::size_t count) const;
  Workspace workspace() const;

  // Counts that kernels keep in 31 bits.
  void require_countable(std::size_t count) const;

  [[noreturn]] void fail(const std::string& problem) const { fields_.fail(problem); }

 private:
  struct Place {
    char* memory;
    std::size_t left;    // bytes to the end of the block
    std::size_t stride;  // bytes from one sample to the next; 0: dense
  };
  Place place(const std::string& key) const;
  bool is_added_to(const std::string& key) const;

  const Line& line_;
  const ReplayMemory& memory_;
  std::string op_;
  ReplayFields fields_;
  unsigned batch_ = 1;
};

}  // namespace ooc::gpu
