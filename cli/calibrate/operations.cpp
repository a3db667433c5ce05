// CSV without quotes: the first line that is no note (`#`) names the columns, which come in any order; those that a kind
// does not use may be empty or absent.
#include "cli/calibrate/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "model/base/errors.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/tensor_shape.hpp"
#include "model/hardware/profile_section.hpp"
#include "model/kernels/convolution.hpp"
#include "model/kernels/product.hpp"

namespace ooc {
namespace {

constexpr double kLargest = 1e15;  // products of such numbers stay numbers
constexpr double kLargestCount = 1e9;
constexpr std::string_view kColumns =
    " gpu source kind dtype pass ms cudnn selection batch channels height width filters kernel_h "
    "kernel_w stride_h stride_w pad_h pad_w groups m n k count cell hidden steps features bytes "
    "depth note ";

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::string_view field = line.substr(begin, end - begin);
    field.remove_prefix(std::min(field.find_first_not_of(" \t"), field.size()));
    fields.push_back(field.substr(0, field.find_last_not_of(" \t") + 1));
    begin = end + 1;
  }
  return fields;
}

[[noreturn]] void fail_at(const std::string& file, std::string place, std::string found,
                          std::string expected) {
  throw SpecError({file, std::move(place), std::move(found), std::move(expected),
                   "docs/calibration.md, \"Tables of operations\", lists the columns"});
}

