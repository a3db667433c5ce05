// The fake device's clock: which operations run at an instant, how fast, and what happens when they end.
// See device.hpp for what is modelled and what is not.
#include "calibrate/stub/device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <tuple>
#include <utility>

namespace ooc::bench::stub {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kQueueDepth = 1024;
constexpr double kInstantNs = 1e-5;  // times closer than this are one instant

bool is_copy(Work work) { return work == Work::kToNear || work == Work::kToFar; }

// The head of a stream that has not ended.
Operation* head(const CUstream_st* stream) {
  return stream->queue.empty() ? nullptr : stream->queue.front().get();
}

}  // namespace

Device::Device(const Settings& settings)
    : settings_(settings), random_(static_cast<std::uint64_t>(settings.seed) * 2654435769U + 1) {}

double Device::vary() {
  const auto uniform = [this] {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(random_ >> 11) / 9007199254740992.0;
  };
  return 1 + settings_.noise * (2 * uniform() - 1);
}

void Device::push(CUstream_st* stream, Operation operation) {
  // A full launch queue takes no more before one ends: behind a shut gate a real call waits for ever.
  const auto has_room = [&] { return stream->queue.size() < kQueueDepth; };
  if (!has_room() && !run_until(has_room)) std::abort();
  operation.issued_ns = host_ns_;
  stream->queue.push_back(std::make_shared<Operation>(std::move(operation)));
  spend_host_ns(settings_.issue_ns);
}

void Device::remove_stream(CUstream_st* stream) {
  streams_.erase(std::remove(streams_.begin(), streams_.end(), stream), streams_.end());
}

// Whatever opened a gate did so before the host waits: it is open from then on.
void Device::look_at_gates() {
  for (const CUstream_st* stream : streams_) {
    for (const auto& each : stream->queue) {
      const bool opens = each->work == Work::kGate && each->opened_ns < 0 && *each->flag != 0;
      if (opens) each->opened_ns = host_ns_;
    }
  }
}

bool Device::moving(Work work) const {
  return std::any_of(streams_.begin(), streams_.end(), [work](const CUstream_st* stream) {
    const Operation* operation = head(stream);
    return operation != nullptr && operation->started && operation->work == work &&
           operation->latency_ns <= 0;
  });
}

double Device::speed(const Operation& operation) const {
  double factor = 1;
  if (is_copy(operation.work)) {
    if (moving(operation.work == Work::kToNear ? Work::kToFar : Work::kToNear)) {
      factor *= settings_.duplex;
    }
    if (moving(Work::kMemoryKernel)) factor *= settings_.copy_slowdown;
  } else if (operation.work == Work::kMemoryKernel &&
             (moving(Work::kToNear) || moving(Work::kToFar))) {
    factor *= settings_.kernel_slowdown;
  }
  return operation.rate * factor;
}

double Device::earliest_start(const Operation& operation) const {
  if (operation.work == Work::kWait && operation.event->completed < operation.record) {
    return kNever;
  }
  if (is_copy(operation.work)) {
    for (const CUstream_st* stream : streams_) {
      const Operation* other = head(stream);
      if (other == nullptr || other == &operation || other->work != operation.work) continue;
      if (other->started) return kNever;  // the engine is taken
      if (other->ready_ns >= 0 && other->ready_ns < operation.ready_ns) return kNever;
    }
  }
  return std::max(operation.ready_ns, operation.issued_ns);
}

// Starts what can start now; true if anything did.
bool Device::start_ready() {
  bool any = false;
  for (CUstream_st* stream : streams_) {
    Operation* operation = head(stream);
    if (operation == nullptr || operation->started) continue;
    if (operation->ready_ns < 0 && operation->issued_ns <= device_ns_ + kInstantNs) {
      operation->ready_ns = device_ns_;
      any = true;
    }
    if (operation->ready_ns < 0 || earliest_start(*operation) > device_ns_ + kInstantNs) continue;
    operation->started = true;
    any = true;
    if (operation->work == Work::kInstant || operation->work == Work::kWait) finish(stream);
  }
  return any;
}

