// Columns that a kind does not use may be empty or absent.
#include "calibrate/fit/operations_csv.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "calibrate/fit/csv_table.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kMillisecond = 1e-3;

constexpr std::array<std::string_view, 31> kColumns{
    "gpu",      "source",   "kind",   "dtype",    "pass",    "ms",       "cudnn",    "selection",
    "batch",    "channels", "height", "width",    "filters", "kernel_h", "kernel_w", "stride_h",
    "stride_w", "pad_h",    "pad_w",  "groups",   "m",       "n",        "k",        "count",
    "cell",     "hidden",   "steps",  "features", "bytes",   "depth",    "note"};
constexpr std::array<std::string_view, 2> kNeeded{"kind", "ms"};

constexpr std::array<std::pair<std::string_view, OperationKind>, 4> kKinds{
    {{"conv", OperationKind::kConvolution},
     {"product", OperationKind::kProduct},
     {"recurrent", OperationKind::kRecurrent},
     {"streaming", OperationKind::kStreaming}}};
constexpr std::array<std::pair<std::string_view, OperationPass>, 5> kPasses{
    {{"", OperationPass::kForward},
     {"forward", OperationPass::kForward},
     {"backward_data", OperationPass::kBackwardData},
     {"backward_weights", OperationPass::kBackwardWeights},
     {"backward", OperationPass::kBackward}}};
constexpr std::array<std::pair<std::string_view, RecurrentCellKind>, 3> kCells{
    {{"vanilla", RecurrentCellKind::kVanilla},
     {"lstm", RecurrentCellKind::kLstm},
     {"gru", RecurrentCellKind::kGru}}};
constexpr std::array<std::pair<std::string_view, bool>, 3> kSelections{
    {{"", false}, {"timed", false}, {"heuristic", true}}};

ConvolutionDim dim_of(const CsvRow& row, std::string_view size, std::string_view suffix) {
  const auto name = [&](const char* what) { return fmt::format("{}_{}", what, suffix); };
  ConvolutionDim dim{.input = row.count(size),
                     .output = 1,
                     .kernel = row.count(name("kernel")),
                     .stride = row.count_or(name("stride"), 1)};
  const std::int64_t pad = row.count_or(name("pad"), 0);
  dim.padding = 2 * pad;
  const std::int64_t room = dim.input + dim.padding - dim.kernel;
  if (room < 0) row.fail(name("kernel"), fmt::format("{}", dim.kernel), "a kernel that fits");
  dim.output = room / dim.stride + 1;
  return dim;
}

ConvolutionShape shape_of(const CsvRow& row) {
  ConvolutionShape shape{.channels = row.count("channels"),
                         .filters = row.count("filters"),
                         .groups = row.count_or("groups", 1),
                         .dims = {dim_of(row, "height", "h"), dim_of(row, "width", "w")}};
  if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
    row.fail("groups", fmt::format("{}", shape.groups), "a divisor of channels and filters");
  }
  return shape;
}

std::pair<int, int> version_of(const CsvRow& row, std::pair<int, int> otherwise) {
  const std::string_view field = row.text("cudnn");
  if (field.empty()) return otherwise;
  std::pair<int, int> version{0, 0};
  const std::vector<std::string_view> parts = split_fields(field, '.');
  const auto read = [&](std::string_view digits, int& into) {
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    if (end.ec != std::errc() || end.ptr != digits.data() + digits.size() || into < 0) {
      row.fail("cudnn", "a version such as 7.6");
    }
  };
  read(parts[0], version.first);
  if (parts.size() > 1) read(parts[1], version.second);
  return version;
}

