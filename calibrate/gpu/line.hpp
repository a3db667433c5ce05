// The lines of the protocol (docs/gpu-protocol.md): a word and key=value pairs, percent-encoded, read
// strictly and written one by one with a flush, so that a reader never sees half of one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ooc::gpu {

inline constexpr std::size_t kLongestLine = 4096;

struct Line {
  std::string word;
  std::vector<std::pair<std::string, std::string>> pairs;  // decoded, in the order of the line

  const std::string* find(const std::string& key) const;
};

// The line, or what is wrong with it.
struct ParsedLine {
  std::optional<Line> line;
  std::string problem;
};
ParsedLine parse_line(const std::string& text);

// Builds a line: Writer("done").add("id", 7).add("samples", 11).text().
class LineBuilder {
 public:
  explicit LineBuilder(const std::string& word) : text_(word) {}
  LineBuilder& add(const std::string& key, const std::string& value);
  LineBuilder& add(const std::string& key, const char* value);
  LineBuilder& add(const std::string& key, std::int64_t value);
  LineBuilder& add_ns(const std::string& key, double ns);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Where answers go: standard output, or the file of a recorded session.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}
  void send(const LineBuilder& line);

 private:
  std::FILE* file_;
};

}  // namespace ooc::gpu
