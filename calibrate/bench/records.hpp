// What this program says: one JSON object a line. Every line is written by one call, so that whoever kills the program,
// or is killed beside it, finds whole lines and at most one half at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ooc::bench {

inline constexpr const char* kProgram =
    "ooc-paleo-gpu 0.2.0";  // changes with what is measured and how

// Texts, whole numbers, times and lists of times are all there is.
class Record {
 public:
  explicit Record(const char* kind) { text("record", kind); }
  Record& text(const char* key, const std::string& value) { return raw(key, quoted(value)); }
  Record& integer(const char* key, std::int64_t value) { return raw(key, std::to_string(value)); }
  Record& number(const char* key, double value) { return raw(key, decimal(value)); }
  Record& list(const char* key, const std::vector<double>& values);
  std::string line() const { return body_ + "}\n"; }

 private:
  static std::string quoted(const std::string& value);
  static std::string decimal(double value);  // at most one decimal: nanoseconds
  Record& raw(const char* key, const std::string& json);
  std::string body_;
};

// The value of a text in a line that Record wrote; empty if it has none. Enough for lines of our own: keys are plain, and
// no value holds a quoted key.
std::string text_in(const std::string& line, const char* key);

class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  void send(const Record& record) const { send_line(record.line()); }
  void send_line(const std::string& line) const;  // ends the process if nobody reads

 private:
  int descriptor_;
};

}  // namespace ooc::bench
