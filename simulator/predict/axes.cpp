// To add an axis: a row here. If `predict` is to take it too, its flag in cli/flags.hpp; if results do not say it
// yet, a column in simulator/summary/metrics.cpp.
#include "simulator/predict/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/base/precision.hpp"
#include "model/base/quantity_io.hpp"
#include "model/layers/attributes.hpp"
#include "simulator/predict/state_words.hpp"

namespace ooc {
namespace {

constexpr int kMaxDevices = 8;
constexpr double kMostComputeScale = 1000;

std::int64_t parse_whole(std::string_view text, std::string_view place) {
  return whole_number_of(text, place, 1, kMaxBatch);
}
std::int64_t parse_device_count(std::string_view text, std::string_view place) {
  return whole_number_of(text, place, 1, kMaxDevices);
}
std::int64_t parse_size(std::string_view text, std::string_view place) {
  return bytes_of(text, place).count();
}
std::int64_t parse_speed(std::string_view text, std::string_view place) {
  return rate_of(text, place).count();
}
std::int64_t parse_update_speed(std::string_view text, std::string_view place) {
  return update_rate_of(text, place).count();
}
std::int64_t parse_time(std::string_view text, std::string_view place) {
  return duration_of(text, place).count();
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

std::int64_t parse_symbol_size(std::string_view text, std::string_view place) {
  return whole_number_of(text, place, 1, kMaxSize);
}
/// Its place in the table.
std::int64_t parse_precision(std::string_view given, std::string_view place) {
  const std::string_view text = trimmed(given);
  if (const auto known = find_precision(text)) return static_cast<std::int64_t>(*known);
  std::vector<std::string> names;
  for (const PrecisionInfo& info : kPrecisions) names.emplace_back(info.name);
  unknown_word(place, text, names);
}
std::string show_precision(std::int64_t value) {
  return std::string(precision_info(static_cast<Precision>(value)).name);
}

void set_symbol(std::string_view name, std::int64_t value, CaseOptions& to) {
  const auto found = std::find_if(to.symbols.begin(), to.symbols.end(),
                                  [&](const SymbolValue& each) { return each.name == name; });
  if (found != to.symbols.end()) {
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
      bad_value("--accumulate", show_accumulate(value), "no --sub-batch beside it",
                "both say how many rounds an iteration has");
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
std::string show_ratio(std::int64_t value) {
  return fmt::format("{}", static_cast<double>(value) / static_cast<double>(kOne.count()));
}

constexpr AxisKind kKinds[] = {
    {.flag = "NETWORK", .level = AxisLevel::kGraph, .column = "network", .help = {}},
    {.flag = "--framework",
     .level = AxisLevel::kGraph,
     .column = "framework",
     .help =
         "frameworks: files or names of `ooc-paleo list frameworks`, between commas; default: the "
         "profiles', else ideal"},
    {.flag = "--precision",
     .level = AxisLevel::kGraph,
     .column = "precision",
     .help = "element types by class of data, names between commas; default: the network file's",
     .parse = &parse_precision,
     .show = &show_precision,
     .apply = [](std::int64_t value,
                 CaseOptions& to) { to.precision = static_cast<Precision>(value); },
     .steps = false},
    // A preset may say the precision.
    {.flag = "--state",
     .level = AxisLevel::kGraph,
     .column = "offload",
     .help = "presets of state that moves, between commas, all, or none: none,zero-offload,stream",
     .parse = &parse_state_preset,
     .show = &show_state_preset,
     .apply = &apply_state_preset,
     .steps = false,
     .all = "zero-offload,zero-offload-delayed,zero-infinity,fsdp-cpu,megatron-hybrid,"
            "megatron-hybrid-overlap,stream,paged"},
    {.flag = "--symbol",
     .level = AxisLevel::kGraph,
     .column = "symbols",
     .help = "values of symbols of the network file, NAME=LIST[,...]: rank=8:64:x2 or "
             "rank=8,16,depth=2"},
    {.flag = "--target-seq",
     .level = AxisLevel::kGraph,
     .column = "target_seq",
     .help = "length of a decoder's sequence beside an encoder's, the symbol target_seq: a list as "
             "of --seq",
     .parse = &parse_symbol_size,
     .show = &show_whole,
     .apply = [](std::int64_t value, CaseOptions& to) { set_symbol("target_seq", value, to); }},
    {.flag = "--seq",
     .level = AxisLevel::kGraph,
     .column = "seq",
     .help = "length of the sequence, the network's symbol seq: 2048,4096 or 1024:16384:x2 or "
             "1024:8192:+1024",
     .parse = &parse_symbol_size,
     .show = &show_whole,
     .apply = [](std::int64_t value, CaseOptions& to) { set_symbol("seq", value, to); }},
    {.flag = "--hardware",
     .level = AxisLevel::kCosts,
     .column = "hardware",
     .help = "hardware profiles: files or names"},
    {.flag = "--batch",
     .level = AxisLevel::kCosts,
     .column = "batch",
     .help = "64,128,256 or 32:512:x2 or 32:512:+32; default: the network file's",
     .parse = &parse_whole,
     .show = &show_whole,
     .apply = [](std::int64_t value, CaseOptions& to) { to.batch = value; }},
    {.flag = "--devices",
     .level = AxisLevel::kCosts,
     .column = "devices",
     .help = "1,2,4 or 1:8:x2: split the batch over so many devices on one link; default 1",
     .parse = &parse_device_count,
     .show = &show_whole,
     .apply = [](std::int64_t value, CaseOptions& to) { to.devices = static_cast<int>(value); }},
    {.flag = "--accumulate",
     .level = AxisLevel::kCosts,
     .column = "rounds",
     .help = "1,2,4: micro-batches that the batch is cut into, whose gradients add up before one "
             "update; default 1. 4:near, 4:far: where, if gradients leave near memory",
     .parse = &parse_accumulate,
     .show = &show_accumulate,
     .apply = &apply_accumulate,
     .steps = false},
    {.flag = "--compute-scale",
     .level = AxisLevel::kCosts,
     .column = "compute_scale",
     .help = "1:8:x2 or 0.5,1,2: the device computes so many times as fast; default 1",
     .parse = &parse_factor,
     .parse_step = &parse_ratio_step,
     .show = &show_ratio,
     .apply = [](std::int64_t value, CaseOptions& to) { to.compute_scale = Ratio(value); },
     .more_is_harder = false},
    {.flag = "--offload",
     .level = AxisLevel::kCosts,
     .column = "offload",
     .help =
         "what of the state is far, lists between semicolons: none; optimizer; optimizer,gradients",
     .parse = &parse_offload,
     .show = &show_offload,
     .apply = &apply_offload,
     .steps = false,
     .separator = ';'},
    {.flag = "--memory",
     .level = AxisLevel::kPlan,
     .column = "memory_bytes",
     .help = "8GiB:32GiB:+4GiB or 12GiB,16GiB; default: the profile's",
     .parse = &parse_size,
     .show = &show_size,
     .apply = [](std::int64_t value, CaseOptions& to) { to.memory = Bytes(value); }},
    {.flag = "--far-memory",
     .level = AxisLevel::kPlan,
     .column = "far_memory_bytes",
     .help = "64GiB:512GiB:x2 or 64GiB,128GiB; default: the profile's",
     .parse = &parse_size,
     .show = &show_size,
     .apply = [](std::int64_t value, CaseOptions& to) { to.far_memory = Bytes(value); }},
    {.flag = "--schedule",
     .level = AxisLevel::kPlan,
     .column = "schedule",
     .help = "names between commas, or all, which is the default"},
    {.flag = "--far-compute",
     .level = AxisLevel::kPrices,
     .column = "far_compute_bytes_per_s",
     .help = "what far updates read and write: 50GB/s:400GB/s:x2 or 2Gparam/s,4Gparam/s of Adam; "
             "default: the profile's, else 45 % of far memory's throughput",
     .parse = &parse_update_speed,
     .show = &show_speed,
     .apply = [](std::int64_t value, CaseOptions& to) { to.far_compute = BytesPerSecond(value); },
     .more_is_harder = false},
    {.flag = "--far-throughput",
     .level = AxisLevel::kPrices,
     .column = "far_throughput_bytes_per_s",
     .help = "throughput of far memory: 40GB/s:640GB/s:x2 or 76.8GB/s,inf; default: the profile's",
     .parse = &parse_speed,
     .show = &show_speed,
     .apply = [](std::int64_t value,
                 CaseOptions& to) { to.transfers.far_throughput = BytesPerSecond(value); },
     .more_is_harder = false},
    {.flag = "--latency",
     .level = AxisLevel::kPrices,
     .column = "latency_ns",
     .help = "latency of the connection: 1us:64us:x2 or 0us,5us; default: the profile's",
     .parse = &parse_time,
     .show = &show_time,
     .apply = [](std::int64_t value, CaseOptions& to) { to.transfers.latency = Duration(value); }},
    {.flag = "--duplex",
     .level = AxisLevel::kPrices,
     .column = "duplex",
     .help = "what each direction keeps while both move bytes: 0.6:1:+0.1 or 0.85,1; default: the "
             "profile's",
     .parse = &parse_share,
     .parse_step = &parse_ratio_step,
     .show = &show_ratio,
     .apply = [](std::int64_t value, CaseOptions& to) { to.transfers.duplex = Ratio(value); },
     .more_is_harder = false},
    {.flag = "--link-to-far",
     .level = AxisLevel::kPrices,
     .column = "link_to_far_bytes_per_s",
     .help = "link rate to far memory alone, before --link: a list as of --link",
     .parse = &parse_speed,
     .show = &show_speed,
     .apply = [](std::int64_t value,
                 CaseOptions& to) { to.transfers.link_to_far = BytesPerSecond(value); },
     .more_is_harder = false},
    {.flag = "--link-to-near",
     .level = AxisLevel::kPrices,
     .column = "link_to_near_bytes_per_s",
     .help = "link rate to near memory alone, before --link: a list as of --link",
     .parse = &parse_speed,
     .show = &show_speed,
     .apply = [](std::int64_t value,
                 CaseOptions& to) { to.transfers.link_to_near = BytesPerSecond(value); },
     .more_is_harder = false},
    {.flag = "--link",
     .level = AxisLevel::kPrices,
     .column = "link_bytes_per_s",
     .help = "4GB/s:512GB/s:x2 or 16GB/s,inf; default: the profile's",
     .parse = &parse_speed,
     .show = &show_speed,
     .apply = [](std::int64_t value,
                 CaseOptions& to) { to.transfers.link = BytesPerSecond(value); },
     .more_is_harder = false},
};

}  // namespace

std::string axis_key(const AxisKind& kind) {
  if (!kind.flag.starts_with("--")) return "network";
  std::string key(kind.flag.substr(2));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string axis_label(const AxisKind& kind) {
  std::string label = axis_key(kind);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::span<const AxisKind> axis_kinds() { return kKinds; }

std::size_t axis_place(std::string_view flag) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const AxisKind& kind) { return kind.flag == flag; });
  OOC_CHECK(found != std::end(kKinds), "an axis of that flag is in the table");
  return static_cast<std::size_t>(found - std::begin(kKinds));
}

}  // namespace ooc
