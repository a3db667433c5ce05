// Where the options of single schedules are kept.
#include "simulator/schedules/schedule_options.hpp"

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

}  // namespace ooc
