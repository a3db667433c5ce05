// A time step T_j is a section of (12): T_proc(l) until processing is caught, then (7) with Swap_in_Th. By then
// Proc_Th x T is Num_buffer(l), and Swap_in brings Swap_in_Th x T, but no more than is left to bring.
//
// Four layers of 1 GB and 100 ms, two of them near, 5 GB/s, room for 3 GB: Num_avail is 2 GB at the turn,
// 2 - 1 + 0.5 = 1.5 GB at the second layer, 1 GB at the third and 0.5 GB at the fourth, which is caught at 300 ms.
#include "simulator/summary/equations.hpp"

#include <algorithm>

#include "simulator/summary/paper_estimate.hpp"

namespace ooc {
namespace {

double utilization_of(Duration part, Duration whole) {
  if (whole == Duration(0)) return 1;
  return part / whole;
}

/// Num_avail from step to step, by (3), (4) or (6).
class Availability {
 public:
  Availability(Bytes available, Bytes coming, bool below_zero, std::optional<Bytes> capacity)
      : available_(available), coming_(coming), below_zero_(below_zero), capacity_(capacity) {}

  [[nodiscard]] Bytes available() const { return available_; }
  void step(Bytes processed, Bytes most) {
    const Bytes left = available_ - processed;
    Bytes next = left + std::min(most, coming_);
    if (!below_zero_) {
      next = next_available({.available = available_,
                             .processed = processed,
                             .swapped_in = std::min(most, coming_),
                             .capacity = capacity_});
    }
    coming_ -= next - (below_zero_ ? left : std::max(left, Bytes(0)));
    available_ = next;
  }

 private:
  Bytes available_;
  Bytes coming_;
  bool below_zero_;
  std::optional<Bytes> capacity_;
};

class Reader {
 public:
  explicit Reader(const EquationsInput& input)
      : input_(input),
        chain_(paper_chain({input.about, input.plan})),
        phases_(phases_of(input.plan, *input.about.graph, input.timeline)) {}

  Equations run() {
    add_swap_in();
    result_.capacity = input_.budget - input_.plan.static_bytes;
    result_.retained = chain_.retained;
    const CapacityBackward capacity = chain_.capacity(result_.swap_in);
    if (const auto caught = catch_up(capacity)) {
      result_.caught = {.layer = name_of(caught->layer), .time = caught->time};
    }
    add_steps(capacity);
    add_availability(capacity);
    add_run();
    result_.utilization_12 = utilization_of(processing_, capacity_backward_time(capacity));
    result_.utilization_run = utilization_of(processing_, phases_.backward_end - phases_.turn);
    result_.total = *paper_estimate(
        {.form = input_.form == ClosedForm::kNone ? ClosedForm::kCapacity : input_.form,
         .about = input_.about,
         .plan = input_.plan,
         .timeline = &input_.timeline,
         .kept = &chain_});
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t row) const {
    return chain_.order.size() - 1 - row;
  }
  [[nodiscard]] const std::string& name_of(std::size_t row) const {
    return input_.about.graph->network->layers[chain_.order[place_of(row)].at()].name;
  }

