// Shapes at two batches, fusion, layers, text.
#include "model/onnx/import_onnx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "model/base/json_writer.hpp"
#include "model/onnx/onnx_model.hpp"

namespace ooc {
namespace {

/// The type of the weights.
std::string_view dtype_of(const OnnxModel& model) {
  for (const auto& [name, weight] : model.weights) {
    if (!is_floating(weight.type) || elements(weight.dims) < 2) continue;
    return weight.type == kOnnxHalf ? "float16" : weight.type == kOnnxBfloat16 ? "bfloat16" : weight.type == kOnnxDouble ? "float64" : "float32";
  }
  return "float32";
}

bool names_size(const OnnxModel& model, const std::string& symbol) {
  return std::ranges::any_of(model.inputs, [&](const OnnxValue& input) {
    const std::vector<OnnxDim> dims = input.dims.value_or(std::vector<OnnxDim>{});
    return std::ranges::any_of(dims, [&](const OnnxDim& dim) { return dim.symbol == symbol; });
  });
}

}  // namespace

SpecDocument import_onnx(const std::string& path, NetworkOptions& options) {
  std::ifstream bytes(path, std::ios::binary);
  return import_onnx(bytes, path, options);
}

SpecDocument import_onnx(std::istream& bytes, const std::string& path, NetworkOptions& options) {
  OnnxModel model = read_onnx_model(bytes, path, options.limits);
  const auto fixed = fixed_batch(model);
  OnnxShapes shapes{.batch = fixed.value_or(2), .other_batch = fixed ? 2 * *fixed : 3};
  shapes.one = infer_shapes(model, options.symbols, shapes.batch, nullptr);
  shapes.other = infer_shapes(model, options.symbols, shapes.other_batch, fixed ? &shapes.one : nullptr);
  std::erase_if(options.symbols, [&](const SymbolValue& each) { return names_size(model, each.name); });
  fuse_nodes(model, shapes.one, options.kernels != ImportKernels::kEager);
  const TranslatedNetwork network = translate_nodes(model, shapes);
  const std::string source = fmt::format("ONNX, opset {}{}{}", model.opset, model.producer.empty() ? "" : ", by ", model.producer);
  std::string file = fmt::format(R"({{"$schema": "network.schema.json", "format": "ooc-paleo/network", "version": 1, "name": {}, "source": {}, )",
                                 json_string(std::filesystem::path(path).stem().string()), json_string(source));
  if (!network.remark.empty()) file += fmt::format(R"("description": {}, )", json_string(network.remark));
  file += fmt::format("\"dtype\": \"{}\",\n{}}}", dtype_of(model), network.json);
  return read_spec_text(file, path, {.max_bytes = std::int64_t{1} << 30});
}

}  // namespace ooc