void Device::finish(CUstream_st* stream) {
  const std::shared_ptr<Operation> operation = stream->queue.front();
  stream->queue.pop_front();
  if (operation->work == Work::kInstant && operation->event != nullptr) {
    operation->event->completed = std::max(operation->event->completed, operation->record);
    operation->event->time_ns = device_ns_;
  }
  if (operation->effect) operation->effect();
}

// One step of the clock: to the next instant at which anything changes. False if nothing ever will.
bool Device::step() {
  if (start_ready()) return true;
  double next = kNever;
  for (const CUstream_st* stream : streams_) {
    const Operation* operation = head(stream);
    if (operation == nullptr) continue;
    if (!operation->started) {
      if (operation->ready_ns < 0) next = std::min(next, operation->issued_ns);
    } else if (operation->work == Work::kGate) {
      if (operation->opened_ns >= 0)
        next = std::min(next, std::max(device_ns_, operation->opened_ns));
    } else if (operation->latency_ns > 0) {
      next = std::min(next, device_ns_ + operation->latency_ns);
    } else {
      next = std::min(next, device_ns_ + operation->left / speed(*operation));
    }
  }
  if (next == kNever) return false;

  const double elapsed = std::max(0.0, next - device_ns_);
  std::vector<CUstream_st*> ended;
  // Speeds are those of the interval, so all of them are taken before anything changes.
  std::vector<std::tuple<CUstream_st*, Operation*, double>> running;
  for (CUstream_st* stream : streams_) {
    Operation* operation = head(stream);
    if (operation == nullptr || !operation->started) continue;
    running.emplace_back(stream, operation, speed(*operation));
  }
  device_ns_ = std::max(device_ns_, next);
  for (const auto& [stream, operation, speed] : running) {
    if (operation->work == Work::kGate) {
      const bool open = operation->opened_ns >= 0 && operation->opened_ns <= device_ns_;
      if (open) ended.push_back(stream);
    } else if (operation->latency_ns > 0) {
      operation->latency_ns -= elapsed;
      if (operation->latency_ns <= kInstantNs) operation->latency_ns = 0;
      if (operation->latency_ns <= 0 && operation->left <= 0) ended.push_back(stream);
    } else {
      operation->left -= elapsed * speed;
      if (operation->left <= kInstantNs * speed) ended.push_back(stream);
    }
  }
  for (CUstream_st* stream : ended) finish(stream);
  return true;
}

// The host waits: its clock goes on to the instant at which the wait is over.
bool Device::run_until(const std::function<bool()>& reached) {
  look_at_gates();
  while (!reached()) {
    if (!step()) return false;
  }
  host_ns_ = std::max(host_ns_, device_ns_);
  return true;
}

bool Device::run_until_empty(const CUstream_st* stream) {
  return run_until([stream] { return stream->queue.empty(); });
}

bool Device::run_until_recorded(const CUevent_st* event) {
  return run_until([event] { return event->completed >= event->records; });
}

bool Device::run_until_idle() {
  return run_until([this] {
    return std::all_of(streams_.begin(), streams_.end(),
                       [](const CUstream_st* stream) { return stream->queue.empty(); });
  });
}

void Device::spend_host_ns(double ns) {
  host_ns_ += ns;
  const double real = settings().sleep_ns;
  if (real > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(real));
}

Device& device() {
  static Device the_device(settings());
  return the_device;
}

cudaError_t launch(cudaStream_t stream, Work work, double ns, std::function<void()> effect) {
  Operation operation;
  operation.work = work;
  operation.latency_ns = settings().launch_ns;
  operation.left = ns * device().vary();
  operation.effect = std::move(effect);
  device().push(stream, std::move(operation));
  return cudaSuccess;
}

}  // namespace ooc::bench::stub
