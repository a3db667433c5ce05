// What was measured of each size, and what the profile keeps of it.
#include "calibrate/session/calibration_json.hpp"

#include <utility>

#include "model/base/json_writer.hpp"

namespace ooc {
namespace {

void put_copy(JsonWriter& json, const CopyFit& copy) {
  json.member("mode", copy.mode).member("direction", copy.direction);
  json.member("kept", copy.fit.is_curve() ? "curve" : "line");
  json.objects("sizes", copy.fit.sizes, [&](const SizeFit& size) {
    json.member("bytes", size.bytes).member("median_ns", size.times.median);
    json.member("kept_ns", time_of(copy.fit.kept, size.bytes));
  });
}

}  // namespace

std::string calibration_json(const ReportInput& input, std::string_view version,
                             const std::vector<std::string>& command) {
  std::string text;
  JsonWriter json(text, JsonLayout::kCompact);
  json.begin_object().member("format", "ooc-paleo/calibration").member("version", 1);
  json.begin_object("tool").member("version", version).member("command", command).end();
  json.member("profile", input.profile.name).member("date", input.set.date);
  json.member("backend", input.set.backend).member("samples", input.set.count());
  json.objects("copies", input.calibration.copies,
               [&](const CopyFit& copy) { put_copy(json, copy); });
  json.member("assumed", input.profile.assumed).member("remarks", input.remarks).end();
  return text;
}

}  // namespace ooc
