// Where the options of single schedules are kept, and how a schedule refuses a value.
#include "simulator/schedules/schedule_options.hpp"

#include <utility>

#include "model/base/errors.hpp"
#include "simulator/schedules/own_options.hpp"

namespace ooc {
namespace {

const OwnOptions kDefaults;

}  // namespace

// Counted by nobody: making and copying options that were not changed takes no memory and no lock.
OwnPart::OwnPart() : options_(std::shared_ptr<const OwnOptions>(), &kDefaults) {}

// Always a new one: who shares the old one may be on another thread.
OwnOptions& OwnPart::change() {
  auto changed = std::make_shared<OwnOptions>(*options_);
  OwnOptions& fields = *changed;
  options_ = std::move(changed);
  return fields;
}

void option_error(std::string_view flag, std::string found, std::string expected,
                  std::string hint) {
  throw SpecError({.file = {},
                   .place = std::string(flag),
                   .found = std::move(found),
                   .expected = std::move(expected),
                   .hint = std::move(hint)});
}

}  // namespace ooc
