#include "calibrate/fit/fit_provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/base/errors.hpp"
#include "model/kernels/parameter_fields.hpp"

namespace ooc {
namespace {

constexpr double kErrorDigits = 1e3;

double three_digits(double error) { return std::round(error * kErrorDigits) / kErrorDigits; }

std::string section_of(const std::string& path) { return path.substr(0, path.find('.')); }

Provenance* entry_of(Architecture& architecture, const std::string& fields) {
  const auto found = std::find_if(architecture.provenance.begin(), architecture.provenance.end(),
                                  [&](const Provenance& entry) { return entry.fields == fields; });
  return found == architecture.provenance.end() ? nullptr : &*found;
}

/// The entry that answers for the number.
Provenance* governing(Architecture& architecture, const std::string& path) {
  Provenance* own = entry_of(architecture, path);
  return own != nullptr ? own : entry_of(architecture, section_of(path));
}

/// Notes the numbers of one fit in one architecture.
class Notes {
 public:
  Notes(const FitSource& source, FitNote note, Architecture& architecture)
      : source_(source), note_(note), architecture_(architecture) {}

  void add(const StageFit& stage, const FittedNumber& number) {
    Provenance* entry = governing(architecture_, number.path);
    const bool in_place =
        note_ == FitNote::kInPlace && entry != nullptr && entry->kind == ProvenanceKind::kFitted;
    if (!in_place) return set_own(stage, number);
    const bool own = entry->fields == number.path;
    // A section's entry is about the first stage that fits numbers of it.
    if (!own && !sections_.insert(entry->fields).second) return;
    entry->rows = static_cast<std::int64_t>(own ? number.rows : stage.rows);
    entry->error = three_digits(own ? number.error : stage.after);
  }

 private:
  void set_own(const StageFit& stage, const FittedNumber& number) {
    Provenance* entry = entry_of(architecture_, number.path);
    if (entry == nullptr) entry = &architecture_.provenance.emplace_back();
    *entry = {.fields = number.path,
              .kind = ProvenanceKind::kFitted,
              .source = fmt::format("{} rows of {}", stage.name, source_.table),
              .date = source_.date,
              .inherits = {},
              .rows = static_cast<std::int64_t>(number.rows),
              .error = three_digits(number.error)};
  }

  const FitSource& source_;
  FitNote note_;
  Architecture& architecture_;
  std::set<std::string> sections_;
};

/// "pascal.simt.generation" -> "pascal".
std::string giver_of(const Provenance& entry) {
  return entry.inherits.substr(0, entry.inherits.find('.'));
}

[[noreturn]] void fail(const Architecture& heir, const Provenance& entry,
                       const std::string& expected) {
  throw SpecError({.file = heir.name + ".json",
                   .place = "/provenance, " + entry.fields,
                   .found = "inherits " + in_quotes(entry.inherits),
                   .expected = expected,
                   .hint = {}});
}

void inherit_one(const Provenance& entry, ArchitectureParameters giver, Architecture& heir) {
  const std::string from = entry.inherits.substr(entry.inherits.find('.') + 1);
  if (find_parameter_field(from) == nullptr || find_parameter_field(entry.fields) == nullptr) {
    fail(heir, entry, "the path of a number");
  }
  fit_number(heir.parameters, entry.fields) = fit_number(giver, from);
}

void inherit_section(const Provenance& entry, ArchitectureParameters giver, Architecture& heir) {
  const bool tensor = giver.tensor.has_value() && heir.parameters.tensor.has_value();
  for (const ParameterField& field : parameter_fields()) {
    const std::string path = field.section.empty()
                                 ? std::string(field.name)
                                 : fmt::format("{}.{}", field.section, field.name);
    const bool own = entry.fields != path && entry_of(heir, path) != nullptr;
    const bool named = entry.fields == path || entry.fields == field.section;
    if (named && !own && (tensor || field.section != "tensor")) {
      field.of(heir.parameters) = field.of(giver);
    }
  }
  if (entry.fields == "recurrent") {
    heir.parameters.recurrent.step_seconds = giver.recurrent.step_seconds;
  }
}

}  // namespace

void take_over(const OperationsFit& fit, const FitSource& source, FitNote note,
               Architecture& architecture) {
  Notes notes(source, note, architecture);
  architecture.parameters = fit.architectures.at(architecture.name);
  for (const StageFit& stage : fit.stages) {
    for (const FittedNumber& number : stage.numbers) {
      if (number.told.contains(architecture.name)) notes.add(stage, number);
    }
  }
}

void inherit_numbers(Architectures& architectures) {
  // Who takes over may be taken over from: as many rounds as the longest such chain has links suffice.
  for (std::size_t round = 0; round < architectures.size(); ++round) {
    for (auto& [name, heir] : architectures) {
      for (const Provenance& entry : heir.provenance) {
        if (entry.inherits.empty()) continue;
        const auto giver = architectures.find(giver_of(entry));
        if (giver == architectures.end()) fail(heir, entry, "an architecture of the same folder");
        const bool whole = entry.inherits.find('.') == std::string::npos;
        (whole ? inherit_section : inherit_one)(entry, giver->second.parameters, heir);
      }
    }
  }
}

}  // namespace ooc
