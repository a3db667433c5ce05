// OOC-Paleo's closed forms, equations (1)-(12) of
//   H. Zhang, M. Wahib, L. Zhang, Y. Tsuji, S. Matsuoka, "Breaking the limitation of GPU Memory for
//   Deep Learning Workloads", IPSJ SIG Technical Report 2019-HPC-170 No. 10, sections 3.3 to 3.5.
// They bound by formula what the engine simulates. Reports show both, and tests hold each against
// the other.
//
// Four layers of 1 GB, backward 100 ms each, link 10 GB/s, so a copy takes 100 ms; two layers are still near at the
// turn. Processing reaches the third layer after 200 ms, by which time 2 + 2 GB have been near: nothing waits, and the
// backward pass takes 400 ms. At 5 GB/s only 3 GB have been near after 200 ms: the third layer just starts, the fourth
// is caught at T_catch = 300 ms and waits for the last 0.5 GB, 100 ms; the backward pass takes 500 ms.
//
// Deviations from the print, each with its reason:
// * The paper counts buffers. Here a layer's number of buffers is its bytes, so rates are bytes/s.
// * (1), (2): the printed denominator lacks its brackets. Without the clamp at 1, more memory than
//   the processor can use would give a utilisation above 1.
// * (3) may go negative and is superseded by (4). T names a step and its length: here `step`.
// * (5): the latencies of the paper's Table 1 precede the copy.
// * (6) is printed with the space free before this step's consumption. Here what the step processes is
//   freed first. Both readings have the same long-run rate as the step shrinks to 0.
// * (10), (11) as printed sum over the layers that fit, which gives T_catch of about 0. They are
//   read from the loss on: the first layer whose data cannot all be near when processing reaches it.
// * (12): the layer at which processing is caught also waits for the rest of its own copy.
//
// Where they are wrong: they know no stall of forward, no copies out still under way at the turn
// from forward to backward, and no room that copies in need. They bound only the backward part of a
// plan with unlimited memory, all copies out finished and all copies in free to start at the turn.
// (9) forgets from section to section how far copies had run ahead: a bound, not an equality.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/base/units.hpp"

namespace ooc {

/// Equations of the paper that apply to a schedule.
enum class ClosedForm {
  kNone,
  kVdnnLike,  ///< (7) to (9): backward of each layer runs beside the copy in for the next one
  kCapacity,  ///< (10) to (12): copies in run ahead, until processing catches up with them
};

// --- One processor and one link, step by step: (1) to (6) ---

/// (1), (2): returns available / full_concurrency, at most 1: the utilisation of the processor.
/// `full_concurrency`: Proc_Th x Proc_L, bytes in flight at full speed.
[[nodiscard]] double processing_utilization(Bytes available, Bytes full_concurrency);

/// Returns the bytes that `rate` moves in `time`, rounded down, at most kMaxTotalBytes.
[[nodiscard]] Bytes bytes_within(BytesPerSecond rate, Duration time);

/// Step of length T, in which bytes in GPU memory are processed and others copied in.
struct AvailabilityStep {
  Bytes available;   ///< Num_avail: bytes near and unprocessed at the end of the previous step
  Bytes processed;   ///< bytes that can be processed, Proc_Th x T; at most `available` are
  Bytes swapped_in;  ///< bytes that could be copied in, Swap_in_Th x T; with (6) room limits them
  std::optional<Bytes> capacity;  ///< (6): bytes near memory holds at most; unset: no limit, (4)
};

/// (4), (6): returns the bytes near and not yet processed at the end of the step.
[[nodiscard]] Bytes next_available(const AvailabilityStep& step);

/// Stage of the path from host memory to GPU memory.
struct SwapStage {
  BytesPerSecond throughput;
  Duration latency;
};

/// (5): returns the path of the three stages: the slowest throughput, and the sum of the latencies.
[[nodiscard]] SwapStage swap_path(SwapStage far_memory, SwapStage connection,
                                  SwapStage near_memory);

// --- vDNN-like: (7) to (9) ---

/// (7): section of the backward pass, which runs layer l while copying in what layer l-1 needs.
struct BackwardSection {
  Duration processing;  ///< time of layer l's backward task
  Duration swap;        ///< time to copy in what layer l-1 needs
  [[nodiscard]] Duration length() const { return processing > swap ? processing : swap; }
  /// (9): share of the section that processing takes; 1 for an empty section.
  [[nodiscard]] double utilization() const;
};

/// (8): returns the bytes in flight, mean over the section. `full_concurrency`: Proc_Th x Proc_L.
[[nodiscard]] double section_concurrency(BackwardSection section, Bytes full_concurrency);

/// Times of one layer of a chain.
struct ChainLayer {
  Duration forward;
  Duration backward;
  Duration copy_out;  ///< copy of the tensor that the layer writes last
  Duration copy_in;   ///< copy of the tensor that the layer's backward task reads first
};

/// Returns the iteration time under vdnn-like. tF, tB, out, in: times of ChainLayer, 1 at the input; in(0) = 0:
///   tF(1) + sum over l=2..n of max(tF(l), out(l-1)) + out(n)
///   + in(n) + sum over l=n..1 of max(tB(l), in(l-1))
[[nodiscard]] Duration vdnn_like_time(std::span<const ChainLayer> layers);

// --- Capacity-based: (10) to (12) ---

/// Bytes that the backward task of a layer needs in GPU memory, and its time.
struct BackwardLayer {
  Bytes bytes;
  Duration time;
};

struct CapacityBackward {
  std::span<const BackwardLayer> layers;  ///< in execution order: nearest to the loss first
  Bytes retained;  ///< bytes in GPU memory at the end of forward: data of the first `layers`
  BytesPerSecond swap_in;  ///< rate of copies to GPU memory
};

struct Catch {
  std::size_t layer;  ///< index of the first layer that waits for its data
  Duration time;      ///< T_catch: instant at which processing reaches the layer
  Bytes missing;      ///< bytes of the layer's data not in GPU memory at that instant
};

/// (10), (11): returns the first layer m with S(m) > retained + swap_in x T(m-1), where S(m) and T(m)
/// are bytes and time of the first m layers. Unset: processing never catches up with the copies.
[[nodiscard]] std::optional<Catch> catch_up(const CapacityBackward& backward);

/// Returns the section of (7) that runs layer `layer` (index from 0) and copies in all data of the next layer.
[[nodiscard]] BackwardSection section_of(const CapacityBackward& backward, std::size_t layer);

/// (12): returns the utilisation during layer `layer` (index from 0): 1 before catch_up(), (9) from that layer on.
[[nodiscard]] double capacity_utilization(const CapacityBackward& backward, std::size_t layer);

/// (12): returns the time of the backward pass.
[[nodiscard]] Duration capacity_backward_time(const CapacityBackward& backward);

}  // namespace ooc
