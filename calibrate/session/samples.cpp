// Counting, and requests as texts.
#include "calibrate/session/samples.hpp"

namespace ooc {

std::size_t SampleGroup::count() const {
  std::size_t sum = 0;
  for (const MetricSamples& each : metrics) sum += each.ns.size();
  return sum;
}

const MetricSamples* SampleGroup::metric(std::string_view name) const {
  for (const MetricSamples& each : metrics) {
    if (each.metric == name && !each.ns.empty()) return &each;
  }
  return nullptr;
}

std::size_t SampleSet::count() const {
  std::size_t sum = 0;
  for (const SampleGroup& group : groups) sum += group.count();
  return sum;
}

KeyValues request_keys(std::string_view text) {
  KeyValues keys;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (keys.empty()) {
      keys.emplace_back("what", word);
    } else if (equals != std::string_view::npos) {
      keys.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return keys;
}

std::string request_text(const KeyValues& request) {
  std::string text;
  for (const auto& [key, value] : request) {
    if (!text.empty()) text += ' ';
    if (key != "what") text.append(key).append(1, '=');
    text += value;
  }
  return text;
}

std::string error_text(const KeyValues& error) {
  std::string text = find_value(error, "text").value_or("");
  if (text.empty()) text = "no reason given";
  const auto call = find_value(error, "call");
  if (!call) return text;
  return *call + ": " + text + " (" + find_value(error, "name").value_or("") + ", " +
         find_value(error, "file").value_or("") + ":" + find_value(error, "line").value_or("") +
         ")";
}

}  // namespace ooc
