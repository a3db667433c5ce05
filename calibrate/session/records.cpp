// Each line is JSON of its own, read by the reader of everything else.
#include "calibrate/session/records.hpp"

#include <fmt/format.h>

#include "model/base/errors.hpp"
#include "model/base/spec_tree.hpp"

namespace ooc {
namespace {

constexpr double kMostNs = 9e15;

BenchRecord parsed(const SpecDocument& document) {
  const SpecView view(document);
  BenchRecord record;
  record.kind = view.get("record").as_text();
  for (const auto& [key, value] : view.members()) {
    if (key == "record") continue;
    switch (value.type()) {
      case SpecType::kText:
        (key == "request" ? record.request : record.values.emplace_back(key, "").second) =
            value.as_text();
        break;
      case SpecType::kNumber:
        record.values.emplace_back(key, value.node().text);
        break;
      case SpecType::kList:
        for (const SpecView& item : value.items()) {
          const double number = item.as_number();
          if (!(number >= 0) || number > kMostNs)
            item.fail(item.found(), "a time in ns, 0 to 9e15");
          record.lists[key].push_back(number);
        }
        break;
      default:
        value.fail(value.found(), "a text, a number or a list of numbers");
    }
  }
  return record;
}

}  // namespace

void read_records(std::string_view text, const std::string& file,
                  const std::function<void(const BenchRecord&)>& take) {
  bool greeted = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // cut off by an interruption
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty()) continue;
    const std::string place = fmt::format("line {}", number);
    BenchRecord record;
    try {
      record = parsed(read_spec_text(line, file));
    } catch (const SpecError& error) {
      SpecError::Parts parts = error.parts();
      throw SpecError({.file = file,
                       .place = place + (parts.place.empty() ? "" : ", " + parts.place),
                       .found = std::move(parts.found),
                       .expected = std::move(parts.expected),
                       .hint = "records of ooc-paleo-gpu, as calibrate keeps them"});
    }
    record.place = place;
    if (record.kind == "hello") {
      greeted = find_value(record.values, "format") == "ooc-paleo/bench" &&
                find_value(record.values, "version") == "1";
    }
    if (!greeted) {
      throw SpecError({.file = file,
                       .place = place,
                       .found = in_quotes(line),
                       .expected = "a greeting of ooc-paleo-gpu, format ooc-paleo/bench, version 1",
                       .hint = {}});
    }
    take(record);
  }
  if (greeted) return;
  throw SpecError({.file = file,
                   .place = "",
                   .found = "no records",
                   .expected = "what ooc-paleo-gpu printed, or calibrate kept",
                   .hint = {}});
}

}  // namespace ooc
