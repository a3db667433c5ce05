// Plain words, which nearly all texts are, are copied; the rest and doubles are the library's business.
#include "model/base/json_writer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/base/terminal_text.hpp"

namespace ooc {
namespace {

using Json = nlohmann::json;

void add_string(std::string& out, std::string_view text) {
  const bool is_plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
  if (is_plain) {
    out.append(1, '"').append(text).append(1, '"');
  } else {
    out += escaped_controls(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace), {});
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  add_string(out, text);
  return out;
}

JsonWriter::JsonWriter(std::string& out, JsonLayout layout, std::string_view open)
    : out_(out), layout_(layout), open_(open), is_first_(open.empty()) {}

bool JsonWriter::break_line() {
  if (!indent_) return false;
  out_ += '\n';
  out_.append(*std::exchange(indent_, std::nullopt), ' ');
  return true;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false)) return;
  if (!is_first_) out_ += ',';
  if (layout_ == JsonLayout::kIndented && !open_.empty()) line(2 * open_.size());
  const bool is_padded = layout_ == JsonLayout::kPadded && open_.ends_with('{');
  if (!break_line() && (is_first_ ? is_padded : layout_ != JsonLayout::kCompact)) out_ += ' ';
  is_first_ = false;
}

JsonWriter& JsonWriter::begin(char bracket) {
  verbatim({&bracket, 1});
  open_ += bracket;
  is_first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end() {
  const bool is_object = open_.back() == '{';
  open_.pop_back();
  if (layout_ == JsonLayout::kIndented && !is_first_) line(2 * open_.size());
  if (!break_line() && layout_ == JsonLayout::kPadded && is_object && !is_first_) out_ += ' ';
  out_ += is_object ? '}' : ']';
  is_first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view text) {
  this->text(text);
  out_ += layout_ == JsonLayout::kCompact ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::line(std::size_t indent) {
  indent_ = indent;
  return *this;
}

JsonWriter& JsonWriter::verbatim(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view text) {
  separate();
  add_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::number(double number) { return verbatim(Json(number).dump()); }

}  // namespace ooc
