// JSON stands in <script> elements, where browsers look for nothing but "</script" and "<!--": with every "<" as
// \u003c, which JSON allows only inside of strings and reads back as the same text, neither can occur. The policy in
// the head forbids whatever would ask a network.
#include "reports/writers/page.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/base/json_writer.hpp"

namespace ooc {
namespace {

constexpr std::string_view kHead =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

std::string_view in_markup(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "";
  }
}

void add_text(std::string& out, std::string_view text) {
  for (const char& each : text) {
    const std::string_view other = in_markup(each);
    out += other.empty() ? std::string_view(&each, 1) : other;
  }
}

// Bytes: pages stay below 2 MB, of which the script is 0.8.
constexpr std::size_t kMostOfResults = 950'000;
constexpr std::size_t kMostOfKnees = 150'000;

/// JSON without the white space between its tokens, in which lists of objects of the same keys are columns: each key once,
/// and of equal values one (reports/pages/src/packed.js reads it). All tokens stay as they are.
class Packer {
 public:
  explicit Packer(std::string_view json) : json_(json) {}
  /// Without what lies behind the value that the text begins with.
  std::string value(std::string_view key = {}, int depth = 0) {
    skip();
    if (at_ == json_.size()) return "";
    if (json_[at_] == '[') return list(key, depth);
    if (json_[at_] == '{') return joined(object(depth));
    return std::string(token());
  }

 private:
  /// Keys with their quotes.
  using Members = std::vector<std::pair<std::string_view, std::string>>;

  void skip() {
    const std::size_t next = json_.find_first_not_of(" \n", at_);
    at_ = next == std::string_view::npos ? json_.size() : next;
  }
  std::string_view token() {
    const std::size_t from = at_;
    if (json_[at_] == '"') {
      for (++at_; at_ < json_.size() && json_[at_] != '"'; ++at_) {
        if (json_[at_] == '\\') ++at_;
      }
      at_ = std::min(at_ + 1, json_.size());
    } else {
      at_ = std::min(json_.find_first_of(" \n,:]}", at_), json_.size());
    }
    return json_.substr(from, at_ - from);
  }
  /// Behind the bracket or comma before the next entry; false behind the last one.
  bool more(char closing) {
    skip();
    if (at_ < json_.size() && json_[at_] == ',') ++at_;
    skip();
    if (at_ < json_.size() && json_[at_] != closing) return true;
    at_ = std::min(at_ + 1, json_.size());
    return false;
  }
  Members object(int depth) {
    Members members;
    ++at_;
    while (more('}')) {
      const std::string_view key = token();
      skip();
      at_ = std::min(at_ + 1, json_.size());
      members.emplace_back(key, value(key, depth + 1));
    }
    return members;
  }
  static std::string joined(const Members& members) {
    std::string out = "{";
    for (const auto& [key, text] : members) {
      if (out.size() > 1) out += ',';
      out.append(key).append(":").append(text);
    }
    return out + "}";
  }

  std::string list(std::string_view key, int depth) {
    std::vector<Members> objects;
    std::string out = "[";
    bool alike = true;
    ++at_;
    while (more(']')) {
      if (alike && json_[at_] == '{') {
        objects.push_back(object(depth + 1));
        alike = same_keys(objects.front(), objects.back());
        if (!alike) add_all(out, objects);
        continue;
      }
      if (alike) add_all(out, objects);
      alike = false;
      add(out, value({}, depth + 1));
    }
    if (alike && objects.size() > 1 && !objects.front().empty()) {
      return columns(objects, depth != 1             ? 0
                              : key == "\"results\"" ? kMostOfResults
                              : key == "\"knees\""   ? kMostOfKnees
                                                     : 0);
    }
    if (alike) add_all(out, objects);
    return out + "]";
  }
  static void add(std::string& out, const std::string& text) {
    if (out.size() > 1) out += ',';
    out += text;
  }
  static void add_all(std::string& out, std::vector<Members>& objects) {
    for (const Members& each : objects) add(out, joined(each));
    objects.clear();
  }
  static bool same_keys(const Members& a, const Members& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
  }

  static std::string columns(std::vector<Members>& rows, std::size_t most) {
    const std::size_t all = rows.size();
    if (most > 0) thin(rows, most);
    std::string out = "{\"$rows\":" + std::to_string(rows.size());
    if (rows.size() < all) out += ",\"$of\":" + std::to_string(all);
    out += ",\"$columns\":{";
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
      if (i > 0) out += ',';
      out.append(rows.front()[i].first).append(":[");
      for (std::size_t row = 0; row < (is_constant(rows, i) ? 1 : rows.size()); ++row) {
        if (row > 0) out += ',';
        out += rows[row][i].second;
      }
      out += ']';
    }
    return out + "}}";
  }
  static bool is_constant(const std::vector<Members>& rows, std::size_t column) {
    return std::all_of(rows.begin(), rows.end(), [&](const Members& row) {
      return row[column].second == rows.front()[column].second;
    });
  }
  /// By row the number of its block: rows of one batch behind each other, whose lines stay whole.
  static std::vector<std::size_t> blocks_of(const std::vector<Members>& rows) {
    const Members& first = rows.front();
    const auto batch = std::find_if(first.begin(), first.end(),
                                    [](const auto& each) { return each.first == "\"batch\""; });
    std::vector<std::size_t> blocks(rows.size());
    if (batch == first.end()) return blocks;
    const auto column = static_cast<std::size_t>(batch - first.begin());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      blocks[i] = blocks[i - 1] + (rows[i][column].second != rows[i - 1][column].second ? 1 : 0);
    }
    return blocks;
  }
  /// Multiples of the golden ratio fall evenly without a period, so no axis of a grid loses a value more often than another.
  static void thin(std::vector<Members>& rows, std::size_t most) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
      if (is_constant(rows, i)) continue;
      for (const Members& row : rows) bytes += row[i].second.size() + 1;
    }
    if (bytes <= most) return;
    constexpr double kGolden = 0.618033988749895;
    constexpr std::size_t kFewBlocks = 16;
    const double share = static_cast<double>(most) / static_cast<double>(bytes);
    const std::vector<std::size_t> blocks = blocks_of(rows);
    const bool whole = static_cast<double>(blocks.back()) * share >= kFewBlocks;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double place = kGolden * static_cast<double>(whole ? blocks[i] : i);
      if (place - std::floor(place) < share) std::swap(rows[kept++], rows[i]);
    }
    rows.resize(kept);
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

void add_json(std::string& out, std::string_view json) {
  for (const char each : Packer(json).value()) {
    if (each == '<') {
      out += "\\u003c";
    } else {
      out += each;
    }
  }
}

}  // namespace

std::string page_html(const Page& page) {
  std::string out(kHead);
  add_text(out, page.title);
  out +=
      "</title>\n</head>\n<body>\n<noscript>The charts of this page are drawn by the script in "
      "it.</noscript>\n";
  for (const PageDocument& document : page.documents) {
    out += "<script type=\"application/json\" data-name=\"";
    add_text(out, document.name);
    out += "\">";
    add_json(out, document.json);
    out += "</script>\n";
  }
  out += "<script>";
  out += page.script;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

std::string plot_request(std::span<const PageDocument> documents) {
  std::string out;
  JsonWriter json(out, JsonLayout::kCompact);
  json.begin_list();
  for (const PageDocument& document : documents) {
    json.begin_object().member("name", document.name).member("json", document.json).end();
  }
  json.end();
  return out + "\n";
}

}  // namespace ooc
