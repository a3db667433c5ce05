// Each option is read by itself, then those that must fit each other are compared; what is wrong is kept, so
// that one run tells everything. Unlike in a file, a number that no machine is likely to have is an error: a
// data sheet is of a machine that exists.
#include "model/hardware/data_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/spec_errors.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/plausible.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

constexpr double kLowestShare = 0.01;
/// Peaks are rounded in data sheets.
constexpr double kRounding = 1.1;

/// What was read; a part is empty while it is missing or wrong.
struct Reading {
  const DataSheet& sheet;
  const DataSheetSources& sources;
  ErrorCollector errors = {};
  std::shared_ptr<const Architecture> architecture = {};
  std::optional<int> multiprocessors = {};
  std::map<Dtype, FlopsPerSecond> peak = {};
  std::size_t peaks_given = 0;
  std::map<Dtype, double> sustained = {};
  std::optional<Bytes> memory = {};
  std::optional<BytesPerSecond> memory_rate = {};
  std::optional<LinkDefaults> link = {};
  bool link_is_rate = false;
  std::optional<BytesPerSecond> peers = {};
  std::optional<Bytes> far_memory = {};
  std::optional<std::pair<int, int>> cudnn = {};
};

const std::string& needed(const std::optional<std::string>& text, std::string_view option,
                          std::string_view expected) {
  if (!text) bad_value(option, "nothing", std::string(expected));
  return *text;
}

/// A number of the profile that is not plausible is an error at its option; `shown` is the option's value.
void check_plausible(std::string_view option, const std::string& path, std::string_view quantity,
                     const std::string& shown) {
  const SpecDocument document{.root = text_node(trimmed(quantity))};
  const std::optional<Slip> slip = slip_in({path, SpecView(document)});
  if (!slip) return;
  bad_value(option, in_quotes(shown), slip->expected,
            slip->meant.empty() ? "" : fmt::format("is {} meant?", in_quotes(slip->meant)));
}

void read_architecture_option(Reading& reading) {
  constexpr std::string_view kOption = "--architecture";
  const ProfileSources& sources = reading.sources.profiles;
  const std::vector<std::string> known = known_architectures(reading.sources.file, sources);
  const std::string expected = known.empty()
                                   ? "an architecture; no folder of architectures was found"
                                   : fmt::format("one of: {}", fmt::join(known, ", "));
  const std::string& name = needed(reading.sheet.architecture, kOption, expected);
  const auto file = find_architecture(name, reading.sources.file, sources);
  if (!file) bad_value(kOption, in_quotes(name), expected, did_you_mean(name, known));
  reading.architecture = std::make_shared<const Architecture>(
      read_architecture(read_spec_file(*file, sources.limits)));
}

void read_multiprocessors(Reading& reading) {
  constexpr std::string_view kOption = "--multiprocessors";
  const std::string& text = needed(reading.sheet.multiprocessors, kOption, "how many it has");
  const auto count = integer_in(trimmed(text));
  if (!count || *count < 1 || *count > std::numeric_limits<int>::max()) {
    bad_value(kOption, in_quotes(text), "a count such as 28");
  }
  reading.multiprocessors = static_cast<int>(*count);
}

/// "float32=10.97TFLOP/s" -> float32, "10.97TFLOP/s".
std::pair<Dtype, std::string> typed(const std::string& item, std::string_view option,
                                    std::string_view example) {
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos) {
    bad_value(option, in_quotes(item), fmt::format("a type and its value: {}", example));
  }
  const std::string name(trimmed(std::string_view(item).substr(0, equals)));
  const std::optional<Dtype> dtype = find_dtype(name);
  if (!dtype) unknown_word(option, name, names_of(kDtypes));
  return {*dtype, std::string(trimmed(std::string_view(item).substr(equals + 1)))};
}

/// Reads every item of an option that takes several.
void each_item(Reading& reading, const std::vector<std::string>& values, std::string_view option,
               const std::function<void(const std::string&)>& read) {
  for (const std::string& value : values) {
    (void)reading.errors.attempt([&] {
      for (const std::string& item : split_list(value, option)) {
        (void)reading.errors.attempt([&] { read(item); });
      }
    });
  }
}

