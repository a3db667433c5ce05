// What a sweep says when it has come to its end.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "model/software/framework.hpp"
#include "simulator/predict/sweep.hpp"

namespace ooc {

/// "8 rows, framework ideal (no overhead, exact memory): 5 ran, 2 do not fit (2 lack near memory), 1 cannot be worked
/// out, the first because of ..."; `before` of them are an earlier run's. Empty `frameworks`: they are not known.
[[nodiscard]] std::string closing_line(
    const SweepSummary& summary, std::size_t before,
    std::span<const std::shared_ptr<const Framework>> frameworks = {});

}  // namespace ooc
