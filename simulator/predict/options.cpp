// Fixed options are read first, in the order of the table, then those that may be axes: a sweep reads the fixed ones once
// and applies the others row by row.
#include "simulator/predict/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/precision.hpp"
#include "model/base/quantity_io.hpp"
#include "model/layers/attributes.hpp"
#include "simulator/predict/state_words.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kMaxDevices = 8;
constexpr std::int64_t kMostThreads = 1024;
constexpr double kMostComputeScale = 1000;

template <std::int64_t kMost>
std::int64_t parse_whole(std::string_view text, std::string_view place) {
  return whole_number_of(text, place, 1, kMost);
}
/// As the count of a quantity.
template <auto kRead>
std::int64_t parse_count(std::string_view text, std::string_view place) {
  return kRead(text, place).count();
}
std::int64_t parse_share(std::string_view text, std::string_view place) {
  return ratio_of(text, place, 0.5, 1).count();
}
std::int64_t parse_factor(std::string_view text, std::string_view place) {
  return ratio_of(text, place, 1 / kMostComputeScale, kMostComputeScale).count();
}

std::int64_t parse_ratio_step(std::string_view text, std::string_view place) {
  return ratio_of(text, place, 0, kMostComputeScale).count();
}

constexpr auto& parse_symbol_size = parse_whole<kMaxSize>;

/// Its place in the table.
std::int64_t parse_precision(std::string_view given, std::string_view place) {
  const std::string_view text = trimmed(given);
  if (const auto known = find_precision(text)) return static_cast<std::int64_t>(*known);
  unknown_word(place, text, names_of(kPrecisions));
}
std::string show_precision(std::int64_t value) {
  return std::string(precision_info(static_cast<Precision>(value)).name);
}

/// The choice of that name, of an enumeration in the order of the row's choices.
template <class Enum>
Enum chosen(const Option& option, std::string_view text) {
  return static_cast<Enum>(choice_index(option.flag, option.choices, text));
}

template <class Member>
void put(std::int64_t value, Member& to) {
  to = static_cast<Member>(value);
}
template <class Member>
void put(std::int64_t value, std::optional<Member>& to) {
  to = static_cast<Member>(value);
}
/// Sets the member at the end of the path from CaseOptions.
template <auto... kPath>
void set(std::int64_t value, CaseOptions& to) {
  put(value, (to.*....*kPath));
}
template <auto... kPath>
void choose(const Option& option, std::string_view text, CaseOptions& to) {
  set<kPath...>(chosen<std::int64_t>(option, text), to);
}
template <std::int64_t kLeast, std::int64_t kMost, auto kMember>
void read_whole(const Option& option, std::string_view text, CaseOptions& to) {
  to.state_changes.*kMember = static_cast<int>(whole_number_of(text, option.flag, kLeast, kMost));
}

/// No type for "none".
template <auto kMember>
void read_type(const Option& option, std::string_view text, CaseOptions& to) {
  (void)chosen<int>(option, text);
  std::optional<Dtype> type = Dtype::kFloat16;
  if (text == "none") type.reset();
  if (text == "fp32") type = Dtype::kFloat32;
  if (text == "bf16") type = Dtype::kBfloat16;
  to.graph.types.*kMember = type;
}

void add_symbol(SymbolValue value, std::string_view flag, CaseOptions& to) {
  const bool is_there = find_named(to.symbols, value.name) != nullptr;
  if (is_there) bad_value(flag, "symbol " + value.name + " for the second time", "each one once");
  to.symbols.push_back(std::move(value));
}

void read_symbols(const Option& option, std::string_view text, CaseOptions& to) {
  for (const std::string& each : split_list(std::string(text), option.flag)) {
    const std::size_t equals = each.find('=');
    const std::string name(trimmed(each.substr(0, equals)));
    if (equals == std::string::npos || !is_symbol_name(name)) {
      bad_value(option.flag, in_quotes(each), "NAME=N, such as seq=2048");
    }
    add_symbol({name, parse_symbol_size(each.substr(equals + 1), option.flag)}, option.flag, to);
  }
}