void read_peaks(Reading& reading) {
  constexpr std::string_view kOption = "--peak";
  constexpr std::string_view kExample = "float32=10.97TFLOP/s";
  const std::size_t before = reading.errors.count();
  each_item(reading, reading.sheet.peaks, kOption, [&](const std::string& item) {
    ++reading.peaks_given;
    const auto [dtype, text] = typed(item, kOption, kExample);
    Parsed<FlopsPerSecond> rate = parse_flop_rate(text);
    if (auto* error = std::get_if<QuantityError>(&rate)) {
      bad_value(kOption, in_quotes(item), std::move(error->expected));
    }
    if (reading.peak.contains(dtype)) bad_value(kOption, in_quotes(item), "each type once");
    if (std::get<FlopsPerSecond>(rate).per_second <= 0) {
      bad_value(kOption, in_quotes(item), "a rate above 0");
    }
    check_plausible(kOption, fmt::format("compute.peak.{}", dtype_info(dtype).name), text, item);
    reading.peak[dtype] = std::get<FlopsPerSecond>(rate);
  });
  // A wrong one may have been it.
  if (reading.errors.count() != before || reading.peak.contains(Dtype::kFloat32)) return;
  (void)reading.errors.attempt([&] {
    bad_value(kOption, reading.sheet.peaks.empty() ? "nothing" : "no float32",
              fmt::format("the data sheet's dense rates, {} among them", kExample));
  });
}

void read_sustained(Reading& reading) {
  constexpr std::string_view kOption = "--sustained";
  each_item(reading, reading.sheet.sustained, kOption, [&](const std::string& item) {
    const auto [dtype, text] = typed(item, kOption, "float32=0.94");
    const Parsed<double> share = parse_ratio(text);
    const double* value = std::get_if<double>(&share);
    if (value == nullptr || *value < kLowestShare || *value > 1) {
      bad_value(kOption, in_quotes(item), "a share of the peak from 0.01 to 1, such as 0.94");
    }
    if (!reading.sustained.emplace(dtype, *value).second) {
      bad_value(kOption, in_quotes(item), "each type once");
    }
  });
}

void read_link(Reading& reading) {
  constexpr std::string_view kOption = "--link";
  const std::vector<LinkDefaults> links =
      read_links(reading.sources.link_folders, reading.sources.profiles.limits);
  const std::vector<std::string> names = link_names(links);
  const std::string expected =
      links.empty() ? "a link; no folder of links was found"
                    : fmt::format("a rate in one direction such as 12GB/s, or one of: {}",
                                  fmt::join(names, ", "));
  const std::string& text = needed(reading.sheet.link, kOption, expected);
  reading.link = find_link(links, text);
  if (reading.link) return;
  const Parsed<BytesPerSecond> parsed = parse_rate(trimmed(text));
  const BytesPerSecond* rate = std::get_if<BytesPerSecond>(&parsed);
  if (rate == nullptr || links.empty() || *rate == kInfiniteRate) {
    bad_value(kOption, in_quotes(text), expected, did_you_mean(text, names));
  }
  check_plausible(kOption, "connection.modes.pinned.to_near.throughput", text, text);
  if (rate->count() <= 0) bad_value(kOption, in_quotes(text), expected);
  reading.link = link_of_rate(links, *rate);
  reading.link_is_rate = true;
}

void read_memories(Reading& reading) {
  const DataSheet& sheet = reading.sheet;
  (void)reading.errors.attempt([&] {
    const std::string& text = needed(sheet.memory, "--memory", "its size, such as 12GiB");
    const Bytes size = bytes_of(text, "--memory");
    check_plausible("--memory", "near_memory.capacity", text, text);
    if (size.count() == 0) bad_value("--memory", in_quotes(text), "a size above 0");
    reading.memory = size;
  });
  (void)reading.errors.attempt([&] {
    const std::string& text = needed(sheet.memory_rate, "--memory-rate", "a rate such as 480GB/s");
    const BytesPerSecond rate = rate_of(text, "--memory-rate");
    check_plausible("--memory-rate", "near_memory.throughput", text, text);
    reading.memory_rate = rate;
  });
  (void)reading.errors.attempt([&] {
    if (!sheet.peers) return;
    check_plausible("--peers", "peers.throughput", *sheet.peers, *sheet.peers);
    reading.peers = rate_of(*sheet.peers, "--peers");
  });
  (void)reading.errors.attempt([&] {
    if (!sheet.far_memory) return;
    const Bytes size = bytes_of(*sheet.far_memory, "--far-memory");
    check_plausible("--far-memory", "far_memory.capacity", *sheet.far_memory, *sheet.far_memory);
    if (size.count() == 0) bad_value("--far-memory", in_quotes(*sheet.far_memory), "above 0");
    reading.far_memory = size;
  });
}

