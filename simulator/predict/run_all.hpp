// Independent runs on all threads of the machine; results do not depend on how many there are.
#pragma once

#include <cstddef>
#include <functional>

namespace ooc {

/// Calls run(i) for i in [0, count), each once, several at a time. Rethrows what the first of them that failed threw.
void run_all(std::size_t count, const std::function<void(std::size_t)>& run);

}  // namespace ooc
