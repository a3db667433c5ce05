// See the header for the source and the reading of each equation. Times and bytes are exact
// integers (128 bits in products); only ratios are floating point.
#include "model/analytic/closed_forms.hpp"

#include <algorithm>

#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr Int128 kNsPerSecond = 1'000'000'000;

/// rate x time in byte-nanoseconds per second: bytes x 10^9, exact.
Int128 scaled_bytes(BytesPerSecond rate, Duration time) {
  return Int128{rate.count()} * time.count();
}

}  // namespace

double processing_utilization(Bytes available, Bytes full_concurrency) {
  if (available >= full_concurrency) return 1.0;
  return available / full_concurrency;
}

Bytes bytes_within(BytesPerSecond rate, Duration time) {
  const Int128 bytes = scaled_bytes(rate, time) / kNsPerSecond;
  return Bytes(static_cast<std::int64_t>(std::min<Int128>(bytes, kMaxTotalBytes)));
}

Bytes next_available(const AvailabilityStep& step) {
  const Bytes left = std::max(step.available - step.processed, Bytes(0));
  if (!step.capacity) return left + step.swapped_in;
  return left + std::min(step.swapped_in, std::max(*step.capacity - left, Bytes(0)));
}

SwapStage swap_path(SwapStage far_memory, SwapStage connection, SwapStage near_memory) {
  return {.throughput =
              std::min({far_memory.throughput, connection.throughput, near_memory.throughput}),
          .latency = far_memory.latency + connection.latency + near_memory.latency};
}

double BackwardSection::utilization() const {
  return length() == Duration(0) ? 1.0 : processing / length();
}

double section_concurrency(BackwardSection section, Bytes full_concurrency) {
  return static_cast<double>(full_concurrency.count()) * section.utilization();
}

Duration vdnn_like_time(std::span<const ChainLayer> layers) {
  if (layers.empty()) return Duration(0);
  Duration total = layers.front().forward;
  for (std::size_t l = 1; l < layers.size(); ++l) {
    total += std::max(layers[l].forward, layers[l - 1].copy_out);
  }
  total += layers.back().copy_out + layers.back().copy_in;
  for (std::size_t l = layers.size() - 1; l > 0; --l) {
    total += std::max(layers[l].backward, layers[l - 1].copy_in);
  }
  return total + layers.front().backward;
}

std::optional<Catch> catch_up(const CapacityBackward& backward) {
  Bytes needed;
  Duration elapsed;
  for (std::size_t i = 0; i < backward.layers.size(); ++i) {
    needed += backward.layers[i].bytes;
    const Int128 missing = Int128{(needed - backward.retained).count()} * kNsPerSecond -
                           scaled_bytes(backward.swap_in, elapsed);
    // At an infinite rate everything is there at the turn, which the product says for every layer
    // but those that are reached at the turn itself.
    if (missing > 0 && backward.swap_in != kInfiniteRate) {
      const Int128 bytes = (missing + kNsPerSecond - 1) / kNsPerSecond;
      return Catch{.layer = i, .time = elapsed, .missing = Bytes(static_cast<std::int64_t>(bytes))};
    }
    elapsed += backward.layers[i].time;
  }
  return std::nullopt;
}

BackwardSection section_of(const CapacityBackward& backward, std::size_t layer) {
  const bool last = layer + 1 == backward.layers.size();
  const Duration swap =
      last ? Duration(0) : transfer_time(backward.layers[layer + 1].bytes, backward.swap_in);
  return {.processing = backward.layers[layer].time, .swap = swap};
}

double capacity_utilization(const CapacityBackward& backward, std::size_t layer) {
  OOC_CHECK(layer < backward.layers.size(), "a layer of the chain");
  const std::optional<Catch> caught = catch_up(backward);
  if (!caught || layer < caught->layer) return 1.0;
  return section_of(backward, layer).utilization();
}

Duration capacity_backward_time(const CapacityBackward& backward) {
  const std::optional<Catch> caught = catch_up(backward);
  const std::size_t first_late = caught ? caught->layer : backward.layers.size();
  Duration total;
  for (std::size_t i = 0; i < first_late; ++i) total += backward.layers[i].time;
  if (caught) total += transfer_time(caught->missing, backward.swap_in);
  for (std::size_t i = first_late; i < backward.layers.size(); ++i) {
    total += section_of(backward, i).length();
  }
  return total;
}

}  // namespace ooc
