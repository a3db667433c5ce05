// Reader of what names a machine's kernels: "architecture" is a name or the architecture itself.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "model/base/suggest.hpp"
#include "model/hardware/architecture_json.hpp"
#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostMultiprocessors = 100'000;
constexpr double kLeastShare = 0.01;
constexpr std::string_view kFileEnd = ".json";
constexpr std::string_view kSchemaEnd = ".schema.json";

/// Best first.
std::vector<fs::path> folders_for(const std::string& file, const ProfileSources& sources) {
  std::vector<fs::path> folders{fs::path(file).parent_path() / "architectures"};
  folders.insert(folders.end(), sources.architecture_folders.begin(),
                 sources.architecture_folders.end());
  return folders;
}

std::vector<std::string> names_in(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.ends_with(kFileEnd) || name.ends_with(kSchemaEnd)) continue;
      names.push_back(name.substr(0, name.size() - kFileEnd.size()));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Architecture read_named(const SpecView& view, const ProfileSources& sources) {
  const std::string name = view.as_text();
  const bool plain =
      !name.empty() &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
  const std::vector<fs::path> folders = folders_for(view.file(), sources);
  for (const fs::path& folder : folders) {
    const fs::path file = folder / (name + std::string(kFileEnd));
    std::error_code ignored;
    if (plain && fs::exists(file, ignored)) {
      return read_architecture_file(file.string(), sources.limits);
    }
  }
  const std::vector<std::string> known = names_in(folders);
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
  (void)compute.attempt([&] {
    units.multiprocessors =
        static_cast<int>(compute.number("multiprocessors").as_integer(1, kMostMultiprocessors));
  });
  (void)compute.attempt([&] {
    if (!compute.view().find("sustained")) return;
    for (const auto& [name, value] : compute.part("sustained").numbers()) {
      units.sustained[dtype_named(name, value)] = value.as_ratio(kLeastShare, 1);
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