void read_sequences(const Option& option, std::string_view text, CaseOptions& to) {
  const std::vector<std::string> lengths = split_list(std::string(text), option.flag);
  if (lengths.size() > 2) {
    bad_value(option.flag, in_quotes(text),
              "a length, or two: of the encoder's and of the decoder's");
  }
  constexpr std::string_view kNames[] = {kSequence, kTargetSequence};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    add_symbol({std::string(kNames[i]), parse_symbol_size(lengths[i], option.flag)}, option.flag,
               to);
  }
}

void read_adapters(const Option& option, std::string_view text, CaseOptions& to) {
  const std::size_t colon = text.find(':');
  to.adapters.emplace().rank = parse_symbol_size(text.substr(0, colon), option.flag);
  if (colon == std::string_view::npos) return;
  to.adapters->targets = split_list(std::string(text.substr(colon + 1)), option.flag);
}

/// The adapters that the row changes; they are there, as `beside` asks for --lora.
AdapterOptions& adapters_of(CaseOptions& to) {
  return to.adapters ? *to.adapters : to.adapters.emplace();
}

double dropout_of(std::string_view text, std::string_view flag) {
  const std::optional<double> rate = real_in(text);
  if (!rate || !(*rate >= 0 && *rate < 1)) {
    bad_value(flag, in_quotes(text), "a rate from 0 to below 1");
  }
  return *rate;
}

void set_symbol(std::string_view name, std::int64_t value, CaseOptions& to) {
  if (SymbolValue* found = find_named(to.symbols, name)) {
    found->value = value;
  } else {
    to.symbols.push_back({std::string(name), value});
  }
}

/// "8", "8:far", "far": the number of micro-batches, 0 where none is said, beside the place.
constexpr std::string_view kPlaces[] = {"", "near", "far"};
constexpr std::int64_t kPlaceCount = std::size(kPlaces);
std::int64_t parse_accumulate(std::string_view given, std::string_view place) {
  std::string_view text = trimmed(given);
  const std::size_t colon = text.find(':');
  const std::string_view last = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto found = std::find(std::begin(kPlaces) + 1, std::end(kPlaces), last);
  const bool placed = found != std::end(kPlaces);
  if (placed && colon == std::string_view::npos) return found - std::begin(kPlaces);
  if (colon != std::string_view::npos && !placed) unknown_word(place, last, {"near", "far"});
  const std::int64_t count = whole_number_of(text.substr(0, colon), place, 1, kMaxBatch);
  return count * kPlaceCount + (placed ? found - std::begin(kPlaces) : 0);
}
std::string show_accumulate(std::int64_t value) {
  const std::string where(kPlaces[value % kPlaceCount]);
  if (value < kPlaceCount) return where;
  return fmt::format("{}{}{}", value / kPlaceCount, where.empty() ? "" : ":", where);
}
void apply_accumulate(std::int64_t value, CaseOptions& to) {
  if (value >= kPlaceCount) {
    const SubBatch::Kind asked = to.schedule.sub_batch.kind;
    if (asked == SubBatch::Kind::kAuto || asked == SubBatch::Kind::kSize) {
      cannot_combine("--accumulate", "--sub-batch", "use one of them",
                     "both say how many micro-batches an iteration has");
    }
    const std::int64_t count = value / kPlaceCount;
    to.schedule.sub_batch = {.kind = SubBatch::Kind::kOff};
    if (count > 1) to.schedule.sub_batch = {.kind = SubBatch::Kind::kCount, .count = count};
  }
  if (value % kPlaceCount == 0) return;
  to.state.accumulate = static_cast<AccumulateAt>(value % kPlaceCount);
  to.state_changes.accumulate = to.state.accumulate;
}

std::string show_whole(std::int64_t value) { return fmt::format("{}", value); }
std::string show_size(std::int64_t value) { return exact_bytes(Bytes(value)); }
std::string show_speed(std::int64_t value) { return exact_rate(BytesPerSecond(value)); }
std::string show_time(std::int64_t value) { return format_duration(Duration(value)); }
std::string show_ratio(std::int64_t value) { return fmt::format("{}", Ratio(value) / kOne); }

