// Output of this program: one JSON object a line. Each line is one write, so that a killed program
// leaves whole lines and at most one partial line at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ooc::bench {

inline constexpr const char* kProgram = "ooc-paleo-gpu 0.2.0";  // changes when measurements change

// JSON object on one line: texts, integers, numbers and lists of numbers.
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

// Returns the text of `key` in a line that Record wrote; empty if absent. A search is enough for
// such lines: keys are plain, and no value contains a quoted key.
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
