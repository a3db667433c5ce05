// CSV of three columns: RFC 4180 quotes (a layer's name may hold a comma), LF or CRLF, blank lines skipped. Milliseconds
// are rounded to the nearest nanosecond.
#include "cli/layer_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/text_file.hpp"
#include "reports/writers/csv.hpp"

namespace ooc {
namespace {

constexpr std::string_view kHeader = "layer,forward_ms,backward_ms";

struct CsvLine {
  const std::string& file;
  std::size_t line;
};

[[noreturn]] void fail(const CsvLine& place, std::string found, std::string expected,
                       std::string hint = {}) {
  throw SpecError({place.file, fmt::format("line {}", place.line), std::move(found),
                   std::move(expected), std::move(hint)});
}

std::vector<std::string> fields_of(std::string_view line, const CsvLine& place) {
  if (std::ranges::count(line, '"') % 2 != 0) {
    fail(place, "a quote that is not closed", "a closing \"");
  }
  std::vector<std::string> fields;
  const bool last_is_empty = line.ends_with(',');
  while (!line.empty()) fields.push_back(take_csv_field(line));
  if (last_is_empty) fields.emplace_back();
  return fields;
}

Duration milliseconds(const std::string& text, const CsvLine& place, std::string_view column) {
  const std::optional<double> value = real_in(text);
  // Written so that NaN fails.
  if (!value || !(*value >= 0) || !(*value * 1e6 < static_cast<double>(kMaxTimeNs))) {
    fail(place, fmt::format("{} \"{}\"", column, text),
         "a number of milliseconds from 0 to 9 000 000 000");
  }
  return Duration(std::llround(*value * 1e6));
}

LayerId layer_named(const std::string& name, const std::map<std::string, LayerId>& layers,
                    const CsvLine& place) {
  const auto found = layers.find(name);
  if (found != layers.end()) return found->second;
  const auto near = nearest_word(name, names_of(layers));
  fail(place, fmt::format("the layer \"{}\"", name), "a layer of the network",
       near ? fmt::format("did you mean {}?", *near) : "`ooc-paleo inspect` lists them");
}

}  // namespace

std::vector<LayerTime> read_layer_times_text(std::string_view text, const std::string& file,
                                             const Network& network) {
  std::map<std::string, LayerId> layers;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    layers.emplace(network.layers[i].name, make_id<LayerId>(i));
  }
  // Names as `inspect --format csv` spells them, where that is no other layer's name.
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    std::string spelled = csv_text(network.layers[i].name);
    if (spelled != network.layers[i].name) layers.emplace(std::move(spelled), make_id<LayerId>(i));
  }
  std::map<LayerId, LayerTime> times;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets write one
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  bool header_seen = false;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const CsvLine place{file, ++number};
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!header_seen) {
      if (line != kHeader) fail(place, fmt::format("\"{}\"", line), std::string(kHeader));
      header_seen = true;
      continue;
    }
    const std::vector<std::string> fields = fields_of(line, place);
    if (fields.size() != 3) {
      fail(place, fmt::format("{} columns", fields.size()), std::string(kHeader));
    }
    const LayerId layer = layer_named(fields[0], layers, place);
    const LayerTime time{.layer = layer,
                         .forward = milliseconds(fields[1], place, "forward_ms"),
                         .backward = milliseconds(fields[2], place, "backward_ms")};
    if (!times.emplace(layer, time).second) {
      fail(place, fmt::format("the layer \"{}\" again", fields[0]), "each layer once");
    }
  }
  if (!header_seen) fail({file, 1}, "an empty file", std::string(kHeader));
  std::vector<LayerTime> in_order;
  for (const auto& [unused, time] : times) in_order.push_back(time);
  return in_order;
}

std::vector<LayerTime> read_layer_times_file(const std::string& path, const Network& network,
                                             const ReadLimits& limits) {
  return read_layer_times_text(read_text_file(path, "--layer-times", limits), path, network);
}

}  // namespace ooc
