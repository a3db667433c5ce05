// What a fit leaves in architectures: the numbers, who answers for them, and what others take over from them.
#pragma once

#include <map>
#include <string>

#include "calibrate/fit/operations_fit.hpp"
#include "model/hardware/architecture.hpp"

namespace ooc {

using Architectures = std::map<std::string, Architecture>;  ///< by name

/// What a fit was fitted to.
struct FitSource {
  std::string table;  ///< "ops.csv"
  std::string date = {};
};

enum class FitNote {
  kPerNumber,  ///< each fitted number gets an entry of its own
  kInPlace,    ///< an entry that says "fitted" of it gets new rows and error; its words stay
};

/// Takes the fitted numbers over. Numbers that were not fitted keep their values and what is said of them.
void take_over(const OperationsFit& fit, const FitSource& source, FitNote note,
               Architecture& architecture);

/// Numbers that are said to be another architecture's ("inherits": "volta") follow it, or one number of it
/// ("inherits": "pascal.simt.generation"). Throws SpecError for a name that is unknown.
void inherit_numbers(Architectures& architectures);

}  // namespace ooc
