// Reader of "compute": peaks by element type, efficiencies by compute kind, the cost of a launch.
#include <fmt/format.h>

#include <limits>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

double efficiency_ratio(const SpecView& view) {
  constexpr double kAny = std::numeric_limits<double>::max();
  const double ratio = view.as_ratio(-kAny, kAny);
  if (!(ratio > 0 && ratio <= 1)) view.fail(view.found(), "a ratio above 0, at most 1");
  return ratio;
}

/// Abscissa of an efficiency curve: bytes moved for "memory", operations for all others.
double work_of(const SpecView& view, const std::string& kind) {
  if (kind == "memory") return static_cast<double>(view.as_bytes().count());
  if (view.type() != SpecType::kText && view.type() != SpecType::kNumber) {
    view.fail(view.found(), "a count of operations with a unit, such as \"2 GFLOP\"");
  }
  Parsed<double> parsed = parse_flop_count(view.node().text);
  if (auto* error = std::get_if<QuantityError>(&parsed)) {
    view.fail(view.found(), std::move(error->expected));
  }
  return std::get<double>(parsed);
}

Efficiency read_efficiency(const SpecView& view, const std::string& kind) {
  Efficiency efficiency;
  if (view.type() != SpecType::kObject) {
    efficiency.points.emplace_back(1.0, efficiency_ratio(view));
    return efficiency;
  }
  for (const SpecView& point : curve_points(view, 1)) {
    const std::vector<SpecView> both = pair_of(point, "a pair such as [\"2 GFLOP\", 0.6]");
    const double work = work_of(both[0], kind);
    if (work <= 0) both[0].fail(both[0].found(), "more than nothing");
    if (!efficiency.points.empty() && work <= efficiency.points.back().first) {
      both[0].fail(both[0].found(), "more than at the point before: curves ascend");
    }
    efficiency.points.emplace_back(work, efficiency_ratio(both[1]));
  }
  return efficiency;
}

/// The names that prices ask for. Others have no effect and are taken all the same, so that profiles of other versions
/// are; but a name that is all but one of these is a slip that would go unnoticed.
void check_efficiency_name(const std::string& name, const SpecView& value) {
  static const std::vector<std::string> kKnown{
      "default",     "memory",          "conv",      "conv_implicit_precomp_gemm",
      "conv_algo_1", "conv_algo_3",     "conv_gemm", "conv_winograd_nonfused",
      "conv_fft",    "conv_fft_tiling", "linear",    "moe",
      "attention"};
  if (contains(kKnown, name)) return;
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos &&
      !name.empty();
  const std::string hint = nearest_hint(name, kKnown);
  if (plain && hint.empty()) return;
  value.fail(fmt::format("unknown key {}", in_quotes(name)),
             "\"default\", \"memory\" or the name of a layer kind", hint);
}

std::pair<int, int> version_of(const SpecView& view) {
  const auto version =
      view.type() == SpecType::kText ? parse_library_version(view.node().text) : std::nullopt;
  if (!version) view.fail(view.found(), "a version such as \"4\" or \"5.1\"");
  return *version;
}

void read_peak(const ProfileSection& peak, HardwareProfile& profile) {
  const auto members = peak.numbers();
  if (members.empty()) peak.view().fail("no rate", "the peak of at least one element type");
  for (const auto& [name, value] : members) {
    (void)peak.attempt([&, &key = name, &rate = value] {
      profile.peak[dtype_named(key, rate)] = rate.as_flop_rate();
    });
  }
}

void read_efficiencies(const ProfileSection& efficiency, HardwareProfile& profile) {
  for (const char* needed : {"default", "memory"}) {
    (void)efficiency.attempt([&] { (void)efficiency.view().get(needed); });
  }
  for (const auto& [name, value] : efficiency.numbers()) {
    (void)efficiency.attempt([&, &kind = name, &ratio = value] {
      check_efficiency_name(kind, ratio);
      profile.efficiency[kind] = read_efficiency(ratio, kind);
    });
  }
}

