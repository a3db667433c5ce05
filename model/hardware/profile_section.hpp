// What the parts of the profile reader share: a view on an object that knows its dotted path and
// notes every number taken from it (for provenance), and the parts' entry points.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/spec_errors.hpp"
#include "model/base/spec_tree.hpp"
#include "model/hardware/hardware_profile.hpp"
#include "model/hardware/profile_json.hpp"
#include "model/hardware/profile_provenance.hpp"

namespace ooc {

/// What the sections of one file share.
struct ProfileReading {
  std::vector<ProfileNumber> numbers;
  ErrorCollector errors;
};

/// An object of the file with its dotted path; notes every number that is taken from it.
class ProfileSection {
 public:
  ProfileSection(SpecView view, std::string path, ProfileReading& reading)
      : view_(std::move(view)), path_(std::move(path)), reading_(&reading) {}

  /// Runs `read` and keeps what is wrong, so that the next field is read all the same; whether it went well.
  template <class Read>
  bool attempt(Read read) const {
    return reading_->errors.attempt(std::move(read));
  }
  [[nodiscard]] std::size_t errors() const { return reading_->errors.count(); }

  [[nodiscard]] const SpecView& view() const { return view_; }
  [[nodiscard]] ProfileSection part(std::string_view key) const {
    return {view_.get(key), below(key), *reading_};
  }
  [[nodiscard]] SpecView number(std::string_view key) const { return note(key, view_.get(key)); }
  [[nodiscard]] std::optional<SpecView> optional_number(std::string_view key) const {
    std::optional<SpecView> value = view_.find(key);
    if (value) note(key, *value);
    return value;
  }
  /// Members under names of the user's choice, each noted as a number.
  [[nodiscard]] std::vector<std::pair<std::string, SpecView>> numbers() const {
    std::vector<std::pair<std::string, SpecView>> members = view_.members();
    for (const auto& [key, value] : members) note(key, value);
    return members;
  }
  /// Not behind other errors of this section: a misspelt key is missing under its right name already.
  void reject_unknown_keys(std::size_t errors_before) const {
    if (errors() == errors_before) (void)attempt([&] { view_.reject_unknown_keys(); });
  }

 private:
  [[nodiscard]] std::string below(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  SpecView note(std::string_view key, const SpecView& value) const {
    reading_->numbers.push_back({below(key), value});
    return value;
  }

  SpecView view_;
  std::string path_;
  ProfileReading* reading_;
};

/// The items of a list that must be a pair.
[[nodiscard]] std::vector<SpecView> pair_of(const SpecView& view, const char* what);
/// The points of {"curve": [...]}, which has no other keys.
[[nodiscard]] std::vector<SpecView> curve_points(const SpecView& view, std::size_t fewest);
[[nodiscard]] Bytes size_above_zero(const SpecView& view);

/// "compute" -> peak; architecture, multiprocessors, sustained, or efficiency, kernel_launch; cudnn, layers.
void read_compute(const ProfileSection& compute, const ProfileSources& sources,
                  HardwareProfile& profile);
/// "compute.architecture", "compute.multiprocessors", "compute.sustained".
void read_kernel_units(const ProfileSection& compute, const ProfileSources& sources,
                       HardwareProfile& profile);
/// The type that is a key of the file; throws at `value` for a name that is none.
[[nodiscard]] Dtype dtype_named(const std::string& name, const SpecView& value);
/// "4" -> (4, 0), "5.1" -> (5, 1); none for other texts.
[[nodiscard]] std::optional<std::pair<int, int>> parse_library_version(std::string_view text);
/// "compute.layers".
void read_layers(const ProfileSection& compute, HardwareProfile& profile);
/// "far_memory".
[[nodiscard]] MemoryTier read_far_memory(const ProfileSection& section);
/// "connection"; both memory tiers must have been read.
void read_connection(const ProfileSection& section, HardwareProfile& profile);

}  // namespace ooc