void read_cudnn(Reading& reading) {
  if (!reading.sheet.cudnn) return;
  reading.cudnn = parse_library_version(*reading.sheet.cudnn);
  if (!reading.cudnn) {
    bad_value("--cudnn", in_quotes(*reading.sheet.cudnn), "a version such as 5.1");
  }
}

void check_multiprocessors(const Reading& reading) {
  constexpr std::string_view kOption = "--multiprocessors";
  if (!reading.multiprocessors) return;
  const int count = *reading.multiprocessors;
  const Generation* generation =
      reading.architecture ? generation_named(reading.architecture->name) : nullptr;
  const auto peak = reading.peak.find(Dtype::kFloat32);
  if (generation == nullptr || peak == reading.peak.end()) {
    if (count > kMostMultiprocessors) {
      bad_value(kOption, fmt::format("{}", count), fmt::format("at most {}", kMostMultiprocessors));
    }
    return;
  }
  const auto [fewest, most] = multiprocessors_for(*generation, peak->second);
  if (count >= fewest && count <= most) return;
  const int lanes = generation->most_lanes;
  const std::string width = generation->fewest_lanes == lanes
                                ? std::to_string(lanes)
                                : fmt::format("{} to {}", generation->fewest_lanes, lanes);
  const bool cores = count % lanes == 0 && count / lanes >= fewest && count / lanes <= most;
  bad_value(kOption, std::to_string(count),
            fmt::format("{} to {}: so many of {} lanes have {} float32 at 0.5 to 3 GHz", fewest,
                        most, width, exact_flop_rate(peak->second)),
            cores ? fmt::format("are cores counted? {} multiprocessors have as many", count / lanes)
                  : "");
}

/// Data sheets print the rate that products of sparse matrices count as, twice the dense one.
void check_tensor_peaks(Reading& reading) {
  const Generation* generation =
      reading.architecture ? generation_named(reading.architecture->name) : nullptr;
  const auto base = reading.peak.find(Dtype::kFloat32);
  if (generation == nullptr || base == reading.peak.end()) return;
  for (const auto& [dtype, rate] : reading.peak) {
    const bool half = dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
    if (!half && dtype != Dtype::kTf32) continue;
    const double gain = generation->most_tensor_gain * (half ? 1.0 : 0.5);
    if (rate.per_second <= base->second.per_second * gain * kRounding) continue;
    (void)reading.errors.attempt([&, name = dtype_info(dtype).name, found = rate] {
      bad_value("--peak", fmt::format("{}={}", name, exact_flop_rate(found)),
                fmt::format("at most {} times float32's {} ({})", gain,
                            exact_flop_rate(base->second), generation->name),
                "is it the rate with sparsity? The dense one is half of it");
    });
  }
}

void check_sustained(Reading& reading) {
  // A peak that is wrong is told already.
  if (reading.peak.size() < reading.peaks_given) return;
  for (const auto& [dtype, share] : reading.sustained) {
    if (reading.peak.contains(dtype)) continue;
    (void)reading.errors.attempt([&, name = dtype_info(dtype).name] {
      bad_value("--sustained", fmt::format("{} without a peak", name),
                fmt::format("--peak {}=RATE beside it", name));
    });
  }
}

void check_memory_rate(const Reading& reading) {
  if (!reading.memory_rate || !reading.link) return;
  const Connection& connection = reading.link->connection;
  const BytesPerSecond link =
      connection.theoretical
          ? *connection.theoretical
          : std::get<StraightLine>(connection.modes.at("pinned").to_near).throughput;
  if (*reading.memory_rate >= link) return;
  bad_value("--memory-rate", in_quotes(*reading.sheet.memory_rate),
            fmt::format("at least the link's, {}", exact_rate(link)),
            "the rate of the device's own memory");
}

/// Kepler and Maxwell have no page faults: memory that both sides touch came with Pascal.
bool has_page_faults(const std::string& architecture) {
  return architecture != "kepler" && architecture != "maxwell";
}

