// Fields by number, through protobuf's coded stream: no generated code, no protoc. What is not read here is skipped, so
// that bytes of weights are never in memory. Lengths are checked against what is left around them before anything is
// allocated, and what is kept counts against the limit on inputs.
#include "model/onnx/onnx_model.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <istream>
#include <limits>
#include <utility>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/units.hpp"

namespace ooc {
namespace {

namespace io = google::protobuf::io;
using WireFormat = google::protobuf::internal::WireFormatLite;

constexpr std::size_t kMostKept = 4096;  // values of a tensor
constexpr const char* kIncomplete = "is the file complete, and ONNX?";

/// Skips by seeking.
struct Seekable : io::CopyingInputStream {
  explicit Seekable(std::istream& given)
      : stream(given), length(given.seekg(0, std::ios::end) ? std::int64_t{given.tellg()} : -1) {
    stream.seekg(0);
  }
  int Read(void* buffer, int size) override {
    return static_cast<int>(stream.read(static_cast<char*>(buffer), size).gcount());
  }
  int Skip(int count) override { return stream.seekg(count, std::ios::cur) ? count : 0; }
  std::istream& stream;
  std::int64_t length;  ///< -1: it cannot be read
};

/// A number of 16 bits: 5 of exponent (IEEE), or the upper half of a float (bfloat16).
double from_half(std::int64_t value, int type) {
  const auto bits = static_cast<std::uint32_t>(value & 0xffff);
  if (type == kOnnxBfloat16) return static_cast<double>(std::bit_cast<float>(bits << 16U));
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10U & 31U), fraction = static_cast<int>(bits & 1023U);
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class Item>
void decode(const std::string& bytes, std::vector<double>& values) {
  for (std::size_t at = 0; at + sizeof(Item) <= bytes.size(); at += sizeof(Item)) {
    Item item{};
    std::memcpy(&item, bytes.data() + at, sizeof item);
    values.push_back(static_cast<double>(item));
  }
}

class ModelReader {
 public:
  ModelReader(std::istream& bytes, const std::string& file, const ReadLimits& limits)
      : limits_(limits), source_(bytes), stream_(&source_), in_(&stream_) {
    model_.file = file;
    const std::int64_t size = source_.length;
    if (size < 0 || size > std::numeric_limits<int>::max()) {
      throw SpecError({file, "", size < 0 ? "no file that can be read" : fmt::format("a file of {} bytes", size),
                       "a model of less than 2 GiB", "weights may be external data"});
    }
    (void)in_.PushLimit(static_cast<int>(size));
  }

  OnnxModel read() {
    bool has_graph = false;
    fields([&](int field) {
      if (field == 2) model_.producer = text();
      if (field == 7) message([&](int inner) { graph_field(inner); });
      if (field == 8) read_opset();
      has_graph = has_graph || field == 7;
    });
    if (!has_graph) fail("no graph", "an ONNX model", kIncomplete);
    constexpr std::int64_t kOldest = 11, kNewest = 21;
    if (model_.opset < kOldest || model_.opset > kNewest) {
      throw SpecError({model_.file, "opset_import", fmt::format("opset {}", model_.opset),
                       fmt::format("an opset from {} to {}", kOldest, kNewest),
                       "export with opset_version=17, or convert with onnx.version_converter"});
    }
    std::erase_if(model_.inputs, [&](const OnnxValue& each) { return model_.weights.contains(each.name); });
    return std::move(model_);
  }

 private:
  // Wire format

  [[noreturn]] void fail(const std::string& found, const std::string& expected, const std::string& hint = {}) const {
    throw SpecError({model_.file, fmt::format("byte {}", in_.CurrentPosition()), found, expected, hint});
  }

  /// Calls `field(number)` for each field of the message around; what that does not read is skipped.
  template <class Field>
  void fields(Field field) {
    while (in_.BytesUntilLimit() > 0) {
      tag_ = in_.ReadTag();
      if (tag_ < 8 || (tag_ & 7U) > 5) fail("no field of a message", "an ONNX model", kIncomplete);
      field(static_cast<int>(tag_ >> 3U));
      if (tag_ != 0 && !WireFormat::SkipField(&in_, tag_)) fail("the end of a value", "more bytes", kIncomplete);
    }
  }

