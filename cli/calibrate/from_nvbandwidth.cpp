// nvbandwidth -j prints {"nvbandwidth": {"version", "GPU Device list", "testcases": [{"name", "status",
// "bandwidth_matrix": [["55.36", "N/A"]]}]}}: texts of decimal GB/s, a column for each device. It measures rates of large
// copies, no latencies and no other modes; those stay as the profile has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "calibrate/session/assemble.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/calibrate/like.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"
#include "model/base/spec_tree.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {
namespace {

struct Bandwidths {
  std::string version;
  std::map<std::string, double> of;  ///< bytes/s by test, of the chosen device

  [[nodiscard]] std::optional<double> find(const std::string& test) const {
    const auto found = of.find(test);
    return found == of.end() ? std::nullopt : std::optional(found->second);
  }
};

/// None for "N/A".
std::optional<double> gigabytes(const SpecView& view) {
  const std::optional<double> value = real_in(view.as_text());
  if (!value) return std::nullopt;
  if (!(*value > 0) || *value > 1e6) view.fail(view.found(), "a rate in GB/s");
  return *value * 1e9;
}

Bandwidths read_bandwidths(const SpecDocument& document, std::size_t device) {
  const SpecView root = SpecView(document).get("nvbandwidth");
  Bandwidths read;
  if (const auto version = root.find("version")) {
    read.version = version->type() == SpecType::kText ? version->as_text() : version->node().text;
  }
  const SpecView tests = root.get("testcases");
  for (const SpecView& test : tests.items()) {
    const auto matrix = test.find("bandwidth_matrix");
    if (!matrix || matrix->items().empty()) continue;  // waived, or it failed
    const std::vector<SpecView> columns = matrix->items().front().items();
    if (device >= columns.size()) continue;
    if (const auto rate = gigabytes(columns[device])) read.of[test.get("name").as_text()] = *rate;
  }
  for (const char* needed : {"host_to_device_memcpy_ce", "device_to_host_memcpy_ce"}) {
    if (!read.find(needed)) {
      tests.fail(fmt::format("no {} of device {}", needed, device),
                 "at least both directions, as `nvbandwidth -j` prints them");
    }
  }
  return read;
}

/// Puts rates into a profile and keeps book of where they come from.
class Link {
 public:
  Link(HardwareProfile profile, const Bandwidths& read, std::string date)
      : profile_(std::move(profile)), read_(read), date_(std::move(date)) {}

  HardwareProfile take() {
    const double in = *read_.find("host_to_device_memcpy_ce");
    const double out = *read_.find("device_to_host_memcpy_ce");
    TransferMode& pinned = profile_.connection.modes["pinned"];
    direction(pinned.to_near, "to_near", in, "host_to_device_memcpy_ce");
    direction(pinned.to_far, "to_far", out, "device_to_host_memcpy_ce");
    if (const auto copied = read_.find("device_local_copy")) near(2 * *copied);
    const double floor = std::max(in, out);
    if (static_cast<double>(profile_.near_memory.throughput.count()) < floor) near(floor);
    if (static_cast<double>(profile_.far_memory.throughput.count()) < floor) {
      profile_.far_memory.throughput = rate_from(floor);
      say("far_memory.throughput", "at least what copies reach");
    }
    duplex(in, out);
    profile_.machine.reset();
    return std::move(profile_);
  }

 private:
  void direction(TransferLine& line, const std::string& name, double rate, const char* test) {
    const auto* straight = std::get_if<StraightLine>(&line);
    const Duration latency =
        straight != nullptr ? straight->latency : std::get<SizeCurve>(line).points.front().second;
    line = StraightLine{rate_from(rate), latency};
    say("connection.modes.pinned." + name + ".throughput", test);
  }

  void near(double rate) {
    const double share =
        profile_.kernels ? profile_.kernels->architecture->parameters.near_share : 1.0;
    profile_.near_memory.throughput = rate_from(rate / share);
    say("near_memory.throughput",
        fmt::format(
            "device_local_copy, read plus written: {:.4g} GB/s, over the share {:.4g} that the "
            "architecture's kernels get",
            rate / 1e9, share));
  }

  /// Shares that both rise until together the directions carry what the faster one does alone.
  void duplex(double in, double out) {
    const auto in_both = read_.find("host_to_device_bidirectional_memcpy_ce");
    const auto out_both = read_.find("device_to_host_bidirectional_memcpy_ce");
    if (!in_both || !out_both) return;
    const double kept = *in_both + *out_both;
    const double lacks = std::max(0.0, std::max(in, out) - kept) / std::max(1.0, in + out - kept);
    const auto ratio = [&](double both, double alone) {
      const double share = std::min(1.0, both / alone);
      return Ratio(std::min<std::int64_t>(
          kOne.count(), std::llround(std::ceil((share + lacks * (1 - share)) * 1e6) * 1000)));
    };
    profile_.connection.duplex = Duplex(ratio(*in_both, in), ratio(*out_both, out));
    say("connection.duplex", "the two bidirectional_memcpy_ce over the rates alone");
  }

  void say(const std::string& fields, const std::string& what) {
    say_measured(
        profile_, fields,
        fmt::format("nvbandwidth{}{}: {}", read_.version.empty() ? "" : " ", read_.version, what),
        date_);
  }

  HardwareProfile profile_;
  const Bandwidths& read_;
  std::string date_;
};

}  // namespace

int run_from_nvbandwidth(const Arguments& arguments) {
  arguments.refuse(
      {"--quick", "--full", "--from", "--report", "--probe", "--within", "--time-limit"},
      "--from-nvbandwidth", "use one of them");
  const std::string path = *arguments.value("--from-nvbandwidth");
  const auto like = arguments.value("--like");
  if (!like) {
    bad_value("--like", "none", "the profile whose link was measured, see `list hardware`");
  }
  const std::string output = arguments.value("--output").value_or("");
  if (output.empty()) bad_value("--output", "none", "the file for the profile");
  const ReadLimits limits = arguments.options.limits;
  const SpecDocument document =
      read_spec_text(read_text_file(path, "--from-nvbandwidth", limits), path, limits);
  const Bandwidths read =
      read_bandwidths(document, static_cast<std::size_t>(std::stoul(device_number_of(arguments))));
  HardwareProfile profile =
      Link(profile_like(like, {}, limits), read, date_option(arguments).value_or("")).take();
  profile.name = arguments.value("--name").value_or(profile.name + "-measured-link");
  OutputFile file("--output", output);
  const std::string text = write_profile(profile);
  (void)read_profile_text(text, output, {.architecture_folders = architecture_folders()});
  file.finish(text);
  std::string report;
  for (const auto& [test, rate] : read.of)
    report += fmt::format("{:<45}{:>8.2f} GB/s\n", test, rate / 1e9);
  if (output != "-") OutputFile("stdout", "-").finish(printable(report, "\n"));
  return kExitOk;
}

}  // namespace ooc
