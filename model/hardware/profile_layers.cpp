// Reader of "compute.layers": times of convolutions that were measured, every algorithm with its
// workspace (docs/formats.md, 3). The list as a
// whole is one number to provenance.
#include <fmt/format.h>

#include <algorithm>

#include "model/hardware/profile_section.hpp"

namespace ooc {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

std::int64_t size_of(const SpecView& view, const char* key) {
  return view.get(key).as_integer(1, kLargestSize);
}

std::int64_t size_or(const SpecView& view, const std::string& key, std::int64_t least,
                     std::int64_t usual) {
  const auto value = view.find(key);
  return value ? value->as_integer(least, kLargestSize) : usual;
}

ConvolutionDim read_dim(const SpecView& view, const char* size, const std::string& end) {
  ConvolutionDim dim;
  const SpecView kernel = view.get("kernel_" + end);
  dim.input = size_of(view, size);
  dim.kernel = kernel.as_integer(1, kLargestSize);
  dim.stride = size_or(view, "stride_" + end, 1, 1);
  dim.dilation = size_or(view, "dilation_" + end, 1, 1);
  dim.padding = 2 * size_or(view, "pad_" + end, 0, 0);
  const Int128 extent = Int128{dim.dilation} * (dim.kernel - 1) + 1;
  const Int128 free = Int128{dim.input} + dim.padding - extent;
  if (free < 0) kernel.fail(kernel.found(), "a kernel within the padded input");
  dim.output = static_cast<std::int64_t>(free / dim.stride) + 1;
  return dim;
}

ConvolutionShape read_shape(const SpecView& view) {
  ConvolutionShape shape;
  shape.channels = size_of(view, "channels");
  shape.filters = size_of(view, "filters");
  shape.dims = {read_dim(view, "height", "h"), read_dim(view, "width", "w")};
  if (const auto groups = view.find("groups")) {
    shape.groups = groups->as_integer(1, kLargestSize);
    if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
      groups->fail(groups->found(), "a divisor of both channels and filters");
    }
  }
  return shape;
}

ConvolutionPass read_pass(const SpecView& view) {
  const std::string pass = view.as_choice({"forward", "backward_data", "backward_weights"});
  if (pass == "forward") return ConvolutionPass::kForward;
  return pass == "backward_data" ? ConvolutionPass::kBackwardData
                                 : ConvolutionPass::kBackwardWeights;
}

Dtype read_dtype(const SpecView& view) {
  std::vector<std::string> names;
  for (const DtypeInfo& info : kDtypes) names.emplace_back(info.name);
  return *find_dtype(view.as_choice(names));
}

MeasuredAlgorithm read_algorithm(const SpecView& view) {
  const SpecView name = view.get("algorithm");
  const SpecView time = view.get("time");
  const MeasuredAlgorithm algorithm{
      .algorithm =
          *find_algorithm(name.as_choice({kAlgorithmNames.begin(), kAlgorithmNames.end()})),
      .time = time.as_duration(),
      .workspace = view.get("workspace").as_bytes()};
  if (algorithm.time.count() <= 0) time.fail(time.found(), "more than nothing");
  view.reject_unknown_keys();
  return algorithm;
}

MeasuredLayer read_layer(const SpecView& view) {
  MeasuredLayer layer;
  (void)view.get("kind").as_choice({"conv"});
  layer.pass = read_pass(view.get("pass"));
  layer.dtype = read_dtype(view.get("dtype"));
  layer.batch = view.get("batch").as_integer(1, kMaxBatch);
  layer.shape = read_shape(view);
  const SpecView algorithms = view.get("algorithms");
  for (const SpecView& each : algorithms.items()) layer.algorithms.push_back(read_algorithm(each));
  if (layer.algorithms.empty()) algorithms.fail("nothing", "at least one algorithm");
  view.reject_unknown_keys();
  return layer;
}

}  // namespace

void read_layers(const ProfileSection& compute, HardwareProfile& profile) {
  const std::optional<SpecView> list = compute.optional_number("layers");
  if (!list) return;
  for (const SpecView& item : list->items()) {
    MeasuredLayer layer = read_layer(item);
    const auto same = [&](const MeasuredLayer& other) {
      return other.pass == layer.pass && other.dtype == layer.dtype && other.batch == layer.batch &&
             other.shape == layer.shape;
    };
    if (std::any_of(profile.layers.begin(), profile.layers.end(), same)) {
      item.fail("the same shape, pass, dtype and batch again", "each of them once");
    }
    profile.layers.push_back(std::move(layer));
  }
}

}  // namespace ooc