/// One line by the names of its columns.
class Row {
 public:
  Row(const std::string& file, std::size_t line, const std::vector<std::string_view>& header,
      std::string_view text)
      : file_(file), line_(line) {
    const std::vector<std::string_view> fields = split(text);
    if (fields.size() != header.size()) {
      fail_at(file, fmt::format("line {}", line), fmt::format("{} fields", fields.size()),
              fmt::format("{} as in the header", header.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) fields_[header[i]] = fields[i];
  }

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::string text(std::string_view column, std::string_view otherwise = "") const {
    const auto found = fields_.find(column);
    const bool there = found != fields_.end() && !found->second.empty();
    return std::string(there ? found->second : otherwise);
  }
  [[nodiscard]] double number(std::string_view column) const {
    const std::string field = text(column);
    const auto decimal = read_decimal(field);
    const bool whole = decimal && decimal->length == field.size();
    const std::optional<double> value = whole ? nearest_double(field, 0) : std::nullopt;
    if (!value || !(*value > 0) || *value > kLargest) fail(column, "a number above 0");
    return *value;
  }
  [[nodiscard]] std::int64_t count(std::string_view column) const {
    const double value = number(column);
    if (value > kLargestCount || std::floor(value) != value) {
      fail(column, "a whole number from 1 to 10^9");
    }
    return static_cast<std::int64_t>(value);
  }
  /// Where nothing is written, `otherwise`, which may be written if it is 0.
  [[nodiscard]] std::int64_t count_or(std::string_view column, std::int64_t otherwise) const {
    const std::string field = text(column);
    return field.empty() || (field == "0" && otherwise == 0) ? otherwise : count(column);
  }
  /// The place among words.
  template <std::size_t kCount>
  [[nodiscard]] std::size_t choice(std::string_view column, std::string_view otherwise,
                                   const std::array<std::string_view, kCount>& words) const {
    const auto found = std::ranges::find(words, text(column, otherwise));
    if (found == words.end()) fail(column, fmt::format("one of {}", fmt::join(words, ", ")));
    return static_cast<std::size_t>(found - words.begin());
  }
  [[noreturn]] void fail(std::string_view column, std::string expected) const {
    const std::string field = text(column);
    fail_at(file_, fmt::format("line {}, {}", line_, column),
            field.empty() ? "nothing" : in_quotes(field), std::move(expected));
  }

 private:
  const std::string& file_;
  std::size_t line_;
  std::map<std::string_view, std::string_view> fields_;
};

ConvolutionDim dim_of(const Row& row, std::string_view size, char suffix) {
  const auto name = [&](const char* what) { return fmt::format("{}_{}", what, suffix); };
  ConvolutionDim dim{.input = row.count(size),
                     .output = 1,
                     .kernel = row.count(name("kernel")),
                     .stride = row.count_or(name("stride"), 1)};
  dim.padding = 2 * row.count_or(name("pad"), 0);
  const std::int64_t room = dim.input + dim.padding - dim.kernel;
  if (room < 0) row.fail(name("kernel"), "a kernel that fits");
  dim.output = room / dim.stride + 1;
  return dim;
}

ConvolutionShape shape_of(const Row& row) {
  ConvolutionShape shape{.channels = row.count("channels"),
                         .filters = row.count("filters"),
                         .groups = row.count_or("groups", 1),
                         .dims = {dim_of(row, "height", 'h'), dim_of(row, "width", 'w')}};
  if (shape.channels % shape.groups != 0 || shape.filters % shape.groups != 0) {
    row.fail("groups", "a divisor of channels and filters");
  }
  return shape;
}

std::pair<int, int> version_of(const Row& row, std::pair<int, int> otherwise) {
  const std::string field = row.text("cudnn");
  if (field.empty()) return otherwise;
  const std::size_t patch = field.find('.', field.find('.') + 1);  // "7.6.5"
  const auto version = parse_library_version(field.substr(0, patch));
  if (!version) row.fail("cudnn", "a version such as 7.6");
  return *version;
}

using Price = std::function<double(const KernelPlatform&)>;

Price convolution_price(const Row& row, Dtype dtype, std::size_t pass) {
  return [shape = shape_of(row), batch = row.number("batch"), dtype,
          pass](const KernelPlatform& platform) {
    const auto seconds = [&](ConvolutionPass one) {
      const ConvolutionTimes times = convolution_times(
          {.shape = &shape, .pass = one, .batch = batch, .dtype = dtype}, platform);
      // Who measures tensor cores asks for them, even where other units would be faster.
      return std::isfinite(times.tensor) ? times.tensor : times.fastest();
    };
    if (pass == 0) return seconds(ConvolutionPass::kForward);
    return (pass != 2 ? seconds(ConvolutionPass::kBackwardData) : 0) +
           (pass != 1 ? seconds(ConvolutionPass::kBackwardWeights) : 0);
  };
}

Price recurrent_price(const Row& row, Dtype dtype, std::size_t pass) {
  constexpr std::array<std::string_view, 3> kCells{"vanilla", "lstm", "gru"};
  const RecurrentKernel kernel{
      .cell = static_cast<RecurrentCellKind>(row.choice("cell", "", kCells)),
      .hidden = row.number("hidden"),
      .batch = row.number("batch"),
      .steps = row.number("steps"),
      .features = static_cast<double>(row.count_or("features", 0)),
      .dtype = dtype};
  return [kernel, pass](const KernelPlatform& platform) {
    const RecurrentTimes times = recurrent_times(kernel, platform);
    if (pass == 0) return times.forward;
    return (pass != 2 ? times.backward_data : 0) + (pass != 1 ? times.backward_weights : 0);
  };
}

Price price_of(const Row& row, const MeasuredOperation& operation, std::size_t pass) {
  if (operation.kind == "conv") return convolution_price(row, operation.dtype, pass);
  if (operation.kind == "recurrent") return recurrent_price(row, operation.dtype, pass);
  // Frameworks' profilers time both backward passes of a convolution as one; of these kinds no library does.
  if (pass == 3) row.fail("pass", "forward, backward_data or backward_weights");
  if (operation.kind == "product") {
    const Product product{row.number("m"), row.number("n"), row.number("k"),
                          static_cast<double>(row.count_or("count", 1))};
    return [product, dtype = operation.dtype](const KernelPlatform& platform) {
      return linear_work_seconds(product, dtype, platform);
    };
  }
  return [bytes = row.number("bytes")](const KernelPlatform& platform) {
    return bytes / streaming_rate(platform);
  };
}

MeasuredOperation operation_of(const Row& row, std::pair<int, int> cudnn) {
  constexpr std::array<std::string_view, 4> kKindWords{"conv", "product", "recurrent", "streaming"};
  constexpr std::array<std::string_view, 4> kPassWords{"forward", "backward_data",
                                                       "backward_weights", "backward"};
  MeasuredOperation operation;
  operation.line = row.line();
  operation.kind = kKindWords[row.choice("kind", "", kKindWords)];
  const std::size_t pass = row.choice("pass", "forward", kPassWords);
  operation.pass = kPassWords[pass];
  const auto dtype = find_dtype(row.text("dtype", "float32"));
  if (!dtype) row.fail("dtype", "float32, tf32, float16, bfloat16 or float64");
  operation.dtype = *dtype;
  operation.seconds = row.number("ms") / 1e3;
  // Benchmarks hand over what lies as the kernel wants it.
  operation.price = [price = price_of(row, operation, pass),
                     version = version_of(row, cudnn)](const KernelPlatform& platform) {
    KernelPlatform own = platform;
    own.software.layout = ImageLayout::kChannelsLast;
    own.software.cudnn = version;
    return price(own);
  };
  return operation;
}

void check_header(const std::vector<std::string_view>& header, const std::string& file,
                  const std::string& place) {
  for (const std::string_view column : header) {
    if (column.empty() || kColumns.find(fmt::format(" {} ", column)) == std::string_view::npos) {
      fail_at(file, place, fmt::format("unknown column {}", in_quotes(column)), "a known column");
    }
    if (std::ranges::count(header, column) > 1) {
      fail_at(file, place, fmt::format("column {} twice", in_quotes(column)), "each column once");
    }
  }
  for (const char* needed : {"kind", "ms"}) {
    if (std::ranges::find(header, needed) != header.end()) continue;
    fail_at(file, place, "a header without it", fmt::format("a column \"{}\"", needed));
  }
}

}  // namespace

std::vector<MeasuredOperation> read_operations(std::string_view text, const std::string& file,
                                               std::pair<int, int> cudnn) {
  std::vector<MeasuredOperation> operations;
  std::vector<std::string_view> header;
  std::string gpu;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (header.empty()) {
      header = split(line);
      check_header(header, file, fmt::format("line {}", number));
      continue;
    }
    const Row row(file, number, header, line);
    if (operations.empty()) gpu = row.text("gpu");
    if (row.text("gpu") != gpu) row.fail("gpu", in_quotes(gpu) + " as before: one machine");
    operations.push_back(operation_of(row, cudnn));
  }
  if (operations.empty()) fail_at(file, "the table", "no rows", "at least one measured operation");
  return operations;
}

}  // namespace ooc
