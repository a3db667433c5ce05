// Several mistakes in one file, told at once: whoever writes a file by hand mends them in one go.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"

namespace ooc {

/// The first is the error itself, for everybody who can do with one; main prints the others below it.
class SpecErrors : public SpecError {
 public:
  SpecErrors(const SpecError& first, std::vector<std::string> others)
      : SpecError(first), others_(std::move(others)) {}
  /// One line each, as what() is.
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

 private:
  std::vector<std::string> others_;
};

/// Keeps what readers throw, as long as what comes next does not depend on it.
class ErrorCollector {
 public:
  /// Runs `read`; whether it went well.
  template <class Read>
  bool attempt(Read read) {
    try {
      read();
      return true;
    } catch (const SpecError& error) {
      errors_.push_back(error);
      return false;
    }
  }
  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  /// Throws what was kept, if anything.
  void finish() const {
    if (errors_.empty()) return;
    if (errors_.size() == 1) throw SpecError(errors_.front());
    constexpr std::size_t kMost = 20;
    std::vector<std::string> others;
    for (std::size_t i = 1; i < errors_.size() && i < kMost; ++i) {
      others.emplace_back(errors_[i].what());
    }
    if (errors_.size() > kMost) {
      others.push_back("and " + std::to_string(errors_.size() - kMost) + " more errors");
    }
    throw SpecErrors(errors_.front(), std::move(others));
  }

 private:
  std::vector<SpecError> errors_;
};

}  // namespace ooc
