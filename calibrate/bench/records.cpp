// JSON by hand. See records.hpp.
#include "calibrate/bench/records.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace ooc::bench {

std::string Record::quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    char escaped[8] = {c};
    if (c == '"' || c == '\\') std::snprintf(escaped, sizeof escaped, "\\%c", c);
    if (byte < 0x20 || byte >= 0x7f) std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
    text += escaped;
  }
  return text + '"';
}

std::string Record::decimal(double value) {
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%.1f", value);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.back() == '0' ? all.substr(0, all.size() - 2) : all;
}

Record& Record::raw(const char* key, const std::string& json) {
  body_ += (body_.empty() ? "{" : ",") + quoted(key) + ":" + json;
  return *this;
}

Record& Record::list(const char* key, const std::vector<double>& values) {
  std::string json;
  for (const double value : values) json += (json.empty() ? "" : ",") + decimal(value);
  return raw(key, "[" + json + "]");
}

std::string text_in(const std::string& line, const char* key) {
  const std::string before = "\"" + std::string(key) + "\":\"";
  const std::size_t at = line.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return line.substr(begin, line.find('"', begin) - begin);
}

void Output::send_line(const std::string& line) const {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(descriptor_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR) _exit(1);
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

}  // namespace ooc::bench
