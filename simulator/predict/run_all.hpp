// Independent runs on all threads of the machine. Results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace ooc {

/// Calls run(i) once for each i in [0, count), several at a time, then rethrows the exception of the first i, if any.
void run_all(std::size_t count, const std::function<void(std::size_t)>& run);

}  // namespace ooc
