// What the host does in a measurement: the clock it is timed by, copies between host buffers, touching
// managed pages. Behind an interface because the stub device has a clock of its own, which the host's
// waiting and working must move.
#pragma once

#include <cstddef>

namespace ooc::bench {

// "cuda" or "stub".
const char* backend_name();

// Monotonic; in the stub the simulated time at which the host is.
double host_now_ns();

// One copy by `threads` threads, timed from the moment all of them are ready to the end of the last.
double copy_on_host_ns(void* target, const void* source, std::size_t bytes, unsigned threads);

// One write to each 4 KiB page of managed memory, by one thread.
double touch_on_host_ns(void* managed, std::size_t bytes);

// What the clock that spinning kernels read advances by: a spin ends on average half of it late.
double timer_tick_ns();

// Has everything that a measurement launches loaded. CUDA loads a kernel on its first launch, which may wait for the
// device; behind a shut gate that would be for ever. Throws CallFailure. The stub has nothing to load.
void load_everything(int multiprocessors);

}  // namespace ooc::bench
