// The columns of the tables of metrics as JSON: each under its key, in the object of its group. A
// template over the type of JSON, so that the library is included by the writers alone.
#pragma once

#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "simulator/summary/metrics.hpp"

namespace ooc {

/// Null where the number is not known.
template <class Json>
[[nodiscard]] Json metric_json(const MetricValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

template <class Json>
void put_metrics(Json& json, std::span<const Metric> columns, const RunReport& report) {
  for (const Metric& column : columns) {
    Json& place = column.group.empty() ? json : json[std::string(column.group)];
    place[std::string(column.key)] = metric_json<Json>(column.read(report));
  }
}

/// What was asked for, of a report that is no RunReport: the columns read only its inputs.
template <class Json>
void put_inputs(Json& json, const RunInputs& inputs) {
  RunReport echo;
  echo.inputs = inputs;
  put_metrics(json, input_columns(), echo);
  json["inputs"]["dtype"] = inputs.dtype;
}

}  // namespace ooc
