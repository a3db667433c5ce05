// The file is read again: what costs a second is fine for an error, and networks need not remember where
// each of a million layers stood.
#include "simulator/predict/layer_place.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ooc {
namespace {

/// "block/3/conv" -> block, conv: copies are numbered, names have no slash.
std::vector<std::string> entry_names(const std::string& layer) {
  std::vector<std::string> names;
  for (std::size_t begin = 0, part = 0; begin <= layer.size(); ++part) {
    const std::size_t end = std::min(layer.find('/', begin), layer.size());
    if (part % 2 == 0) names.push_back(layer.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::optional<SpecView> find_layer(const SpecView& root, const std::string& layer) {
  SpecView place = root;
  for (const std::string& wanted : entry_names(layer)) {
    std::optional<SpecView> next;
    const std::optional<SpecView> layers = place.find("layers");
    if (!layers) return std::nullopt;
    const std::vector<SpecView> items = layers->items();
    for (std::size_t i = 0; i < items.size() && !next; ++i) {
      const std::optional<SpecView> name = items[i].find("name");
      if ((name ? name->as_text() : "repeat" + std::to_string(i)) == wanted) next = items[i];
    }
    if (!next) return std::nullopt;
    place = *next;
  }
  return place;
}

}  // namespace

void throw_at_layer(const std::string& file, const ReadLimits& limits, const std::string& layer,
                    std::string_view key, const SpecError& error) {
  SpecError::Parts parts = error.parts();
  parts.file = file;
  std::optional<SpecDocument> document;
  try {
    document = read_spec_file(file, limits);
  } catch (const SpecError&) {  // a pipe is read only once
    throw SpecError(std::move(parts));
  }
  const auto place = find_layer(SpecView(*document), layer);
  if (!place) throw SpecError(std::move(parts));
  const std::optional<SpecView> at = place->find(key);
  (at ? *at : *place)
      .fail(parts.found + " of layer " + in_quotes(layer), parts.expected, parts.hint);
}

}  // namespace ooc