constexpr OptionValues kRates{&parse_count<&rate_of>, &show_speed};
constexpr OptionValues kSizes{&parse_count<&bytes_of>, &show_size};
constexpr OptionValues kLengths{&parse_symbol_size, &show_whole};

constexpr std::string_view kWhereStateMoves = "--offload|--state|--update-in-backward|--shard";

constexpr auto kAxes = std::to_array<Option>({
    {.flag = "NETWORK", .column = "network", .level = AxisLevel::kGraph},
    {.flag = "--framework",
     .value = "FRAMEWORK",
     .help = "what the software around the kernels keeps and waits for: a file or a name of "
             "`ooc-paleo list frameworks`; default: the profile's, else ideal",
     .completes = Completes::kFrameworks,
     .column = "framework",
     .list = "ideal,pytorch-2",
     .level = AxisLevel::kGraph},
    {.flag = "--precision",
     .value = "NAME",
     .help = "element types of activations, weights, copies, gradients and state; default: all one "
             "type, the network file's, state float32",
     .choices = "fp32|tf32|bf16|fp16|amp-bf16|amp-fp16|fsdp-bf16|bf16-pure|fp8",
     .column = "precision",
     .list = "fp32,amp-bf16",
     .level = AxisLevel::kGraph,
     .values = {&parse_precision, &show_precision},
     .apply = &set<&CaseOptions::precision>,
     .steps = false},
    // A preset may say the precision.
    {.flag = "--state",
     .value = "PRESET",
     .help = "weights, gradients and optimiser state as known software moves them: none, "
             "zero-offload, zero-offload-delayed, zero-infinity, fsdp-cpu, megatron-hybrid[:F], "
             "megatron-hybrid-overlap[:F], stream, paged",
     .column = "offload",
     .list = "none,zero-offload,stream or all",
     .level = AxisLevel::kGraph,
     .values = {&parse_state_preset, &show_state_preset},
     .apply = &apply_state_preset,
     .steps = false,
     .all = "zero-offload,zero-offload-delayed,zero-infinity,fsdp-cpu,megatron-hybrid,"
            "megatron-hybrid-overlap,stream,paged"},
    {.flag = "--symbol",
     .value = "NAME=N[,...]",
     .help = "other values of symbols of the network file; --seq N is --symbol seq=N",
     .group = OptionGroup::kTransformers,
     .read = &read_symbols,
     .column = "symbols",
     .list = "rank=8:64:x2 or rank=8,16,depth=2",
     .level = AxisLevel::kGraph},
    {.flag = "--expert-parallel",
     .value = "N",
     .help = "each of N of --devices has 1/N of the experts, to which tokens go and come back over "
             "the devices' own links; default 1",
     .group = OptionGroup::kState,
     .beside = "--shard",
     .column = "expert_parallel",
     .list = "1,2,4 or 1:8:x2",
     .level = AxisLevel::kGraph,
     .values = {&parse_whole<kMaxDevices>, &show_whole},
     .apply = &set<&CaseOptions::expert_parallel>},
    {.flag = "--target-seq",
     .value = "M",
     .help = "length of a decoder's sequence beside an encoder's, the symbol target_seq",
     .group = OptionGroup::kTransformers,
     .read =
         [](const Option& option, auto text, auto& to) {
           add_symbol({std::string(kTargetSequence), parse_symbol_size(text, option.flag)},
                      option.flag, to);
         },
     .column = "target_seq",
     .list = "as of --seq",
     .level = AxisLevel::kGraph,
     .values = kLengths,
     .apply = [](std::int64_t value, CaseOptions& to) { set_symbol(kTargetSequence, value, to); }},
    {.flag = "--seq",
     .value = "N[,M]",
     .help = "length of the sequence, the network's symbol seq; M: of the decoder's, target_seq",
     .read = &read_sequences,
     .column = "seq",
     .list = "2048,4096 or 1024:16384:x2 or 1024:8192:+1024",
     .level = AxisLevel::kGraph,
     .values = kLengths,
     .apply = [](std::int64_t value, CaseOptions& to) { set_symbol(kSequence, value, to); }},
    {.flag = "--hardware",
     .value = "PROFILE",
     .help = "hardware profile: a file, - (standard input) or a name of `ooc-paleo list hardware`",
     .completes = Completes::kHardware,
     .column = "hardware",
     .list = "m40,rtx-4090"},
    {.flag = "--batch",
     .value = "N",
     .help = "samples an iteration, of all devices and micro-batches; default: the network file's",
     .column = "batch",
     .list = "64,128,256 or 32:512:x2 or 32:512:+32",
     .values = {&parse_whole<kMaxBatch>, &show_whole},
     .apply = &set<&CaseOptions::batch>},
    {.flag = "--devices",
     .value = "N",
     .help = "split the batch over 1 to 8 such devices; default 1",
     .column = "devices",
     .list = "1,2,4 or 1:8:x2",
     .values = {&parse_whole<kMaxDevices>, &show_whole},
     .apply = &set<&CaseOptions::devices>},
    {.flag = "--accumulate",
     .value = "N",
     .help = "micro-batches that the batch is cut into, whose gradients add up before one update; "
             "N:near, N:far: where, if gradients leave near memory",
     .column = "rounds",
     .list = "1,2,4:far",
     .values = {&parse_accumulate, &show_accumulate},
     .apply = &apply_accumulate,
     .steps = false},
    {.flag = "--compute-scale",
     .value = "RATIO",
     .help = "the device computes so many times as fast: all its FLOP rates and the rates at which "
             "kernels read and write near memory",
     .group = OptionGroup::kMachine,
     .column = "compute_scale",
     .list = "1:8:x2 or 0.5,1,2",
     .values = {&parse_factor, &show_ratio, &parse_ratio_step},
     .apply = &set<&CaseOptions::compute_scale>},
    {.flag = "--host-speed",
     .value = "RATIO",
     .help = "the host launches kernels so many times as fast as the one beside which frameworks "
             "were measured; default: the profile's, else 1",
     .group = OptionGroup::kMachine,
     .column = "host_speed",
     .list = "0.5:2:x2 or 0.8,1,2",
     .values = {&parse_factor, &show_ratio, &parse_ratio_step},
     .apply = &set<&CaseOptions::host_speed>},
    {.flag = "--offload",
     .value = "LIST",
     .help = "what of the state is in far memory: optimizer[:SHARE], gradients, weights[:SHARE]",
     .column = "offload",
     .list = "with semicolons between: none; optimizer; optimizer,gradients",
     .values = {&parse_offload, &show_offload},
     .apply = &apply_offload,
     .steps = false,
     .separator = ';'},
    {.flag = "--host-threads",
     .value = "N",
     .help = "threads of each process in far updates, OMP_NUM_THREADS: torchrun sets 1 where it "
             "starts several; default: as many as they need",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .column = "offload",
     .list = "1,8 or 1:16:x2",
     .values = {&parse_whole<kMostThreads>, &show_whole},
     .apply =
         [](std::int64_t value, CaseOptions& to) {
           set<&CaseOptions::state_changes, &StateChanges::threads>(value, to);
           set<&CaseOptions::state, &StateOptions::threads>(value, to);
         }},
    {.flag = "--memory",
     .value = "SIZE",
     .help = "near memory for the job, e.g. 12GiB; default: the profile's capacity - reserved",
     .column = "memory_bytes",
     .list = "8GiB:32GiB:+4GiB or 12GiB,16GiB",
     .level = AxisLevel::kPlan,
     .values = kSizes,
     .apply = &set<&CaseOptions::memory>},
    {.flag = "--far-memory",
     .value = "SIZE",
     .help = "capacity of far memory, e.g. 64GiB; default: the profile's",
     .column = "far_memory_bytes",
     .list = "64GiB:512GiB:x2 or 64GiB,128GiB",
     .level = AxisLevel::kPlan,
     .values = kSizes,
     .apply = &set<&CaseOptions::far_memory>},
    {.flag = "--schedule",
     .value = "NAME",
     .help =
         "what moves when: a name of `ooc-paleo list schedules`; default capacity, in sweeps all",
     .completes = Completes::kSchedules,
     .column = "schedule",
     .list = "in-core,capacity or all",
     .level = AxisLevel::kPlan},
    {.flag = "--far-compute",
     .value = "RATE",
     .help = "what far updates read and write of far memory, 110GB/s, or 3.9Gparam/s of Adam "
             "alone, 28 bytes each (DeepSpeed's step: 44); default: the profile's, else 45 % of "
             "its throughput",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .column = "far_compute_bytes_per_s",
     .list = "50GB/s:400GB/s:x2 or 2Gparam/s,4Gparam/s",
     .level = AxisLevel::kPrices,
     .values = {&parse_count<&update_rate_of>, &show_speed},
     .apply = &set<&CaseOptions::far_compute>},
    {.flag = "--far-throughput",
     .value = "RATE",
     .help = "throughput of far memory, e.g. 40GB/s; default: the profile's",
     .group = OptionGroup::kMachine,
     .column = "far_throughput_bytes_per_s",
     .list = "40GB/s:640GB/s:x2 or 76.8GB/s,inf",
     .level = AxisLevel::kPrices,
     .values = kRates,
     .apply = &set<&CaseOptions::transfers, &TransferOptions::far_throughput>},
    {.flag = "--latency",
     .value = "TIME",
     .help = "latency of the connection, e.g. 5us; default: the profile's",
     .group = OptionGroup::kMachine,
     .column = "latency_ns",
     .list = "1us:64us:x2 or 0us,5us",
     .level = AxisLevel::kPrices,
     .values = {&parse_count<&duration_of>, &show_time},
     .apply = &set<&CaseOptions::transfers, &TransferOptions::latency>},
    {.flag = "--duplex",
     .value = "RATIO",
     .help =
         "what each direction of the link keeps of its rate while both move bytes: from the faster "
         "one's share of both rates (half duplex; 0.5 of equal rates) to 1; default: the profile's",
     .group = OptionGroup::kMachine,
     .column = "duplex",
     .list = "0.6:1:+0.1 or 0.85,1",
     .level = AxisLevel::kPrices,
     .values = {&parse_share, &show_ratio, &parse_ratio_step},
     .apply = &set<&CaseOptions::transfers, &TransferOptions::duplex>},
    {.flag = "--link-to-far",
     .value = "RATE",
     .help = "link rate to far memory alone, before --link",
     .group = OptionGroup::kMachine,
     .column = "link_to_far_bytes_per_s",
     .list = "as of --link",
     .level = AxisLevel::kPrices,
     .values = kRates,
     .apply = &set<&CaseOptions::transfers, &TransferOptions::link_to_far>},
    {.flag = "--link-to-near",
     .value = "RATE",
     .help = "link rate to near memory alone, before --link",
     .group = OptionGroup::kMachine,
     .column = "link_to_near_bytes_per_s",
     .list = "as of --link",
     .level = AxisLevel::kPrices,
     .values = kRates,
     .apply = &set<&CaseOptions::transfers, &TransferOptions::link_to_near>},
    {.flag = "--link",
     .value = "RATE",
     .help = "link rate in both directions instead of the profile's, e.g. 32GB/s, or inf",
     .column = "link_bytes_per_s",
     .list = "4GB/s:512GB/s:x2 or 16GB/s,inf",
     .level = AxisLevel::kPrices,
     .values = kRates,
     .apply = &set<&CaseOptions::transfers, &TransferOptions::link>},
});

