// JSON stands in <script> elements, where browsers look for nothing but "</script" and "<!--": with every "<" as
// \u003c, which JSON allows only inside of strings and reads back as the same text, neither can occur. The policy in
// the head forbids whatever would ask a network.
#include "reports/writers/page.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
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

/// The shorter of "[1,1,7]" and each value once, and by entry which one.
std::string values(const std::vector<std::string_view>& entries) {
  std::string plain;
  std::string each_once;
  std::string which;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    plain.append(comma).append(entries[i]);
    const auto [place, is_new] = places.emplace(entries[i], places.size());
    if (is_new) each_once.append(comma).append(entries[i]);
    which.append(comma).append(std::to_string(place->second));
  }
  constexpr std::size_t kKeys = 32;  // of the second form
  if (plain.size() <= each_once.size() + which.size() + kKeys) return "[" + plain + "]";
  return "{\"$which\":[" + which + "],\"$values\":[" + each_once + "]}";
}

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
    std::vector<std::string> entries;
    bool alike = true;
    ++at_;
    while (more(']')) {
      if (alike && json_[at_] == '{') {
        objects.push_back(object(depth + 1));
        alike = same_keys(objects.front(), objects.back());
        if (!alike) add_all(entries, objects);
        continue;
      }
      if (alike) add_all(entries, objects);
      alike = false;
      entries.push_back(value({}, depth + 1));
    }
    if (alike && objects.size() > 1 && !objects.front().empty()) {
      const std::size_t all = objects.size();
      if (depth == 1 && key == "\"knees\"") keep_values(objects);
      std::string out = columns_of(objects, all);
      while (depth == 1 && key == "\"results\"" && out.size() > kMostOfResults &&
             thin(objects, objects.size() * kMostOfResults / out.size())) {
        out = columns_of(objects, all);
      }
      return out;
    }
    if (alike) add_all(entries, objects);
    return values({entries.begin(), entries.end()});
  }
  static void add_all(std::vector<std::string>& entries, std::vector<Members>& objects) {
    for (const Members& each : objects) entries.push_back(joined(each));
    objects.clear();
  }
  static bool same_keys(const Members& a, const Members& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
  }

  static std::string columns_of(const std::vector<Members>& rows, std::size_t all) {
    std::string out = "{\"$rows\":" + std::to_string(rows.size());
    if (rows.size() < all) out += ",\"$of\":" + std::to_string(all);
    out += ",\"$columns\":{";
    std::vector<std::string_view> column;
    for (std::size_t i = 0; i < rows.front().size(); ++i) {
      if (i > 0) out += ',';
      column.clear();
      for (const Members& row : rows) column.push_back(row[i].second);
      if (is_constant(column)) column.resize(1);
      out.append(rows.front()[i].first).append(":").append(values(column));
    }
    return out + "}}";
  }
  static bool is_constant(const std::vector<std::string_view>& column) {
    return std::all_of(column.begin(), column.end(),
                       [&](std::string_view each) { return each == column.front(); });
  }
  /// The columns of a sweep's axes, with their quotes, of a document that lists them.
  [[nodiscard]] std::vector<std::string_view> axes() const {
    std::vector<std::string_view> columns;
    const std::size_t list = json_.rfind("\"axes\":");
    if (list == std::string_view::npos) return columns;
    constexpr std::string_view kColumn = "\"column\":";
    const std::size_t end = json_.find(']', list);
    for (std::size_t at = json_.find(kColumn, list); at < end; at = json_.find(kColumn, at)) {
      at = json_.find('"', at + kColumn.size());
      columns.push_back(json_.substr(at, json_.find('"', at + 1) + 1 - at));
    }
    return columns;
  }
  static const std::string* value_of(const Members& row, std::string_view key) {
    const auto found =
        std::find_if(row.begin(), row.end(), [&](const auto& each) { return each.first == key; });
    return found == row.end() ? nullptr : &found->second;
  }
  /// The rows whose values stay, and of the axes the values: each line of a chart is there with all its points or not at
  /// all. An axis gives every second value, but for its last: of those with most values first, names last.
  bool thin(std::vector<Members>& rows, std::size_t most) {
    constexpr std::size_t kNamesCount = 4;  // so much less than numbers
    const std::vector<std::string_view> all = axes();
    const std::size_t before = rows.size();
    while (rows.size() > most) {
      std::string_view widest;
      std::vector<std::string> its_values;
      std::size_t its_weight = 2;
      for (const std::string_view axis : all) {
        std::vector<std::string> values = values_of(rows, axis);
        if (values.size() < 3) continue;
        const std::size_t weight =
            values.size() * (values.front().front() == '"' ? 1 : kNamesCount);
        if (weight <= its_weight) continue;
        widest = axis, its_values = std::move(values), its_weight = weight;
      }
      if (widest.empty()) break;
      std::set<std::string, std::less<>>& kept = kept_[widest];
      kept.clear();
      for (std::size_t i = 0; i < its_values.size(); i += 2) kept.insert(its_values[i]);
      kept.insert(its_values.back());
      keep_values(rows);
    }
    return rows.size() < before;
  }
  /// In the order in which they come.
  static std::vector<std::string> values_of(const std::vector<Members>& rows,
                                            std::string_view axis) {
    std::vector<std::string> values;
    std::set<std::string_view> known;
    for (const Members& row : rows) {
      const std::string* value = value_of(row, axis);
      if (value != nullptr && known.insert(*value).second) values.push_back(*value);
    }
    return values;
  }
  void keep_values(std::vector<Members>& rows) const {
    std::erase_if(rows, [&](const Members& row) {
      return std::any_of(kept_.begin(), kept_.end(), [&](const auto& axis) {
        const std::string* value = value_of(row, axis.first);
        return value != nullptr && !axis.second.contains(*value);
      });
    });
  }

  std::map<std::string_view, std::set<std::string, std::less<>>> kept_;  ///< of axes that gave some
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
    json.begin_object()
        .member("name", document.name)
        .member("json", Packer(document.json).value())
        .end();
  }
  json.end();
  return out + "\n";
}

}  // namespace ooc