  /// That the present value is read here, and of this wire type.
  void take(WireFormat::WireType type) {
    if (WireFormat::GetTagWireType(std::exchange(tag_, 0)) != type) fail("a field of another type", "those of onnx.proto");
  }
  void keep(std::size_t bytes) {
    kept_ += static_cast<std::int64_t>(bytes);
    if (kept_ <= limits_.max_bytes) return;
    fail(fmt::format("more than {} bytes of names and attributes", limits_.max_bytes), "fewer",
         "the limit on input files is set by --max-input");
  }
  int length() {
    take(WireFormat::WIRETYPE_LENGTH_DELIMITED);
    std::uint32_t count = 0;
    const bool read = in_.ReadVarint32(&count);
    const int left = in_.BytesUntilLimit();
    if (read && std::cmp_less_equal(count, left)) return static_cast<int>(count);
    fail(fmt::format("a length of {} where {} bytes are left", count, left), "a shorter value", kIncomplete);
  }
  template <class Read>
  void inside(Read read) {
    const auto around = in_.PushLimit(length());
    read();
    in_.PopLimit(around);
    tag_ = 0;
  }
  template <class Field>
  void message(Field field) {
    keep(64);  // an empty one takes memory, too
    inside([&] { fields(field); });
  }
  std::string text() {
    const int count = length();
    std::string bytes;
    keep(static_cast<std::size_t>(count));
    if (!in_.ReadString(&bytes, count)) fail("the end of the file", "a text");
    return bytes;
  }
  template <class Number>
  double raw() {
    std::uint64_t bits = 0;
    std::uint32_t half = 0;
    constexpr bool kFour = sizeof(Number) == 4;
    if (!(kFour ? in_.ReadLittleEndian32(&half) : in_.ReadLittleEndian64(&bits))) fail("the end of a value", "a number");
    return kFour ? static_cast<double>(std::bit_cast<float>(half)) : std::bit_cast<double>(bits);
  }
  std::int64_t varint() {
    std::uint64_t value = 0;
    if (!in_.ReadVarint64(&value)) fail("no whole number", "one of at most ten bytes");
    return static_cast<std::int64_t>(value);
  }
  std::int64_t integer() {
    take(WireFormat::WIRETYPE_VARINT);
    return varint();
  }
  double number() {
    take(WireFormat::WIRETYPE_FIXED32);
    return raw<float>();
  }
  /// One value of a list, or all where they are packed.
  template <class Item, class Read>
  void list(std::vector<Item>& items, WireFormat::WireType type, Read read) {
    const auto add = [&] {
      keep(sizeof(Item));
      items.push_back(read());
    };
    if (WireFormat::GetTagWireType(tag_) == WireFormat::WIRETYPE_LENGTH_DELIMITED) {
      return inside([&] {
        while (in_.BytesUntilLimit() > 0) add();
      });
    }
    take(type);
    add();
  }
  void integers(std::vector<std::int64_t>& items) {
    list(items, WireFormat::WIRETYPE_VARINT, [&] { return varint(); });
  }
  void floats(std::vector<double>& items) {
    list(items, WireFormat::WIRETYPE_FIXED32, [&] { return raw<float>(); });
  }

  // Messages

  void read_opset() {
    std::string domain;
    std::int64_t version = 0;
    message([&](int field) {
      if (field == 1) domain = text();
      if (field == 2) version = integer();
    });
    if (domain.empty() || domain == "ai.onnx") model_.opset = version;
  }

  void graph_field(int field) {
    if (field == 1) model_.nodes.push_back(node());
    if (field == 5) {
      OnnxTensor weight = tensor();
      model_.weights.insert_or_assign(weight.name, weight);
    }
    if (field == 11) model_.inputs.push_back(value());
    if (field == 12) model_.outputs.push_back(value());
    if (field == 13) {
      OnnxValue noted = value();
      model_.noted.insert_or_assign(noted.name, noted);
    }
  }

  OnnxNode node() {
    OnnxNode node;
    std::string domain;
    message([&](int field) {
      if (field == 1) node.inputs.push_back(text());
      if (field == 2) node.outputs.push_back(text());
      if (field == 3) node.name = text();
      if (field == 4) node.op = text();
      if (field == 5) node.attributes.push_back(attribute());
      if (field == 7) domain = text();
    });
    if (!domain.empty() && domain != "ai.onnx") node.op.insert(0, domain + ".");
    return node;
  }

