// Commas without quotes: names of GPUs have none. Columns may come in any order; those that a kind
// does not use may be empty or absent.
#include "calibrate/fit/operations_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "model/base/decimal.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

constexpr double kMillisecond = 1e-3;
constexpr double kLargest = 1e15;  // sizes and bytes: products of them stay numbers

std::vector<std::string_view> split(std::string_view line, char by) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find(by, begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

constexpr std::array<std::string_view, 31> kColumns{
    "gpu",      "source",   "kind",   "dtype",    "pass",    "ms",       "cudnn",    "selection",
    "batch",    "channels", "height", "width",    "filters", "kernel_h", "kernel_w", "stride_h",
    "stride_w", "pad_h",    "pad_w",  "groups",   "m",       "n",        "k",        "count",
    "cell",     "hidden",   "steps",  "features", "bytes",   "depth",    "note"};

class Row {
 public:
  Row(const std::vector<std::string_view>& header, std::string_view line, const std::string& file,
      std::size_t number)
      : header_(header), fields_(split(line, ',')), file_(file), number_(number) {
    if (fields_.size() != header.size()) {
      fail("", fmt::format("{} fields", fields_.size()),
           fmt::format("{} as in the header", header.size()));
    }
  }

  [[nodiscard]] std::string_view text(std::string_view column) const {
    const auto found = std::find(header_.begin(), header_.end(), column);
    return found == header_.end() ? std::string_view()
                                  : fields_[static_cast<std::size_t>(found - header_.begin())];
  }

  /// A number above 0.
  [[nodiscard]] double number(std::string_view column) const {
    const std::string_view field = text(column);
    const auto decimal = read_decimal(field);
    const bool whole = decimal && decimal->length == field.size();
    const std::optional<double> value = whole ? nearest_double(field, 0) : std::nullopt;
    if (!value || !(*value > 0) || *value > kLargest) {
      fail(column, field.empty() ? "nothing" : fmt::format("\"{}\"", field), "a number above 0");
    }
    return *value;
  }

  [[nodiscard]] std::int64_t count(std::string_view column) const {
    const double value = number(column);
    const auto rounded = static_cast<std::int64_t>(value);
    if (static_cast<double>(rounded) != value || value > 1e9) {
      fail(column, fmt::format("\"{}\"", text(column)), "a whole number from 1 to 10^9");
    }
    return rounded;
  }

  [[nodiscard]] std::int64_t count_or(std::string_view column, std::int64_t otherwise) const {
    const std::string_view field = text(column);
    if (field.empty()) return otherwise;
    if (field == "0" && otherwise == 0) return 0;
    return count(column);
  }

  template <class Value, std::size_t kCount>
  [[nodiscard]] Value choice(
      std::string_view column,
      const std::array<std::pair<std::string_view, Value>, kCount>& words) const {
    const std::string_view field = text(column);
    std::string known;
    for (const auto& [word, value] : words) {
      if (field == word) return value;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
    }
    fail(column, field.empty() ? "nothing" : fmt::format("\"{}\"", field), "one of " + known);
  }

  [[noreturn]] void fail(std::string_view column, std::string found, std::string expected) const {
    throw SpecError({.file = file_,
                     .place = column.empty() ? fmt::format("line {}", number_)
                                             : fmt::format("line {}, {}", number_, column),
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = {}});
  }

 private:
  const std::vector<std::string_view>& header_;
  std::vector<std::string_view> fields_;
  const std::string& file_;
  std::size_t number_;
};

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

ConvolutionDim dim_of(const Row& row, std::string_view size, std::string_view suffix) {
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

ConvolutionShape shape_of(const Row& row) {
  ConvolutionShape shape{.channels = row.count("channels"),
                         .filters = row.count("filters"),
                         .groups = row.count_or("groups", 1),
                         .dims = {dim_of(row, "height", "h"), dim_of(row, "width", "w")}};
  if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
    row.fail("groups", fmt::format("{}", shape.groups), "a divisor of channels and filters");
  }
  return shape;
}

std::pair<int, int> version_of(const Row& row) {
  const std::string_view field = row.text("cudnn");
  if (field.empty()) return {9, 0};
  std::pair<int, int> version{0, 0};
  const std::vector<std::string_view> parts = split(field, '.');
  const auto read = [&](std::string_view digits, int& into) {
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), into);
    if (end.ec != std::errc() || end.ptr != digits.data() + digits.size()) {
      row.fail("cudnn", fmt::format("\"{}\"", field), "a version such as 7.6");
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

void read_sizes(const Row& row, MeasuredOperation& operation, Hash& hash) {
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

MeasuredOperation operation_of(const Row& row) {
  MeasuredOperation operation;
  operation.gpu = std::string(row.text("gpu"));
  if (operation.gpu.empty()) row.fail("gpu", "nothing", "the name of a GPU");
  operation.source = std::string(row.text("source"));
  operation.kind = row.choice("kind", kKinds);
  operation.pass = row.choice("pass", kPasses);
  const std::string_view dtype = row.text("dtype");
  const auto known = find_dtype(dtype.empty() ? "float32" : dtype);
  if (!known) row.fail("dtype", fmt::format("\"{}\"", dtype), "float32, tf32, float16, ...");
  operation.dtype = *known;
  operation.cudnn = version_of(row);
  operation.heuristic = row.choice("selection", kSelections);
  operation.seconds = row.number("ms") * kMillisecond;
  Hash hash;
  read_sizes(row, operation, hash);
  operation.shape_hash = hash.value();
  return operation;
}

void check_header(const std::vector<std::string_view>& header, const std::string& file) {
  const auto complain = [&](std::string found, std::string expected) {
    throw SpecError({.file = file,
                     .place = "line 1",
                     .found = std::move(found),
                     .expected = std::move(expected),
                     .hint = "docs/calibration.md, \"Tables of operations\", lists the columns"});
  };
  for (const std::string_view column : header) {
    if (std::find(kColumns.begin(), kColumns.end(), column) == kColumns.end()) {
      complain(fmt::format("unknown column {}", in_quotes(column)), "a known column");
    }
  }
  for (const std::string_view needed : {"gpu", "kind", "ms"}) {
    if (std::find(header.begin(), header.end(), needed) == header.end()) {
      complain("a header without it", fmt::format("a column \"{}\"", needed));
    }
  }
}

}  // namespace

std::vector<MeasuredOperation> read_operations(std::string_view text, const std::string& file) {
  std::vector<MeasuredOperation> operations;
  std::vector<std::string_view> header;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (header.empty()) {
      header = split(line, ',');
      check_header(header, file);
      continue;
    }
    operations.push_back(operation_of(Row(header, line, file, number)));
  }
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