void put_connection(const Reading& reading, HardwareProfile& profile) {
  profile.connection = reading.link->connection;
  if (has_page_faults(reading.architecture->name)) return;
  for (const char* mode : {"unified_fault", "unified_prefetch"}) {
    profile.connection.modes.erase(mode);
    profile.connection.impossible_modes.insert(mode);
    drop_provenance(profile.provenance, std::string("connection.modes.") + mode);
  }
}

std::vector<Provenance> provenance_of(const Reading& reading) {
  const DataSheet& sheet = reading.sheet;
  const auto entry = [](std::string fields, ProvenanceKind kind, std::string source) {
    return Provenance{.fields = std::move(fields), .kind = kind, .source = std::move(source)};
  };
  const auto given = [&](const char* fields, const char* option) {
    return entry(fields, ProvenanceKind::kDatasheet,
                 sheet.source ? *sheet.source
                              : fmt::format("given to `ooc-paleo hardware new` ({})", option));
  };
  std::vector<Provenance> entries{given("compute.peak", "--peak"),
                                  given("compute.multiprocessors", "--multiprocessors")};
  if (!reading.sustained.empty()) {
    entries.push_back(entry("compute.sustained", ProvenanceKind::kAssumed,
                            "given to `ooc-paleo hardware new` (--sustained); no data sheet says "
                            "it"));
  }
  if (reading.cudnn) {
    entries.push_back(entry("compute.cudnn", ProvenanceKind::kAssumed,
                            "given to `ooc-paleo hardware new` (--cudnn): the software that it "
                            "runs"));
  }
  entries.push_back(given("near_memory.capacity", "--memory"));
  entries.push_back(given("near_memory.throughput", "--memory-rate"));
  const std::vector<Provenance>& defaults = reading.link->provenance;
  entries.insert(entries.end(), defaults.begin(), defaults.end());
  const auto of_host = [&](const char* fields, const char* option) {
    set_provenance(entries, entry(fields, ProvenanceKind::kDatasheet,
                                  fmt::format("given to `ooc-paleo hardware new` ({})", option)));
  };
  entries.push_back(
      entry("far_memory.reserved", ProvenanceKind::kAssumed,
            "1/64 of the host's memory, in which Linux describes its pages (64 B a page of "
            "4 KiB), and 4 GiB for system and program"));
  if (reading.peers) of_host("peers", "--peers");
  if (reading.far_memory) of_host("far_memory.capacity", "--far-memory");
  if (reading.link_is_rate) {
    of_host("connection.modes.pinned.to_near.throughput", "--link");
    of_host("connection.modes.pinned.to_far.throughput", "--link");
  }
  entries.push_back(entry("devices", ProvenanceKind::kDatasheet,
                          "one accelerator of the data sheet; the machine may hold more"));
  return entries;
}

HardwareProfile profile_of_parts(const Reading& reading) {
  HardwareProfile profile;
  profile.file = reading.sources.file;
  profile.name = reading.sheet.name;
  profile.description = fmt::format("{} with {} multiprocessors, {} at {}, {} to the host",
                                    reading.architecture->name, *reading.multiprocessors,
                                    exact_bytes(*reading.memory), exact_rate(*reading.memory_rate),
                                    reading.link->connection.name);
  profile.peak = reading.peak;
  profile.kernels = KernelUnits{.architecture = reading.architecture,
                                .written_out = false,
                                .multiprocessors = *reading.multiprocessors,
                                .sustained = reading.sustained};
  profile.cudnn = reading.cudnn;
  profile.near_memory = {.capacity = *reading.memory,
                         .reserved = reading.link->reserved,
                         .throughput = *reading.memory_rate,
                         .latency = reading.link->near_latency};
  profile.far_memory = reading.link->far_memory;
  if (reading.far_memory) profile.far_memory.capacity = *reading.far_memory;
  const Bytes host = profile.far_memory.capacity;
  profile.far_memory.reserved = std::min(host_reserve(host), Bytes(host.count() / 2));
  if (reading.peers) profile.peers = PeerLink{.throughput = *reading.peers};
  profile.provenance = provenance_of(reading);
  put_connection(reading, profile);
  return profile;
}

}  // namespace

