// Where numbers of profiles and architectures come from.
#pragma once

#include <cstdint>
#include <string>

namespace ooc {

enum class ProvenanceKind { kMeasured, kDatasheet, kPublished, kFitted, kAssumed };

struct Provenance {
  std::string fields;  ///< dotted path, `*` at its end covers everything below
  ProvenanceKind kind = ProvenanceKind::kAssumed;
  std::string source;
  std::string date;
  std::string inherits = {};  ///< assumed: the architecture whose numbers these are
  std::int64_t rows = 0;      ///< fitted: to how many measurements; 0: not said
  double error = 0;           ///< fitted: mean |log(predicted / measured)| of them; 0: not said
};

}  // namespace ooc
