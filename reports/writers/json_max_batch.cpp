// The JSON of `max` and `max-batch` (docs/formats.md): one entry a schedule, largest first; the keys of layers
// are those of batches with the word in its place. What is not
// known, or not there because nothing fits, is null.
#include "reports/writers/json_max_batch.hpp"

#include "reports/writers/json_parts.hpp"

namespace ooc {
namespace {

/// A value of what may not be there.
template <class Whole, class Read>
auto part(const std::optional<Whole>& whole, Read read) {
  return whole ? std::optional(read(*whole)) : std::nullopt;
}

void put_next(JsonWriter& json, const MaxBatchRow& row, std::string_view word) {
  if (row.failing == 0) {
    json.member("next", nullptr);
    return;
  }
  const std::optional<OutOfMemory>& lack = row.out_of_memory;
  json.begin_object("next").member(word, row.failing).member("lacks_bytes", row.lacks);
  json.member("stops_at", part(lack, [](const OutOfMemory& it) { return it.step; }));
  json.member("wanted_bytes", part(lack, [](const OutOfMemory& it) { return it.wanted; }));
  json.member("free_bytes", part(lack, [](const OutOfMemory& it) { return it.free; }));
  json.member("smallest_budget_bytes", lack ? lack->smallest_budget : std::nullopt).end();
}

void put_row(JsonWriter& json, const MaxBatchReport& report, const MaxBatchRow& row) {
  const std::string_view word = max_of_word(report.of);
  json.member("schedule", row.schedule).member("options", row.options).member(word, row.largest);
  json.member("any_in_rounds", row.any_in_rounds).member("limited_by", limit_word(row.limit));
  const auto number = [&](std::string_view key, auto value) {
    json.member(key, part(row.run, [&](const RunReport& run) { return run.*value; }));
  };
  number("iteration_time_ns", &RunReport::iteration_time);
  number("samples_per_s", &RunReport::samples_per_s);
  number("peak_near_bytes", &RunReport::peak_near);
  number("peak_far_bytes", &RunReport::peak_far);
  number("to_far_bytes", &RunReport::to_far);
  number("to_near_bytes", &RunReport::to_near);
  number("sub_batch", &RunReport::sub_batch);
  number("rounds", &RunReport::rounds);
  put_peaks(json, row.run ? &*row.run : nullptr);
  put_next(json, row, word);
  json.member("monotone", row.monotone);
  json.member(report.of == MaxOf::kBatch ? "batches_tried" : "layers_tried", row.attempts);
  json.member("gain", gain_over_in_core(report, row));
  number("slowdown", &RunReport::slowdown);
  if (report.of == MaxOf::kLayers) number("parameters", &RunReport::parameters);
}

}  // namespace

std::string json_max_batch(const MaxBatchReport& report, const WriteOptions& options) {
  std::string text;
  JsonWriter json(text);
  if (report.of == MaxOf::kBatch) {
    begin_result(json, "ooc-paleo/max-batch", options.tool);
    put_inputs(json, report.inputs, {"batch", "schedule"});
    json.member("max_batch_limit", report.limit);
  } else {
    begin_result(json, "ooc-paleo/max-layers", options.tool);
    put_inputs(json, report.inputs, {"schedule"});
    json.begin_object("repeat").member("name", report.repeat.name);
    json.member("copies", report.repeat.copies).end();
    json.member("max_layers_limit", report.limit);
  }
  json.objects("results", best_first(report),
               [&](std::size_t i) { put_row(json, report, report.rows[i]); });
  json.member("assumed", report.assumed).member("remarks", report.remarks).end();
  return std::move(text) + "\n";
}

}  // namespace ooc