  void add_swap_in() {
    const SwapInRates& rates = input_.rates;
    result_.far = rates.far;
    result_.near = rates.near;
    result_.connection = rates.connection;
    const auto stage = [](std::optional<BytesPerSecond> rate) {
      return SwapStage{.throughput = rate.value_or(kInfiniteRate), .latency = Duration(0)};
    };
    result_.swap_in =
        swap_path(stage(rates.far), stage(rates.connection), stage(rates.near)).throughput;
    result_.binds = result_.swap_in == rates.connection ? "Conn_Th"
                    : result_.swap_in == rates.far      ? "FM_Th"
                                                        : "NM_Th";
    Int128 bytes = 0;
    Duration busy;
    for (std::size_t i = 0; i < input_.plan.steps.size(); ++i) {
      const Step& step = input_.plan.steps[i];
      if (step.kind != StepKind::kToNear) continue;
      bytes += input_.about.costs.tensor_bytes[static_cast<std::size_t>(step.object)].count();
      busy += input_.timeline.spans[i].end - input_.timeline.spans[i].start;
    }
    if (busy == Duration(0)) return;
    result_.swap_in_run =
        BytesPerSecond(static_cast<std::int64_t>(bytes * 1'000'000'000 / busy.count()));
  }

  void add_steps(const CapacityBackward& capacity) {
    Duration sections;
    for (std::size_t row = 0; row < chain_.order.size(); ++row) {
      const BackwardSection section = chain_.section(place_of(row));
      const Bytes bytes = chain_.backward[row].bytes;
      result_.steps.push_back({.layer = name_of(row),
                               .bytes = bytes,
                               .processing = section.processing,
                               .swap = section.swap,
                               .section = section.length(),
                               .concurrency = section_concurrency(section, bytes),
                               .utilization = section.utilization(),
                               .utilization_12 = capacity_utilization(capacity, row)});
      processing_ += section.processing;
      sections += section.length();
    }
    result_.utilization = utilization_of(processing_, sections);
  }

  void add_availability(const CapacityBackward& capacity) {
    Bytes coming;
    for (const PaperChain::Move& move : chain_.moves) {
      coming += input_.about.costs.tensor_bytes[move.tensor.at()];
    }
    const std::optional<Catch> caught = catch_up(capacity);
    Availability third(chain_.retained, coming, true, std::nullopt);
    Availability fourth(chain_.retained, coming, false, std::nullopt);
    Availability sixth(chain_.retained, coming, false, result_.capacity);
    for (std::size_t row = 0; row < result_.steps.size(); ++row) {
      EquationStep& step = result_.steps[row];
      step.available_3 = third.available();
      step.available_4 = fourth.available();
      step.available_6 = sixth.available();
      step.utilization_2 = processing_utilization(step.available_6, step.bytes);
      const bool late = caught && row >= caught->layer;
      const Duration length = late ? section_of(capacity, row).length() : step.processing;
      const Bytes most = bytes_within(result_.swap_in, length);
      for (Availability* each : {&third, &fourth, &sixth}) each->step(step.bytes, most);
    }
  }

  /// Starts of layers, waits and whole tensors that are near, by the timeline.
  void add_run() {
    const std::vector<Duration> starts = starts_of_rows();
    const std::vector<std::optional<Duration>> back = returns();
    std::vector<Bytes> kept(starts.size());
    for (std::size_t row = 0; row < kept.size(); ++row) kept[row] = chain_.backward[row].bytes;
    for (const PaperChain::Move& move : chain_.moves) {
      kept[place_of(move.reader)] -= input_.about.costs.tensor_bytes[move.tensor.at()];
    }
    Bytes near;
    for (std::size_t row = starts.size(); row-- > 0;) {
      near += kept[row];
      EquationStep& step = result_.steps[row];
      step.available_run = near;
      const bool last = row + 1 == starts.size();
      step.section_run = (last ? phases_.backward_end : starts[row + 1]) - starts[row];
      step.utilization_run = utilization_of(step.processing, step.section_run);
    }
    for (const PaperChain::Move& move : chain_.moves) {
      const std::size_t reader = place_of(move.reader);
      for (std::size_t row = reader + 1; row-- > 0;) {
        if (!back[move.tensor.at()] || *back[move.tensor.at()] > starts[row]) break;
        result_.steps[row].available_run += input_.about.costs.tensor_bytes[move.tensor.at()];
      }
    }
    for (const Stall& stall : input_.timeline.stalls) {
      const bool copy = stall.cause == StallCause::kSwapIn || stall.cause == StallCause::kFault;
      if (!copy || !stall.before || stall.end <= phases_.turn) continue;
      const auto task = static_cast<std::size_t>(input_.plan.steps[stall.before->at()].object);
      if (task < input_.about.graph->forward_tasks || task >= input_.about.graph->backward_end)
        continue;
      const LayerId layer = input_.about.graph->tasks[task].layer;
      result_.caught_run = {.layer = input_.about.graph->network->layers[layer.at()].name,
                            .time = std::max(stall.start - phases_.turn, Duration(0))};
      return;
    }
  }

  /// Of a layer without backward tasks: the next one's.
  [[nodiscard]] std::vector<Duration> starts_of_rows() const {
    std::vector<std::size_t> row_of(input_.about.graph->network->layers.size());
    for (std::size_t row = 0; row < chain_.order.size(); ++row) {
      row_of[chain_.order[place_of(row)].at()] = row;
    }
    std::vector<std::optional<Duration>> found(chain_.order.size());
    for (const StepId id : input_.plan.queue(StepKind::kCompute)) {
      const Step& step = input_.plan.steps[id.at()];
      const auto task = static_cast<std::size_t>(step.object);
      if (step.recompute || task < input_.about.graph->forward_tasks) continue;
      if (task >= input_.about.graph->backward_end) continue;
      std::optional<Duration>& start = found[row_of[input_.about.graph->tasks[task].layer.at()]];
      if (!start) start = input_.timeline.spans[id.at()].start;
    }
    std::vector<Duration> starts(found.size());
    Duration next = phases_.backward_end;
    for (std::size_t row = found.size(); row-- > 0;) next = starts[row] = found[row].value_or(next);
    return starts;
  }

  /// By tensor: when it came back last.
  [[nodiscard]] std::vector<std::optional<Duration>> returns() const {
    std::vector<std::optional<Duration>> back(input_.about.graph->tensors.size());
    for (std::size_t i = 0; i < input_.plan.steps.size(); ++i) {
      const Step& step = input_.plan.steps[i];
      if (step.kind != StepKind::kToNear) continue;
      back[static_cast<std::size_t>(step.object)] = input_.timeline.spans[i].end;
    }
    return back;
  }

  const EquationsInput& input_;
  PaperChain chain_;
  Phases phases_;
  Equations result_;
  Duration processing_;  ///< of the backward pass
};

}  // namespace

Equations equations_of(const EquationsInput& input) {
  if (std::string unfit = unfit_for_paper(input.about); !unfit.empty()) {
    return {.unfit = std::move(unfit)};
  }
  return Reader(input).run();
}

}  // namespace ooc
