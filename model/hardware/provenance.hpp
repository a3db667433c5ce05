// Sources of the numbers in profiles and architectures.
#pragma once

#include <cstdint>
#include <string>

namespace ooc {

enum class ProvenanceKind { kMeasured, kDatasheet, kPublished, kFitted, kAssumed };

struct Provenance {
  std::string fields;  ///< dotted path; a final `*` covers all below
  ProvenanceKind kind = ProvenanceKind::kAssumed;
  std::string source;
  std::string date;
  std::string inherits = {};  ///< kAssumed: architecture that the numbers were taken from
  std::int64_t rows = 0;      ///< kFitted: number of measurements; 0: unknown
  double error = 0;           ///< kFitted: their mean |log(predicted / measured)|; 0: unknown
};

}  // namespace ooc