/// Shares of the peak, where no architecture says more.
void read_shares(const ProfileSection& compute, HardwareProfile& profile) {
  (void)compute.attempt([&] { read_efficiencies(compute.part("efficiency"), profile); });
  compute.read("kernel_launch", profile.kernel_launch, &SpecView::as_duration);
}

}  // namespace

std::optional<std::pair<int, int>> parse_library_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto part = [](std::string_view digits) -> std::optional<int> {
    const auto number = integer_in(digits);
    if (!number || *number < 0 || *number > 9999) return std::nullopt;
    return static_cast<int>(*number);
  };
  const std::optional<int> major = part(text.substr(0, dot));
  const std::optional<int> minor =
      dot == std::string_view::npos ? std::optional(0) : part(text.substr(dot + 1));
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

Dtype dtype_named(const std::string& name, const SpecView& value) {
  if (const std::optional<Dtype> dtype = find_dtype(name)) return *dtype;
  value.fail(fmt::format("unknown key {}", in_quotes(name)),
             "float64, float32, tf32, float16, bfloat16 or float8",
             nearest_hint(name, names_of(kDtypes)));
}

void read_compute(const ProfileSection& compute, const ProfileSources& sources,
                  HardwareProfile& profile) {
  const std::size_t before = compute.errors();
  (void)compute.attempt([&] { read_peak(compute.part("peak"), profile); });
  if (compute.view().find("architecture")) {
    read_kernel_units(compute, sources, profile);
  } else {
    read_shares(compute, profile);
  }
  compute.read_if("cudnn", profile.cudnn, version_of);
  compute.reject_unknown_keys(before);
}

// Reader of what names a machine's kernels: "architecture" is a name or the architecture itself.

namespace {

constexpr std::int64_t kMostReadable = 100'000;
constexpr double kLeastSustained = 0.01;

Architecture read_named(const SpecView& view, const ProfileSources& sources) {
  const std::string name = view.as_text();
  if (const auto file = find_architecture(name, view.file(), sources)) {
    return read_architecture(read_spec_file(*file, sources.limits));
  }
  const std::vector<std::string> known = known_architectures(view.file(), sources);
  view.fail(view.found(),
            known.empty() ? "an architecture; no folder of architectures was found"
                          : fmt::format("an architecture: {}", fmt::join(known, ", ")),
            did_you_mean(name, known));
}

void refuse_shares(const ProfileSection& compute, const char* key) {
  const std::optional<SpecView> value = compute.view().find(key);
  if (!value) return;
  value->fail(value->found(), fmt::format("no \"{}\" beside \"architecture\"", key),
              "the architecture's fitted numbers take its place");
}

}  // namespace

void read_kernel_units(const ProfileSection& compute, const ProfileSources& sources,
                       HardwareProfile& profile) {
  KernelUnits units;
  (void)compute.attempt([&] {
    const SpecView view = compute.view().get("architecture");
    units.written_out = view.type() == SpecType::kObject;
    units.architecture = std::make_shared<const Architecture>(
        units.written_out ? read_architecture(view) : read_named(view, sources));
  });
  compute.read("multiprocessors", units.multiprocessors, &SpecView::as_integer, 1, kMostReadable);
  (void)compute.attempt([&] {
    if (!compute.view().find("sustained")) return;
    for (const auto& [name, value] : compute.part("sustained").numbers()) {
      const Dtype dtype = dtype_named(name, value);
      if (!profile.peak.empty() && !profile.peak.contains(dtype)) {
        value.fail("a share of a peak that is not there",
                   fmt::format("\"{}\" in \"peak\" too, or no share of it", name));
      }
      units.sustained[dtype] = value.as_ratio(kLeastSustained, 1);
    }
  });
  (void)compute.attempt([&] {
    if (profile.peak.empty() || profile.peak.contains(Dtype::kFloat32)) return;
    const SpecView peak = compute.view().get("peak");
    peak.fail("no \"float32\"", "its rate too: what no tensor core multiplies runs at it");
  });
  for (const char* key : {"efficiency", "kernel_launch"}) {
    (void)compute.attempt([&] { refuse_shares(compute, key); });
  }
  if (units.architecture) profile.kernels = std::move(units);
}

}  // namespace ooc
