// Several errors of one file, reported together, so that an author can fix them all at once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/base/errors.hpp"

namespace ooc {

/// Several errors as one exception. The base class is the first error; main prints the others below it.
class SpecErrors : public SpecError {
 public:
  SpecErrors(const SpecError& first, std::vector<std::string> others)
      : SpecError(first), others_(std::move(others)) {}
  /// Returns the texts of the further errors, each one line like what().
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }

 private:
  std::vector<std::string> others_;
};

/// Collector of errors of readers, so that independent parts of a file are all checked.
class ErrorCollector {
 public:
  /// Runs `read`. Returns false, and collects the error, if it throws SpecError.
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
  /// Returns if there is no error. Throws one error as SpecError, several as SpecErrors: the first 20 and a count.
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
