// Parts of the profile reader, and a view that records the dotted path of each number it reads, for provenance.
#pragma once

#include <functional>
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

/// Numbers and errors collected from all sections of one file.
struct ProfileReading {
  std::vector<ProfileNumber> numbers;
  ErrorCollector errors;
};

/// Object of the file with its dotted path. Records every number read from it.
class ProfileSection {
 public:
  ProfileSection(SpecView view, std::string path, ProfileReading& reading)
      : view_(std::move(view)), path_(std::move(path)), reading_(&reading) {}

  /// Runs `read`. If it throws SpecError, collects the error and returns false, so that later fields are still read.
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
  /// Sets `field` if the key is there, to what `how` makes of it: SpecView::as_duration, or a function of a SpecView.
  template <class Field, class How, class... Limits>
  void take(std::string_view key, Field& field, How how, Limits... limits) const {
    const auto value = optional_number(key);
    if (value) field = static_cast<Field>(std::invoke(how, *value, limits...));
  }
  // As take, with errors collected; `read` collects an error if the key is missing, too.
  template <class Field, class... How>
  void read_if(std::string_view key, Field& field, How... how) const {
    (void)attempt([&] { take(key, field, how...); });
  }
  template <class Field, class How, class... Limits>
  bool read(std::string_view key, Field& field, How how, Limits... limits) const {
    return attempt([&] { field = static_cast<Field>(std::invoke(how, number(key), limits...)); });
  }
  /// Returns all members with their keys, and records each as a number.
  [[nodiscard]] std::vector<std::pair<std::string, SpecView>> numbers() const {
    std::vector<std::pair<std::string, SpecView>> members = view_.members();
    for (const auto& [key, value] : members) note(key, value);
    return members;
  }
  /// Collects an error for an unknown key, unless errors() > errors_before: a misspelt key was reported as missing.
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

/// Returns the items of a list of two; throws SpecError for other values. `what`: what is expected, for the message.
[[nodiscard]] std::vector<SpecView> pair_of(const SpecView& view, const char* what);
/// Returns the points of {"curve": [...]}. Throws SpecError for other keys, and for fewer than `fewest` points.
[[nodiscard]] std::vector<SpecView> curve_points(const SpecView& view, std::size_t fewest);
[[nodiscard]] Bytes size_above_zero(const SpecView& view);
[[nodiscard]] Ratio read_ratio(const SpecView& view, double lowest, double highest);

/// Reads "compute": peak, cudnn; and architecture, multiprocessors, sustained, or else efficiency, kernel_launch.
void read_compute(const ProfileSection& compute, const ProfileSources& sources,
                  HardwareProfile& profile);
/// Reads "compute.architecture", "compute.multiprocessors" and "compute.sustained".
void read_kernel_units(const ProfileSection& compute, const ProfileSources& sources,
                       HardwareProfile& profile);
/// Returns the type called `name`. Throws SpecError at `value` if there is none.
[[nodiscard]] Dtype dtype_named(const std::string& name, const SpecView& value);
/// Returns (4, 0) for "4" and (5, 1) for "5.1"; unset for texts that are no such version.
[[nodiscard]] std::optional<std::pair<int, int>> parse_library_version(std::string_view text);
/// Reads "far_memory". Without "reserved" in the file 0 bytes are reserved.
[[nodiscard]] MemoryTier read_far_memory(const ProfileSection& section);
/// Reads "connection" into `profile`. Precondition: both memories of `profile` have been read.
void read_connection(const ProfileSection& section, HardwareProfile& profile);

}  // namespace ooc
