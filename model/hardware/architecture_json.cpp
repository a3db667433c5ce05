// An architecture file has a number for every field of parameter_fields(), the sustained share of
// each element type it multiplies, three times, and provenance for all of them. "tensor" may be left
// out: no tensor cores; "flash" beside it: an A100's shares, assumed.
#include "model/hardware/architecture_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "model/base/quantity_io.hpp"
#include "model/hardware/profile_section.hpp"
#include "model/kernels/platform.hpp"

namespace ooc {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kLeastShare = 0.01;

struct TimeField {
  const char* section;  ///< empty at the top
  const char* name;
  double& (*of)(ArchitectureParameters&);
};

constexpr TimeField kTimes[] = {
    {"", "kernel", [](ArchitectureParameters& all) -> double& { return all.kernel_seconds; }},
    {"", "elementwise_kernel",
     [](ArchitectureParameters& all) -> double& { return all.elementwise_kernel_seconds; }},
    {"recurrent", "step",
     [](ArchitectureParameters& all) -> double& { return all.recurrent.step_seconds; }}};

/// Fused attention of other libraries than FlashAttention-2; left out: as fast.
constexpr std::array<const char*, 2> kOtherAttention{"flash_cudnn", "flash_3"};
/// Classes of cards, by rising gain.
constexpr std::array<const char*, 2> kClasses{"geforce", "workstation"};
constexpr const char* kMostGain = "most_gain";
constexpr double kLargestGain = 64;

/// The fields of one section, and no others.
void read_section(const ProfileSection& section, std::string_view name,
                  ArchitectureParameters& parameters) {
  for (const ParameterField& field : parameter_fields()) {
    if (field.section != name) continue;
    field.of(parameters) = section.number(field.name).as_ratio(field.lowest, field.highest);
  }
  for (const TimeField& field : kTimes) {
    if (field.section != name) continue;
    const Duration time = section.number(field.name).as_duration();
    field.of(parameters) = static_cast<double>(time.count()) / kNsPerSecond;
  }
  if (!name.empty()) section.view().reject_unknown_keys();
}

using Shares = std::array<double, kDtypes.size()>;

void read_shares(const ProfileSection& section, Shares& shares) {
  for (const auto& [name, value] : section.numbers()) {
    if (name == kMostGain) continue;
    const std::optional<Dtype> dtype = find_dtype(name);
    if (!dtype) {
      value.fail(fmt::format("unknown key \"{}\"", name),
                 "float64, float32, tf32, float16, bfloat16 or float8");
    }
    shares[static_cast<std::size_t>(*dtype)] = value.as_ratio(kLeastShare, 1);
  }
  if (!(shares[static_cast<std::size_t>(Dtype::kFloat32)] > 0)) (void)section.view().get("float32");
}

void put_shares(SpecNode& node, const Shares& shares) {
  for (const DtypeInfo& info : kDtypes) {
    const double share = shares[static_cast<std::size_t>(info.dtype)];
    if (share > 0) put(node, std::string(info.name), number_node(share));
  }
}

}  // namespace

Architecture read_architecture(const SpecDocument& document) {
  return read_architecture(SpecView(document));
}

Architecture read_architecture(const SpecView& view) {
  check_format(view, "ooc-paleo/architecture",
               {{"ooc-paleo/hardware-profile",
                 "this is a machine: its \"compute.architecture\" names such a file"}});
  ProfileReading reading;
  const std::vector<ProfileNumber>& numbers = reading.numbers;
  const ProfileSection root(view, "", reading);
  Architecture architecture;
  const SpecView name = view.get("name");
  architecture.name = name.as_text();
  if (architecture.name.empty()) name.fail(name.found(), "a name");
  if (const auto text = view.find("description")) architecture.description = text->as_text();
  ArchitectureParameters& parameters = architecture.parameters;
  read_section(root, "", parameters);
  read_shares(root.part("sustained"), parameters.sustained);
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    if (!view.find(kClasses[i])) continue;
    const ProfileSection cards = root.part(kClasses[i]);
    parameters.classes[i].most_gain = cards.number(kMostGain).as_ratio(1, kLargestGain);
    read_shares(cards, parameters.classes[i].sustained);
  }
  read_section(root.part("simt"), "simt", parameters);
  if (view.find("tensor")) {
    parameters.tensor.emplace();
    read_section(root.part("tensor"), "tensor", parameters);
  }
  const std::optional<SpecView> flash = view.find("flash");
  if (flash && !parameters.tensor) flash->fail("rates of tensor cores", "\"tensor\" beside it");
  if (flash) read_section(root.part("flash"), "flash", parameters);
  parameters.flash.fill(parameters.flash.front());
  for (const std::string section : kOtherAttention) {
    if (view.find(section)) read_section(root.part(section), section, parameters);
  }
  read_section(root.part("recurrent"), "recurrent", parameters);
  const SpecView provenance = view.get("provenance");
  view.reject_unknown_keys();
  architecture.provenance = read_provenance(provenance, numbers);
  architecture.assumed = assumed_fields(architecture.provenance, numbers);
  if (parameters.tensor && !flash) {
    architecture.assumed.emplace_back("flash");
    // As it will be written, which says all numbers.
    architecture.provenance.push_back(
        {.fields = "flash", .source = "not said: the shares of an A100"});
  }
  return architecture;
}