/// Of all rows of a sweep.
constexpr auto kFixed = std::to_array<Option>({
    {.flag = "--layer-times",
     .value = "FILE",
     .help = "measured times: a trace of torch.profiler (.json, .gz), or CSV with the columns "
             "layer,forward_ms,backward_ms; - is standard input",
     .completes = Completes::kInputs},
    {.flag = "--dtype",
     .value = "TYPE",
     .help = "element type instead of the network file's",
     .choices = "float64|float32|tf32|float16|bfloat16",
     .read = &choose<&CaseOptions::dtype>},
    {.flag = "--grad-dtype",
     .value = "TYPE",
     .help = "of the weights' gradients instead of --precision's",
     .choices = "fp32|bf16|fp16",
     .group = OptionGroup::kTransformers,
     .beside = "--precision",
     .read = &read_type<&ParameterTypes::gradient>},
    {.flag = "--master-dtype",
     .value = "TYPE",
     .help = "of the copy of 16-bit weights that the optimiser updates, instead of --precision's",
     .choices = "none|fp32|bf16|fp16",
     .group = OptionGroup::kTransformers,
     .beside = "--precision",
     .read = &read_type<&ParameterTypes::master>},
    {.flag = "--state-dtype",
     .value = "TYPE",
     .help = "of the numbers that momentum and adam keep, instead of --precision's",
     .choices = "fp32|bf16|fp16",
     .group = OptionGroup::kTransformers,
     .beside = "--precision",
     .read = &read_type<&ParameterTypes::state>},
    {.flag = "--accounting",
     .value = "RULE",
     .help = "what counts as in use; default liveness. Schedules that move tensors know only the "
             "first and the last",
     .choices = "liveness|shared-gradients|all-gradients|define-by-run",
     .read = &choose<&CaseOptions::graph, &GraphOptions::accounting>},
    {.flag = "--optimizer",
     .value = "NAME",
     .help = "its state is resident; default: the network file's, else sgd (none)",
     .choices = "sgd|momentum|adam|adam8|adafactor",
     .read = &choose<&CaseOptions::graph, &GraphOptions::optimizer>},
    {.flag = "--adam",
     .value = "KERNELS",
     .help = "one kernel (default), or one an operation: over all parameters, with a temporary "
             "number for each, or by a loop over tensors, as on the host",
     .choices = "fused|foreach|loop",
     .group = OptionGroup::kTransformers,
     .read = &choose<&CaseOptions::adam>},
    {.flag = "--clip-gradients",
     .help = "scale gradients by the norm of all before updates, as trainers' max_grad_norm does",
     .group = OptionGroup::kTransformers,
     .read = [](const Option&, auto, auto& to) { to.clips = true; }},
    {.flag = "--compute",
     .value = "MODEL",
     .help = "compute time model; default native",
     .choices = "native|paleo",
     .group = OptionGroup::kMachine,
     .read = &choose<&CaseOptions::compute>},
    {.flag = "--percent-of-peak",
     .value = "SHARE",
     .help = "of the rates that PALEO's model takes, in forward and backward; default 1; its "
             "authors: 0.62 for TensorFlow",
     .group = OptionGroup::kMachine,
     .beside = "--compute",
     .read =
         [](const Option& option, auto text, auto& to) {
           to.percent_of_peak = ratio_of(text, option.flag, 1 / kMostComputeScale, 1);
         }},
    {.flag = "--allocator",
     .value = "NAME",
     .help = "default: the framework's, which is ideal (no fragmentation) unless it says other",
     .choices = "ideal|first-fit|best-fit|caching",
     .read = &choose<&CaseOptions::allocator>},
    {.flag = "--exchange",
     .value = "WHEN",
     .help = "devices exchange gradients behind the backward pass, or within it; default: as the "
             "framework, end without one",
     .choices = "end|overlap",
     .group = OptionGroup::kMachine,
     .read = &choose<&CaseOptions::exchange>},
    {.flag = "--mode",
     .value = "MODE",
     .help = "how copies are made; default pinned",
     .choices = "pinned|pageable",
     .group = OptionGroup::kMachine,
     .read = &choose<&CaseOptions::transfers, &TransferOptions::mode>},
    {.flag = "--kernels",
     .value = "KIND",
     .help = "of a config.json; eager: attention in separate products, repeated keys and values; "
             "sdpa (default): flash attention; fused: norms, gate and loss too",
     .choices = "eager|sdpa|fused",
     .group = OptionGroup::kTransformers,
     .read = &choose<&CaseOptions::kernels>},
    {.flag = "--loss",
     .value = "FORM",
     .help = "of a config.json: what the loss keeps of the logits; default: as the kernels do",
     .choices = "probabilities|native|eager|upcast|in_place|chunked",
     .group = OptionGroup::kTransformers,
     .read =
         [](const Option& option, auto text, auto& to) {
           (void)chosen<std::size_t>(option, text);
           to.loss = text;
         }},
    {.flag = "--allow-long",
     .help = "of a config.json: a sequence beyond its positions, where these are rotary",
     .group = OptionGroup::kTransformers,
     .read = [](const Option&, auto, auto& to) { to.long_sequences = true; }},
    {.flag = "--lora",
     .value = "R[:NAMES]",
     .help = "learn adapters of rank R alone, beside the linear layers of these names, such as "
             "q,v; default: all those of the blocks",
     .group = OptionGroup::kTransformers,
     .read = &read_adapters},
    {.flag = "--lora-dropout",
     .value = "RATE",
     .help = "of what adapters read; default 0",
     .group = OptionGroup::kTransformers,
     .beside = "--lora",
     .read = [](const Option& option, auto text,
                auto& to) { adapters_of(to).dropout = dropout_of(text, option.flag); }},
    {.flag = "--lora-dtype",
     .value = "TYPE",
     .help = "of adapters; autocast: kept in float32, multiplied in the precision's type; default: "
             "as the precision keeps weights",
     .choices = "float32|bfloat16|float16|autocast",
     .group = OptionGroup::kTransformers,
     .beside = "--lora",
     .read =
         [](const Option& option, auto text, auto& to) {
           adapters_of(to).dtype = kAdapterTypes[chosen<std::size_t>(option, text)];
         }},
    {.flag = "--base",
     .value = "STORAGE",
     .help =
         "how what --lora freezes is kept; quantised: the linear layers of the blocks, the rest "
         "as the precision keeps weights",
     .choices = "fp32|bf16|int8|nf4|nf4-double",
     .group = OptionGroup::kTransformers,
     .beside = "--lora",
     .read = [](const Option& option, auto text,
                auto& to) { adapters_of(to).base = chosen<WeightStorage>(option, text); }},
    {.flag = "--shard",
     .value = "STATE",
     .help =
         "what each of --devices has an equal part of, with all before it: the optimiser's "
         "state (ZeRO-1), gradients (ZeRO-2), weights (ZeRO-3, FSDP's FULL_SHARD); default none",
     .choices = "none|optimizer|gradients|weights",
     .group = OptionGroup::kState,
     .beside = "--devices",
     .read = &choose<&CaseOptions::state_changes, &StateChanges::shard>},
    {.flag = "--update",
     .value = "WHERE",
     .help = "who runs the updates of what is far; default far",
     .choices = "near|far",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read = &choose<&CaseOptions::state_changes, &StateChanges::update>},
    {.flag = "--update-after",
     .value = "WHAT",
     .help =
         "updates of what is far wait for all gradients that leave (default), or each for its own",
     .choices = "all|each",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read = &choose<&CaseOptions::state_changes, &StateChanges::after>},
    {.flag = "--update-delay",
     .value = "N",
     .help = "1: far updates are those of the iteration before, beside this one; default 0",
     .choices = "0|1",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read = &choose<&CaseOptions::state_changes, &StateChanges::delayed>},
    {.flag = "--update-in-backward",
     .help = "updates run as soon as their gradients are complete, which then need no memory",
     .group = OptionGroup::kState,
     .read =
         [](const Option&, auto, auto& to) {
           to.state_changes.in_backward = true;
           if (!to.state_changes.after) to.state_changes.after = UpdateAfter::kEach;  // far ones
         }},
    {.flag = "--prefetch",
     .value = "N",
     .help = "units of far weights that come while another is in use; default 1",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read = &read_whole<0, 1000, &StateChanges::prefetch>},
    {.flag = "--grad-slots",
     .value = "N",
     .help = "units of gradients that are near at once where gradients leave; default 2",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read = &read_whole<1, 1'000'000, &StateChanges::gradient_slots>},
    {.flag = "--grad-transfer",
     .value = "BITS",
     .help = "of a gradient on the link; default: as near",
     .choices = "16|32",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read =
         [](const Option& option, auto text, auto& to) {
           to.state_changes.gradient_bytes = chosen<bool>(option, text) ? 4 : 2;
         }},
    {.flag = "--unit",
     .value = "UNIT",
     .help = "what of the state moves together; default: blocks where the network has them",
     .choices = "layer|block",
     .group = OptionGroup::kState,
     .beside = kWhereStateMoves,
     .read =
         [](const Option& option, auto text, auto& to) {
           to.state_changes.units =
               chosen<bool>(option, text) ? StateUnits::kBlock : StateUnits::kLayer;
         }},
});

