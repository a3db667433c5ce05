// Rates of kernels are those beyond the launch, as efficiencies are of them. What the profile keeps is read off the profile
// as predictions will read it.
#include "calibrate/session/calibration_json.hpp"

#include <algorithm>
#include <utility>

#include "calibrate/fit/compute_fit.hpp"
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

struct Operations {
  std::string name;
  const char* unit = "";
  std::vector<WorkPoint> points;
  std::string efficiency;  ///< the profile's name of it
  double full = 0;         ///< the rate that it is a share of
};

std::vector<Operations> operations_of(const ReportInput& input) {
  std::vector<Operations> all;
  for (const GemmFit& gemm : input.calibration.gemms) {
    all.push_back({"matrix product " + gemm.dtype, "FLOP", gemm.points, "linear", gemm.peak});
  }
  if (!input.calibration.kernels.empty()) {
    const auto near = static_cast<double>(input.profile.near_memory.throughput.count());
    all.push_back({"element-wise, norm and pool", "B", input.calibration.kernels, "memory", near});
  }
  for (const LayerTimes& layer : input.calibration.layers) {
    const double peak =
        input.calibration.gemm(layer.dtype) ? input.calibration.gemm(layer.dtype)->peak : 0;
    const std::string name = "convolution " + layer.pass + " " + layer.dtype;
    const auto same = [&](const Operations& each) { return each.name == name; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(found, {name, "FLOP", {}, "conv", peak});
    for (const WorkPoint& point : work_points({{.work = layer.flops, .times_ns = layer.times_ns}},
                                              input.calibration.launch_ns())) {
      found->points.push_back(point);
    }
  }
  return all;
}

void put_operations(JsonWriter& json, const Operations& kind, const HardwareProfile& profile) {
  json.member("kind", kind.name).member("unit", kind.unit);
  json.objects("points", kind.points, [&](const WorkPoint& point) {
    json.member("work", point.work).member("per_s", point.rate).member("kernels", point.kernels);
  });
  const auto efficiency = profile.efficiency.find(kind.efficiency);
  json.begin_list("kept");
  if (efficiency != profile.efficiency.end() && kind.full > 0) {
    for (const WorkPoint& point : kind.points) {
      json.begin_object().member("work", point.work);
      json.member("per_s", kind.full * efficiency->second.at(point.work)).end();
    }
  }
  json.end();
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
  json.objects("operations", operations_of(input),
               [&](const Operations& kind) { put_operations(json, kind, input.profile); });
  json.member("assumed", input.profile.assumed).member("remarks", input.remarks).end();
  return text;
}

}  // namespace ooc
