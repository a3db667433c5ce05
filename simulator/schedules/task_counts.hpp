// Counter for each task, with a bit set to find the next task whose counter is not 0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/base/ids.hpp"

namespace ooc {

class TaskCounts {
 public:
  explicit TaskCounts(std::size_t tasks) : counts_(tasks), words_(tasks / kBits + 1) {}

  void add(TaskId task) {
    if (counts_[task.at()]++ > 0) return;
    words_[task.at() / kBits] |= bit(task);
    ++tasks_;
  }
  void remove(TaskId task) {
    if (--counts_[task.at()] > 0) return;
    words_[task.at() / kBits] &= ~bit(task);
    --tasks_;
  }
  /// Returns the first task after `task` whose count is not 0.
  [[nodiscard]] std::optional<TaskId> next_after(TaskId task) const {
    if (tasks_ == 0) return std::nullopt;
    const std::size_t start = task.at() + 1;
    std::size_t word = start / kBits;
    if (word >= words_.size()) return std::nullopt;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (start % kBits));
    while (bits == 0) {
      if (++word == words_.size()) return std::nullopt;
      bits = words_[word];
    }
    return make_id<TaskId>(word * kBits + static_cast<std::size_t>(std::countr_zero(bits)));
  }

 private:
  static constexpr std::size_t kBits = 64;
  static std::uint64_t bit(TaskId task) { return std::uint64_t{1} << (task.at() % kBits); }

  std::vector<std::int32_t> counts_;
  std::vector<std::uint64_t> words_;
  std::size_t tasks_ = 0;  ///< number of tasks with a count above 0
};

}  // namespace ooc
