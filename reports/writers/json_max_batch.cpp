// The JSON of `max-batch` (docs/formats.md): one entry a schedule, largest batch first. What is not
// known, or not there because nothing fits, is null.
#include "reports/writers/json_max_batch.hpp"

#include <nlohmann/json.hpp>

#include "reports/writers/json_metrics.hpp"
#include "reports/writers/json_string.hpp"

namespace ooc {
namespace {

using Json = nlohmann::ordered_json;

Json next_json(const MaxBatchRow& row) {
  if (row.failing == 0) return nullptr;
  Json json;
  json["batch"] = row.failing;
  json["lacks_bytes"] = row.lacks ? Json(row.lacks->count()) : Json();
  json["stops_at"] = row.out_of_memory ? Json(row.out_of_memory->step) : Json();
  json["wanted_bytes"] = row.out_of_memory ? Json(row.out_of_memory->wanted.count()) : Json();
  json["free_bytes"] = row.out_of_memory ? Json(row.out_of_memory->free.count()) : Json();
  const bool known = row.out_of_memory && row.out_of_memory->smallest_budget;
  json["smallest_budget_bytes"] =
      known ? Json(row.out_of_memory->smallest_budget->count()) : Json();
  return json;
}

Json row_json(const MaxBatchRow& row) {
  Json json;
  json["schedule"] = row.schedule;
  json["options"] = row.options;
  json["batch"] = row.batch;
  json["any_in_rounds"] = row.any_in_rounds;
  json["limited_by"] = limit_word(row.limit);
  const auto number = [&](auto read) { return row.run ? Json(read(*row.run)) : Json(); };
  json["iteration_time_ns"] =
      number([](const RunReport& run) { return run.iteration_time.count(); });
  json["samples_per_s"] = number([](const RunReport& run) { return run.samples_per_s; });
  json["peak_near_bytes"] = number([](const RunReport& run) { return run.peak_near.count(); });
  json["peak_far_bytes"] = number([](const RunReport& run) { return run.peak_far.count(); });
  json["to_far_bytes"] = number([](const RunReport& run) { return run.to_far.count(); });
  json["to_near_bytes"] = number([](const RunReport& run) { return run.to_near.count(); });
  json["sub_batch"] = number([](const RunReport& run) { return run.sub_batch; });
  json["rounds"] = number([](const RunReport& run) { return run.rounds; });
  json["next"] = next_json(row);
  json["monotone"] = row.monotone;
  json["batches_tried"] = row.attempts;
  return json;
}

}  // namespace

std::string json_max_batch(const MaxBatchReport& report, const WriteOptions& options) {
  Json json;
  json["format"] = "ooc-paleo/max-batch";
  json["version"] = 1;
  json["tool"] = {{"version", options.tool.version}, {"command", options.tool.command}};
  put_inputs(json, report.inputs);
  for (const char* varies : {"batch", "schedule", "options"}) json["inputs"].erase(varies);
  json["max_batch_limit"] = report.limit;
  json["results"] = Json::array();
  for (const std::size_t i : best_first(report))
    json["results"].push_back(row_json(report.rows[i]));
  json["assumed"] = report.assumed;
  json["remarks"] = report.remarks;
  return json_for_terminals(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace ooc
