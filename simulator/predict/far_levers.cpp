// State alone says what far memory holds at the least (least_far_bytes), so that most changes that are of no use are left
// out before anything is planned.
#include "simulator/predict/far_levers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "model/base/errors.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/predict/state_words.hpp"

namespace ooc {
namespace {

struct FarChange {
  std::string flags;
  std::function<void(CaseOptions&)> set;
};

class FarChanges {
 public:
  FarChanges(const Workload& workload, const Machine& machine, const CaseOptions& options,
             const Schedule& schedule, Bytes now)
      : workload_(workload),
        machine_(machine),
        options_(options),
        schedule_(schedule),
        now_(now),
        capacity_(far_capacity_of(options, machine.profile)) {}

  std::vector<Lever> all() && {
    const std::vector<FarChange> numbers = narrower_numbers();
    const std::vector<FarChange> places = freed_gradients();
    for (const FarChange& change : numbers) attempt(change, Worth::kIfLess);
    for (const FarChange& change : places) attempt(change, Worth::kIfLess);
    for (const FarChange& change : other_presets()) attempt(change, Worth::kIfItFits);
    const Bytes state = least_of(options_).value_or(Bytes(0));
    if (now_ - state >= worth_saying()) less_activations();
    if (none_fits()) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (std::size_t j = i + 1; j < numbers.size(); ++j) both(numbers[i], numbers[j]);
        for (const FarChange& place : places) both(numbers[i], place);
      }
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Lever& a, const Lever& b) { return a.needs < b.needs; });
    return std::move(found_);
  }

 private:
  enum class Worth { kIfLess, kIfItFits };

  [[nodiscard]] Bytes worth_saying() const {
    constexpr std::int64_t kParts = 100;
    return Bytes(now_.count() / kParts);
  }
  [[nodiscard]] bool none_fits() const {
    return std::none_of(found_.begin(), found_.end(),
                        [](const Lever& lever) { return lever.fits == true; });
  }

  /// Of the network as it was read; none: such a job is refused.
  [[nodiscard]] std::optional<Bytes> least_of(const CaseOptions& options) const {
    if (!options.state.any()) return Bytes(0);
    try {
      return least_far_bytes(move_state(workload_.graph, options.state));
    } catch (const SpecError&) {
      return std::nullopt;
    }
  }

  /// Another precision, optimiser or length of the sequence makes another graph.
  [[nodiscard]] bool needs_reading(const CaseOptions& options) const {
    return options.precision != options_.precision ||
           options.graph.optimizer != options_.graph.optimizer ||
           options.symbols.size() != options_.symbols.size() || reads_again_;
  }

  void attempt(const FarChange& change, Worth worth, const Schedule* other = nullptr) {
    CaseOptions options = options_;
    change.set(options);
    try {
      if (!needs_reading(options)) return run(change.flags, workload_, options, worth, other);
      run(change.flags, read_workload(workload_.path, options), options, worth, other);
    } catch (const SpecError&) {  // this job does not allow it
    }
  }

  void run(const std::string& flags, const Workload& workload, const CaseOptions& options,
           Worth worth, const Schedule* other) {
    const Bytes limit = worth == Worth::kIfItFits ? std::min(capacity_, now_ - worth_saying())
                                                  : now_ - worth_saying();
    Case which = make_case(workload, machine_, options);
    if (which.moving && least_far_bytes(*which.moving) > limit) return;
    which.far_capacity = Bytes(kMaxTotalBytes);
    const CaseRun ran = run_case(which, other ? *other : schedule_, Bounds::kNone);
    if (!ran.peak_far || *ran.peak_far > limit) return;
    found_.push_back({.change = flags,
                      .needs = *ran.peak_far,
                      .saves = now_ - *ran.peak_far,
                      .fits = *ran.peak_far <= capacity_});
  }

  void both(const FarChange& first, const FarChange& second) {
    attempt({fmt::format("{} {}", first.flags, second.flags),
             [&](CaseOptions& options) {
               first.set(options);
               second.set(options);
             }},
            Worth::kIfItFits);
  }

  [[nodiscard]] std::vector<FarChange> narrower_numbers() const {
    std::vector<FarChange> changes;
    const bool has_bfloat16 = machine_.profile.peak.contains(Dtype::kBfloat16);
    const Precision narrow = has_bfloat16 ? Precision::kBf16Pure : Precision::kFp16;
    if (workload_.network->precision != narrow && options_.compute != ComputeModel::kPaleo) {
      changes.push_back({fmt::format("--precision {}", precision_info(narrow).name),
                         [narrow](CaseOptions& options) {
                           options.precision = narrow;
                           options.dtype.reset();
                           options.graph.gradient_dtype.reset();
                         }});
    }
    if (workload_.graph.optimizer == Optimizer::kAdam && options_.state.any()) {
      changes.push_back({"--optimizer adam8", [](CaseOptions& options) {
                           options.graph.optimizer = Optimizer::kAdam8;
                         }});
    }
    return changes;
  }

  /// The same parts, each gradient updated with when it comes and then freed.
  [[nodiscard]] std::vector<FarChange> freed_gradients() const {
    const StateOptions& now = options_.state;
    const bool possible = now.gradients && now.update == UpdateAt::kFar;
    const StateOptions freed{.optimizer = now.optimizer,
                             .gradients = true,
                             .weights = now.weights,
                             .after = UpdateAfter::kEach};
    if (!possible || now == freed) return {};
    std::string flags = fmt::format("--offload {} --update-after each", offload_text(freed));
    // The preset's own, where there was one.
    const auto precision = options_.precision;
    const bool is_fsdp = now.far_gradients == FarGradients::kHeld && precision;
    if (is_fsdp) flags += fmt::format(" --precision {}", precision_info(*precision).name);
    return {{std::move(flags), [freed](CaseOptions& options) {
               options.state = freed;
               apply_state_changes(options.state_changes, options.state);
               options.state.after = UpdateAfter::kEach;
             }}};
  }

  /// Less of the state in far memory, if near memory has room for it; of the optimiser as large a share as there is room.
  [[nodiscard]] std::vector<FarChange> other_presets() const {
    std::vector<FarChange> changes;
    if (!options_.state.any()) return changes;
    const auto preset = [&](const std::string& name) {
      const std::string flags = "--state " + name;
      const std::int64_t value = parse_state_preset(name, "--state");
      changes.push_back(
          {flags, [value](CaseOptions& options) { apply_state_preset(value, options); }});
    };
    for (const std::string_view name : state_presets()) {
      if (name != "fsdp-cpu") preset(std::string(name));  // as much as there can be
    }
    CaseOptions hybrid = options_;
    apply_state_preset(parse_state_preset("megatron-hybrid", "--state"), hybrid);
    constexpr std::int64_t kHundredths = 100;
    const Bytes whole = least_of(hybrid).value_or(Bytes(0));
    const std::int64_t share =
        whole > Bytes(0) ? capacity_.count() / (whole.count() / kHundredths + 1) : 0;
    if (share > 0 && share < kHundredths) preset(fmt::format("megatron-hybrid:0.{:02}", share));
    return changes;
  }

  void less_activations() {
    const std::int64_t half = batch_of(options_, *workload_.network) / 2;
    if (half >= options_.devices) {
      attempt({fmt::format("--batch {}", half), [half](CaseOptions& to) { to.batch = half; }},
              Worth::kIfLess);
    }
    for (const SymbolValue& symbol : workload_.network->symbols) {
      if (symbol.name != "seq" || symbol.value < 2) continue;
      reads_again_ = true;
      const std::int64_t shorter = symbol.value / 2;
      attempt({fmt::format("--seq {}", shorter),
               [shorter](CaseOptions& to) {
                 std::erase_if(to.symbols, [](const auto& each) { return each.name == "seq"; });
                 to.symbols.push_back({.name = "seq", .value = shorter});
               }},
              Worth::kIfLess);
      reads_again_ = false;
    }
    const Schedule* checkpoint = find_schedule("checkpoint");
    if (checkpoint == &schedule_) return;
    attempt({"--schedule checkpoint", [](CaseOptions&) {}}, Worth::kIfLess, checkpoint);
  }

  const Workload& workload_;
  const Machine& machine_;
  const CaseOptions& options_;
  const Schedule& schedule_;
  Bytes now_;
  Bytes capacity_;
  bool reads_again_ = false;
  std::vector<Lever> found_ = {};
};

}  // namespace

std::vector<Lever> far_levers(const Workload& workload, const Machine& machine,
                              const CaseOptions& options, const Schedule& schedule,
                              const OutOfMemory& lacks) {
  const std::optional<Bytes> now = lacks.smallest_budget;
  if (!now || schedule.is(Trait::kOptimizes)) return {};
  return FarChanges(workload, machine, options, schedule, *now).all();
}

}  // namespace ooc