std::vector<Option> whole_table() {
  std::vector<Option> all(kAxes.begin(), kAxes.end());
  all.insert(all.end(), kFixed.begin(), kFixed.end());
  for (const ScheduleOption& each : schedule_option_table()) {
    all.push_back({.flag = each.name,
                   .value = each.value,
                   .help = each.help,
                   .choices = each.choices,
                   .group = OptionGroup::kSchedules,
                   .read =
                       [](const Option& option, std::string_view text, CaseOptions& to) {
                         option.of_schedules->field.read(*option.of_schedules, text, to.schedule);
                       },
                   .of_schedules = &each});
  }
  return all;
}

}  // namespace

std::string option_key(std::string_view flag) {
  if (!flag.starts_with("--")) return "network";
  std::string key(flag.substr(2));
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string option_label(const Option& option) {
  std::string label = option_key(option.flag);
  std::ranges::replace(label, '_', ' ');
  return label;
}

std::string_view option_unit(const Option& option) {
  const std::string key = option_key(option.flag) + "_";
  return option.column.starts_with(key) ? option.column.substr(key.size()) : "";
}

std::span<const Option> run_options() {
  static const std::vector<Option> kAll = whole_table();
  return kAll;
}

const Option* find_option(std::string_view flag) {
  return find_named(run_options(), flag, &Option::flag);
}

static_assert(kAxes.size() <= kMaxAxes);
std::span<const Option> axis_kinds() { return kAxes; }

std::size_t axis_place(std::string_view flag) {
  const auto found = std::ranges::find(kAxes, flag, &Option::flag);
  OOC_CHECK(found != kAxes.end(), "an axis of that flag is in the table");
  return static_cast<std::size_t>(found - kAxes.begin());
}

void read_option(const Option& option, std::string_view text, CaseOptions& options) {
  if (option.read != nullptr) return option.read(option, text, options);
  if (option.apply != nullptr) option.apply(option.values.parse(text, option.flag), options);
}

void check_together(const CaseOptions& options) {
  if (options.percent_of_peak != kOne && options.compute != ComputeModel::kPaleo) {
    bad_value("--percent-of-peak", "a share beside --compute native",
              "--compute paleo; --compute-scale changes the rates of the native model");
  }
  if (options.precision) {
    const auto refuse = [](std::string_view flag, std::string_view value, std::string expected) {
      bad_value(flag, fmt::format("{} beside --precision", value), std::move(expected));
    };
    if (options.compute == ComputeModel::kPaleo) {
      refuse("--compute", "paleo", "native: PALEO counts four bytes an element");
    }
    const Accounting rule = options.graph.accounting;
    if (is_footprint(rule)) {
      refuse("--accounting", accounting_name(rule),
             "liveness or define-by-run: the other rules know one element type");
    }
  }
  if (options.clips &&
      (options.state.in_backward || options.state_changes.after == UpdateAfter::kEach)) {
    cannot_combine("--clip-gradients",
                   options.state.in_backward ? "--update-in-backward" : "--update-after each",
                   "leave one out", "the norm is of all gradients");
  }
  check_state(options.state);
}

}  // namespace ooc