/// FNV-1a over the sizes.
class Hash {
 public:
  void add(double value) {
    const auto bits = static_cast<std::uint64_t>(value * 16);
    for (int shift = 0; shift < 64; shift += 8) {
      state_ = (state_ ^ ((bits >> shift) & 0xff)) * 0x100000001b3ULL;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_ ^ (state_ >> 29); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

void read_sizes(const CsvRow& row, MeasuredOperation& operation, Hash& hash) {
  hash.add(static_cast<double>(operation.kind));
  switch (operation.kind) {
    case OperationKind::kConvolution:
      operation.shape = shape_of(row);
      operation.batch = row.number("batch");
      for (const auto size : {operation.shape.channels, operation.shape.filters}) {
        hash.add(static_cast<double>(size));
      }
      for (const ConvolutionDim& dim : operation.shape.dims) {
        for (const auto size : {dim.input, dim.kernel, dim.stride, dim.padding}) {
          hash.add(static_cast<double>(size));
        }
      }
      hash.add(operation.batch);
      return;
    case OperationKind::kProduct:
      operation.product = {row.number("m"), row.number("n"), row.number("k"),
                           static_cast<double>(row.count_or("count", 1))};
      for (const double size : {operation.product.m, operation.product.n, operation.product.k,
                                operation.product.count}) {
        hash.add(size);
      }
      return;
    case OperationKind::kRecurrent:
      operation.recurrent = {.cell = row.choice("cell", kCells),
                             .hidden = row.number("hidden"),
                             .batch = row.number("batch"),
                             .steps = row.number("steps"),
                             .features = static_cast<double>(row.count_or("features", 0)),
                             .dtype = operation.dtype};
      for (const double size :
           {operation.recurrent.hidden, operation.recurrent.batch, operation.recurrent.steps,
            static_cast<double>(operation.recurrent.cell)}) {
        hash.add(size);
      }
      return;
    case OperationKind::kStreaming:
      operation.bytes = row.number("bytes");
      hash.add(operation.bytes);
      return;
  }
}

/// Frameworks' profilers time both backward passes of a convolution as one operation; of other kinds no library does.
OperationPass pass_of(const CsvRow& row, OperationKind kind) {
  const OperationPass pass = row.choice("pass", kPasses);
  const bool both = kind == OperationKind::kRecurrent || kind == OperationKind::kConvolution;
  if (pass == OperationPass::kBackward && !both) {
    row.fail("pass", "forward, backward_data or backward_weights");
  }
  return pass;
}

MeasuredOperation operation_of(const CsvRow& row, std::pair<int, int> cudnn) {
  MeasuredOperation operation;
  operation.line = row.line();
  operation.gpu = std::string(row.text("gpu"));
  operation.source = std::string(row.text("source"));
  operation.kind = row.choice("kind", kKinds);
  operation.pass = pass_of(row, operation.kind);
  const std::string_view dtype = row.text("dtype");
  const auto known = find_dtype(dtype.empty() ? "float32" : dtype);
  if (!known) row.fail("dtype", "float32, tf32, float16, bfloat16 or float64");
  operation.dtype = *known;
  operation.cudnn = version_of(row, cudnn);
  operation.heuristic = row.choice("selection", kSelections);
  operation.seconds = row.number("ms") * kMillisecond;
  Hash hash;
  read_sizes(row, operation, hash);
  operation.shape_hash = hash.value();
  return operation;
}

}  // namespace

std::vector<MeasuredOperation> read_operations(std::string_view text, const std::string& file,
                                               std::pair<int, int> cudnn) {
  std::vector<MeasuredOperation> operations;
  const CsvColumns columns{
      .known = kColumns,
      .needed = kNeeded,
      .hint = "docs/calibration.md, \"Tables of operations\", lists the columns"};
  read_csv(text, file, columns, [&](const CsvRow& row) {
    operations.push_back(operation_of(row, cudnn));
    // With names, each row has one.
    if (operations.back().gpu.empty() != operations.front().gpu.empty()) {
      row.fail("gpu", "the name of a GPU, as in the rows before");
    }
  });
  if (operations.empty()) {
    throw SpecError({.file = file,
                     .place = "the table",
                     .found = "no rows",
                     .expected = "at least one measured operation",
                     .hint = {}});
  }
  return operations;
}

}  // namespace ooc