SpecNode architecture_node(const Architecture& architecture) {
  ArchitectureParameters parameters = architecture.parameters;
  const auto fill = [&](SpecNode& node, std::string_view section) {
    for (const ParameterField& field : parameter_fields()) {
      if (field.section == section)
        put(node, std::string(field.name), number_node(field.of(parameters)));
    }
    for (const TimeField& field : kTimes) {
      if (field.section != section) continue;
      const std::int64_t ns = std::llround(field.of(parameters) * kNsPerSecond);
      put(node, field.name, text_node(exact_duration(Duration(ns))));
    }
  };
  SpecNode root = object_node({});
  put(root, "$schema", text_node("architecture.schema.json"));
  put(root, "format", text_node("ooc-paleo/architecture"));
  put(root, "version", integer_node(1));
  put(root, "name", text_node(architecture.name));
  if (!architecture.description.empty()) {
    put(root, "description", text_node(architecture.description));
  }
  fill(root, "");
  SpecNode sustained = object_node({});
  put_shares(sustained, parameters.sustained);
  put(root, "sustained", std::move(sustained));
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    if (parameters.classes[i] == CardClass{}) continue;
    SpecNode cards = object_node({});
    put(cards, kMostGain, number_node(parameters.classes[i].most_gain));
    put_shares(cards, parameters.classes[i].sustained);
    put(root, kClasses[i], std::move(cards));
  }
  for (const std::string section :
       {"simt", "tensor", "flash", "flash_cudnn", "flash_3", "recurrent"}) {
    if ((section == "tensor" || section.starts_with("flash")) && !parameters.tensor) continue;
    const auto library = std::ranges::find(kOtherAttention, section);
    if (library != kOtherAttention.end() &&
        parameters.flash[static_cast<std::size_t>(library - kOtherAttention.begin()) + 1] ==
            parameters.flash.front()) {
      continue;
    }
    SpecNode node = object_node({});
    fill(node, section);
    put(root, section, std::move(node));
  }
  put(root, "provenance", provenance_node(architecture.provenance));
  return root;
}

// A name is a file's without its end. Beside the profile first, so that one's own go before the shipped ones.

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileEnd = ".json";
constexpr std::string_view kSchemaEnd = ".schema.json";

/// Best first.
std::vector<std::string> folders_for(const std::string& profile_file,
                                     const ProfileSources& sources) {
  std::vector<std::string> folders{
      (fs::path(profile_file).parent_path() / "architectures").string()};
  folders.insert(folders.end(), sources.architecture_folders.begin(),
                 sources.architecture_folders.end());
  return folders;
}

bool is_plain(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
}

}  // namespace

std::vector<std::string> data_names_in(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (const std::string& folder : folders) {
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (!name.ends_with(kFileEnd) || name.ends_with(kSchemaEnd)) continue;
      names.push_back(name.substr(0, name.size() - kFileEnd.size()));
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::string> data_file_in(const std::vector<std::string>& folders,
                                        const std::string& name) {
  for (const std::string& folder : folders) {
    const fs::path file = fs::path(folder) / (name + std::string(kFileEnd));
    std::error_code ignored;
    if (fs::exists(file, ignored)) return file.string();
  }
  return std::nullopt;
}

std::vector<std::string> known_architectures(const std::string& profile_file,
                                             const ProfileSources& sources) {
  return data_names_in(folders_for(profile_file, sources));
}

std::optional<std::string> find_architecture(const std::string& name,
                                             const std::string& profile_file,
                                             const ProfileSources& sources) {
  return is_plain(name) ? data_file_in(folders_for(profile_file, sources), name) : std::nullopt;
}

}  // namespace ooc