HardwareProfile profile_of(const DataSheet& sheet, const DataSheetSources& sources) {
  Reading reading{.sheet = sheet, .sources = sources};
  ErrorCollector& errors = reading.errors;
  (void)errors.attempt([&] {
    if (trimmed(sheet.name).empty() || sheet.name.find('/') != std::string::npos) {
      bad_value("NAME", in_quotes(sheet.name), "what the machine is to be called, no path");
    }
  });
  (void)errors.attempt([&] { read_architecture_option(reading); });
  (void)errors.attempt([&] { read_multiprocessors(reading); });
  read_peaks(reading);
  read_sustained(reading);
  read_memories(reading);
  (void)errors.attempt([&] { read_link(reading); });
  (void)errors.attempt([&] { read_cudnn(reading); });
  (void)errors.attempt([&] { check_multiprocessors(reading); });
  check_tensor_peaks(reading);
  check_sustained(reading);
  (void)errors.attempt([&] { check_memory_rate(reading); });
  errors.finish();
  return profile_of_parts(reading);
}

// A link file is read by the profile's own readers: its parts are a profile's parts.

namespace {

constexpr int kMostLanes = 1024;

std::vector<int> read_widths(const SpecView& root, const std::string& name) {
  std::vector<int> widths;
  const std::optional<SpecView> list = root.find("widths");
  if (!list) return widths;
  for (const SpecView& item : list->items()) {
    const int least = widths.empty() ? 1 : widths.back() + 1;
    widths.push_back(static_cast<int>(item.as_integer(least, kMostLanes)));
  }
  if (widths.empty() || !name.ends_with("x" + std::to_string(widths.back()))) {
    list->fail(list->found(), "the width that the name ends in, last");
  }
  return widths;
}

void check_modes(const SpecView& root, const Connection& connection) {
  const SpecView modes = root.get("connection").get("modes");
  const bool straight = std::ranges::all_of(connection.modes, [](const auto& mode) {
    return std::holds_alternative<StraightLine>(mode.second.to_near) &&
           std::holds_alternative<StraightLine>(mode.second.to_far);
  });
  if (!straight) modes.fail("a curve", "throughput and latency: widths have a share of them");
  if (!connection.modes.contains("pinned")) modes.fail("no mode pinned", "pinned and others");
}

BytesPerSecond pinned_rate(const LinkDefaults& link) {
  return std::get<StraightLine>(link.connection.modes.at("pinned").to_near).throughput;
}

BytesPerSecond times(BytesPerSecond rate, double factor) {
  return BytesPerSecond(std::llround(static_cast<double>(rate.count()) * factor));
}

void scale_rates(Connection& connection, double factor) {
  if (connection.theoretical) connection.theoretical = times(*connection.theoretical, factor);
  for (auto& entry : connection.modes) {
    for (TransferLine* line : {&entry.second.to_near, &entry.second.to_far}) {
      StraightLine& straight = std::get<StraightLine>(*line);
      straight.throughput = times(straight.throughput, factor);
      if (!straight.range) continue;
      straight.range =
          RateRange{times(straight.range->lowest, factor), times(straight.range->highest, factor)};
    }
  }
}

/// "pcie3x16" at 4 -> "pcie3x4".
std::string name_at(const LinkDefaults& link, int width) {
  const std::size_t digits = std::to_string(link.widths.back()).size();
  return link.name.substr(0, link.name.size() - digits) + std::to_string(width);
}

/// Modes are in proportion to the link, but for what is published of the driver.
bool scales(const Provenance& entry) {
  return entry.fields.starts_with("connection.modes") && entry.kind != ProvenanceKind::kPublished;
}

LinkDefaults narrowed(LinkDefaults link, int width) {
  if (width == link.widths.back()) return link;
  const int whole = link.widths.back();
  const std::string share = fmt::format("{}/{} of {}", width, whole, link.connection.name);
  link.name = name_at(link, width);
  link.connection.name = share;
  scale_rates(link.connection, static_cast<double>(width) / whole);
  for (Provenance& entry : link.provenance) {
    if (entry.fields == "connection.theoretical" || scales(entry)) {
      entry.source = share + ": " + entry.source;
    }
  }
  return link;
}

}  // namespace

