// Names of devices as drivers write them, "NVIDIA A100-SXM4-40GB": the model must be in the profile's name, memory and
// multiprocessors must agree, and of those that remain the one counts whose name shares the most words.
#include "cli/calibrate/like.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/terminal_text.hpp"
#include "model/hardware/profile_json.hpp"

namespace ooc {
namespace {

constexpr double kSameMemory = 0.12;  // GB against GiB, memory for error correction

/// Runs of letters and digits, in lower case; of "sxm4" also "sxm".
std::vector<std::string> device_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : lower_case(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  for (std::size_t i = 0, count = words.size(); i < count; ++i) {
    for (const std::string_view form : {"sxm", "pcie", "nvlink"}) {
      if (words[i].starts_with(form) && words[i] != form) words.emplace_back(form);
    }
  }
  return words;
}

bool agrees(const HardwareProfile& profile, const KeyValues& machine) {
  const auto bytes = find_number(machine, "memory_total_bytes");
  const auto multiprocessors = find_integer(machine, "sm_count");
  const auto capacity = static_cast<double>(profile.near_memory.capacity.count());
  if (bytes && std::abs(std::log(*bytes / capacity)) > kSameMemory) return false;
  return !profile.kernels || !multiprocessors ||
         profile.kernels->multiprocessors == *multiprocessors;
}

}  // namespace

std::string model_of(std::string_view device) {
  for (const std::string& word : device_words(device)) {
    const bool digit = std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
    if (digit && !word.starts_with("sxm") && !word.starts_with("pcie") && !word.ends_with("gb")) {
      return word;
    }
  }
  return "";
}

HardwareProfile profile_like(const std::optional<std::string>& flag, const KeyValues& machine,
                             const ReadLimits& limits) {
  const ProfileSources sources{.limits = limits, .architecture_folders = architecture_folders()};
  if (flag) return read_profile_file(locate(DataKind::kHardware, *flag, "--like"), sources);
  const std::string device = find_value(machine, "device_name").value_or("");
  const std::string model = model_of(device);
  const std::vector<std::string> wanted = device_words(device);
  std::optional<HardwareProfile> best;
  std::ptrdiff_t most = -1;
  for (const DataFile& file : data_files(DataKind::kHardware)) {
    const std::vector<std::string> name = device_words(file.name);
    if (model.empty() || !contains(name, model)) continue;
    HardwareProfile profile = read_profile_file(file.path, sources);
    if (!agrees(profile, machine)) continue;
    const auto shared = std::ranges::count_if(
        wanted, [&](const std::string& word) { return contains(name, word); });
    if (shared <= most) continue;
    most = shared;
    best = std::move(profile);
  }
  if (best) return *best;
  bad_value("--like",
            device.empty() ? "no name of a device" : "no shipped profile of " + in_quotes(device),
            "the profile whose architecture and kernels hold here, see `list hardware`",
            "the samples are kept; --from with --probe none fits them without measuring");
}

}  // namespace ooc
