// Writes tiny ONNX models from text, one statement a line, so that tests need no exporter:
//   opset 13 | input x 1 N 3 8 8 | weight w 1 4 3 3 3 | ints shape 1 -1 | float half 0.5 | output y
//   node Conv x w -> y kernel_shape=3,3 group=1 mode:same alpha~0.5
// `input` and `weight` have the element type (1 float, 7 int64) before the dimensions; `-` is an input left out.
#pragma once

#include <bit>
#include <sstream>
#include <string>

namespace ooc::test {

inline std::string onnx_varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7U) out += static_cast<char>(value % 128 + 128);
  return out + static_cast<char>(value);
}
inline std::string onnx_integer(unsigned field, std::int64_t value) {
  return onnx_varint(field * 8) + onnx_varint(static_cast<std::uint64_t>(value));
}
inline std::string onnx_bytes(unsigned field, const std::string& bytes) {
  return onnx_varint(field * 8 + 2) + onnx_varint(bytes.size()) + bytes;
}
inline std::string onnx_float(unsigned field, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string out = onnx_varint(field * 8 + 5);
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift);
  return out;
}

inline std::string onnx_attribute(const std::string& word) {
  const std::size_t mark = word.find_first_of("=:~");
  std::string made = onnx_bytes(1, word.substr(0, mark));
  std::istringstream values(word.substr(mark + 1));
  if (word[mark] == ':') return made + onnx_bytes(4, values.str());
  if (word[mark] == '~') return made + onnx_float(2, std::stof(values.str()));
  const bool is_list = values.str().find(',') != std::string::npos;
  for (std::string each; std::getline(values, each, ',');) made += onnx_integer(is_list ? 8 : 3, std::stoll(each));
  return made;
}

inline std::string onnx_node(std::istringstream& words) {
  std::string op, word, made;
  words >> op;
  unsigned field = 1;
  while (words >> word) {
    if (word == "->") {
      field = 2;
    } else if (word.find_first_of("=:~") != std::string::npos) {
      made += onnx_bytes(5, onnx_attribute(word));
    } else {
      made += onnx_bytes(field, word == "-" ? "" : word);
    }
  }
  return made + onnx_bytes(4, op);
}

/// The bytes of a model.
inline std::string onnx_model(const std::string& text) {
  std::string graph;
  std::int64_t opset = 13;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, name, dim;
    words >> what;
    if (what == "opset") words >> opset;
    if (what == "node") graph += onnx_bytes(1, onnx_node(words));
    if (what.empty() || what == "opset" || what == "node") continue;
    int type = what == "ints" ? 7 : 1;
    std::string dims, values;
    words >> name;
    if (what == "input" || what == "weight") words >> type;
    std::int64_t count = 0;
    while (words >> dim) {
      ++count;
      const bool is_name = std::isalpha(static_cast<unsigned char>(dim[0])) != 0;
      if (what == "input") dims += onnx_bytes(1, is_name ? onnx_bytes(2, dim) : onnx_integer(1, std::stoll(dim)));
      if (what == "weight") dims += onnx_integer(1, std::stoll(dim));
      if (what == "ints") values += onnx_integer(7, std::stoll(dim));
      if (what == "float") values += onnx_float(4, std::stof(dim));
    }
    if (what == "ints") dims = onnx_integer(1, count);
    const std::string tensor = onnx_integer(1, type) + onnx_bytes(2, dims);
    if (what == "input") graph += onnx_bytes(11, onnx_bytes(1, name) + onnx_bytes(2, onnx_bytes(1, tensor)));
    if (what == "output") graph += onnx_bytes(12, onnx_bytes(1, name));
    if (what == "weight" || what == "ints" || what == "float") {
      graph += onnx_bytes(5, dims + onnx_integer(2, type) + values + onnx_bytes(8, name));
    }
  }
  return onnx_integer(1, 8) + onnx_bytes(7, graph) + onnx_bytes(8, onnx_integer(2, opset));
}

}  // namespace ooc::test