LinkDefaults read_link(const SpecDocument& document) {
  const SpecView view(document);
  check_format(view, "ooc-paleo/link");
  (void)view.find("description");
  ProfileReading reading;
  const ProfileSection root(view, "", reading);
  LinkDefaults link;
  HardwareProfile profile;
  profile.near_memory.throughput = kInfiniteRate;  // a link alone is bound by none
  (void)root.attempt([&] {
    link.name = view.get("name").as_text();
    link.widths = read_widths(view, link.name);
  });
  (void)root.attempt([&] {
    const ProfileSection near = root.part("near_memory");
    link.reserved = near.number("reserved").as_bytes();
    link.near_latency = near.number("latency").as_duration();
    near.reject_unknown_keys(near.errors());
  });
  (void)root.attempt([&] { profile.far_memory = read_far_memory(root.part("far_memory")); });
  (void)root.attempt([&] {
    const std::size_t before = root.errors();
    read_connection(root.part("connection"), profile);
    if (root.errors() == before) check_modes(view, profile.connection);
  });
  std::optional<SpecView> provenance;
  (void)root.attempt([&] { provenance = view.get("provenance"); });
  root.reject_unknown_keys(0);
  reading.errors.finish();
  link.provenance = read_provenance(*provenance, reading.numbers);
  link.far_memory = profile.far_memory;
  link.connection = std::move(profile.connection);
  return link;
}

std::vector<LinkDefaults> read_links(const std::vector<std::string>& folders,
                                     const ReadLimits& limits) {
  std::vector<LinkDefaults> links;
  for (const std::string& name : data_names_in(folders)) {
    if (const auto file = data_file_in(folders, name)) {
      links.push_back(read_link(read_spec_file(*file, limits)));
    }
  }
  return links;
}

std::vector<std::string> link_names(const std::vector<LinkDefaults>& links) {
  std::vector<std::string> names;
  for (const LinkDefaults& link : links) {
    if (link.widths.empty()) names.push_back(link.name);
    for (const int width : link.widths) names.push_back(name_at(link, width));
  }
  return names;
}

std::optional<LinkDefaults> find_link(const std::vector<LinkDefaults>& links,
                                      const std::string& name) {
  for (const LinkDefaults& link : links) {
    if (link.name == name) return link;
    for (const int width : link.widths) {
      if (name_at(link, width) == name) return narrowed(link, width);
    }
  }
  return std::nullopt;
}

LinkDefaults link_of_rate(const std::vector<LinkDefaults>& links, BytesPerSecond rate) {
  // A rate alone is that of a bus with lanes, and of its host: not of a machine whose link is its own.
  const auto distance = [&](const LinkDefaults& link) {
    return std::pair(link.widths.size() < 4, std::abs(std::log(pinned_rate(link) / rate)));
  };
  LinkDefaults link = *std::ranges::min_element(links, {}, distance);
  const std::string like = fmt::format("as {}, in proportion to its rate: ", link.name);
  link.name = format_rate(rate);
  link.widths.clear();
  link.connection.name = "link of " + link.name;
  link.connection.theoretical.reset();
  scale_rates(link.connection, rate / pinned_rate(link));
  TransferMode& pinned = link.connection.modes.at("pinned");
  for (TransferLine* line : {&pinned.to_near, &pinned.to_far}) {
    StraightLine& straight = std::get<StraightLine>(*line);
    straight.throughput = rate;
    straight.range.reset();  // given, not reported
  }
  drop_provenance(link.provenance, "connection.theoretical");
  drop_provenance(link.provenance, "connection.modes.pinned.to_near.range");
  drop_provenance(link.provenance, "connection.modes.pinned.to_far.range");
  for (Provenance& entry : link.provenance) {
    if (scales(entry)) entry.source.insert(0, like);
  }
  // A memory that is slower than the link would silently be the link.
  if (link.far_memory.throughput < rate) {
    link.far_memory.throughput = rate;
    set_provenance(link.provenance, {.fields = "far_memory.throughput",
                                     .kind = ProvenanceKind::kAssumed,
                                     .source = "no slower than the link that was given"});
  }
  return link;
}

void set_provenance(std::vector<Provenance>& entries, Provenance entry) {
  std::erase_if(entries, [&](const Provenance& each) { return each.fields == entry.fields; });
  entries.push_back(std::move(entry));
}

void drop_provenance(std::vector<Provenance>& entries, const std::string& prefix) {
  std::erase_if(entries, [&](const Provenance& each) {
    return each.fields == prefix || each.fields.starts_with(prefix + ".");
  });
}

}  // namespace ooc