  OnnxAttribute attribute() {
    OnnxAttribute made;
    message([&](int field) {
      if (field == 1) made.name = text();
      if (field == 2) made.f = number();
      if (field == 3) made.i = integer();
      if (field == 4) made.s = text();
      if (field == 5) made.tensor = tensor();
      if (field == 7) floats(made.floats);
      if (field == 8) integers(made.ints);
    });
    return made;
  }

  OnnxTensor tensor() {
    OnnxTensor made;
    std::string raw_data;
    std::vector<std::int64_t> whole;
    std::vector<double> values;
    bool elsewhere = false;
    message([&](int field) {
      const bool is_small = elements(made.dims).value_or(kMostKept + 1) <= static_cast<std::int64_t>(kMostKept);
      if (field == 1) integers(made.dims);
      if (field == 2) made.type = static_cast<int>(integer());
      if (field == 4 && is_small) floats(values);
      if ((field == 5 || field == 7) && is_small) integers(whole);
      if (field == 8) made.name = text();
      if (field == 9 && is_small) raw_data = text();
      if (field == 10 && is_small) list(values, WireFormat::WIRETYPE_FIXED64, [&] { return raw<double>(); });
      if (field == 14) elsewhere = integer() != 0;
    });
    const bool is_half = made.type == kOnnxHalf || made.type == kOnnxBfloat16;
    std::vector<double> halves;
    if (made.type == kOnnxFloat) decode<float>(raw_data, values);
    if (made.type == kOnnxDouble) decode<double>(raw_data, values);
    if (made.type == kOnnxInt32) decode<std::int32_t>(raw_data, values);
    if (made.type == kOnnxInt64) decode<std::int64_t>(raw_data, values);
    if (made.type == kOnnxBool) decode<std::uint8_t>(raw_data, values);
    if (is_half) decode<std::uint16_t>(raw_data, halves);
    for (const double each : halves) whole.push_back(static_cast<std::int64_t>(each));
    for (const std::int64_t each : whole) values.push_back(is_half ? from_half(each, made.type) : static_cast<double>(each));
    const auto count = elements(made.dims);
    if (!count) {
      fail(fmt::format("tensor {} of [{}]", in_quotes(made.name), fmt::join(made.dims, ", ")),
           "sizes from 0, and less than 2^48 elements");
    }
    if (!elsewhere && std::cmp_equal(values.size(), *count)) made.values = std::move(values);
    return made;
  }

  static std::optional<std::int64_t> elements(const std::vector<std::int64_t>& dims) {
    Int128 count = 1;
    for (const std::int64_t dim : dims) {
      count *= std::max<std::int64_t>(1, dim);
      if (dim < 0 || count > kMaxTensorBytes) return std::nullopt;
    }
    return contains(dims, 0) ? 0 : static_cast<std::int64_t>(count);
  }

  OnnxValue value() {
    OnnxValue made;
    const auto dims = [&](int field) {
      if (field != 1) return;
      OnnxDim& dim = made.dims->emplace_back();
      message([&](int part) {
        if (part == 1) dim.size = integer();
        if (part == 2) dim.symbol = text();
      });
    };
    const auto tensor_type = [&](int field) {
      if (field == 1) made.type = static_cast<int>(integer());
      if (field != 2) return;
      made.dims.emplace();
      message(dims);
    };
    message([&](int field) {
      if (field == 1) made.name = text();
      if (field != 2) return;
      message([&](int type) {  // others are sequences and maps
        if (type == 1) message(tensor_type);
      });
    });
    return made;
  }

  ReadLimits limits_;
  Seekable source_;
  io::CopyingInputStreamAdaptor stream_;
  io::CodedInputStream in_;
  std::uint32_t tag_ = 0;  ///< of the present field; 0: read
  std::int64_t kept_ = 0;
  OnnxModel model_;
};

}  // namespace

bool is_floating(int type) {
  return type == kOnnxFloat || type == kOnnxHalf || type == kOnnxDouble || type == kOnnxBfloat16;
}

const OnnxAttribute* OnnxNode::find(std::string_view attribute) const {
  return find_named(attributes, attribute);
}

std::string OnnxNode::place() const {
  return fmt::format("node {} ({})", in_quotes(!name.empty() || outputs.empty() ? name : outputs.front()), op);
}

OnnxModel read_onnx_model(std::istream& bytes, const std::string& file, const ReadLimits& limits) {
  return ModelReader(bytes, file, limits).read();
}

}  // namespace ooc
