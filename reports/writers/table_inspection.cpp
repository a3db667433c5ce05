// `inspect` for people: one line per layer, totals, and what the network needs when nothing moves.
#include <fmt/format.h>

#include "model/base/quantity_io.hpp"
#include "model/base/tensor_shape.hpp"
#include "reports/writers/text_table.hpp"

namespace ooc {
namespace {

std::string head(const NetworkReport& report, const Look& look) {
  const RunInputs& in = report.inputs;
  std::string title = fmt::format(
      "{}, {}, batch {}, {}", in.network, in.precision.empty() ? in.dtype : in.precision,
      group_thousands(in.batch), framework_text(in.framework, in.framework_meaning));
  if (!in.hardware.empty()) {
    title += fmt::format(", times on {} ({} compute model)", in.hardware, in.compute);
  }
  std::string text = bold(printable(title), look) + "\n";
  if (!report.source.empty()) text += printable(report.source) + "\n";
  for (const auto& [name, shape] : report.network_inputs) {
    text += fmt::format("input {} {}\n", printable(name), TensorShape{shape}.text());
  }
  return text + "\n";
}

// What the column "saved" means, and what it lacks of its total.
std::string saved_note(const NetworkReport& report) {
  std::string text = "  saved: what backward reads of the tensor this layer writes";
  if (report.saved_inputs.count() > 0) {
    text += "; of network inputs, in no row, " + format_bytes(report.saved_inputs);
  }
  return text + "\n";
}

std::string layer_table(const NetworkReport& report, const Look& look) {
  const bool with_times = report.compute_time.has_value();
  std::vector<TextTable::Column> columns = {left("layer"), left("type"),          "output",
                                            "parameters",  "forward MACs, batch", "saved, batch"};
  if (with_times) {
    columns.push_back("forward, batch");
    columns.push_back("backward, batch");
  }
  const auto parameters_text = [](const LayerReport& layer) -> std::string {
    if (layer.parameters > 0) return group_thousands(layer.parameters);
    return layer.tied_to.empty() ? "-" : "tied";
  };
  TextTable table(columns);
  for (const LayerReport& layer : report.layers) {
    std::vector<std::string> row = {layer.name,
                                    layer.type,
                                    TensorShape{layer.output_shape}.text(),
                                    parameters_text(layer),
                                    layer.forward_macs == 0 ? "-" : si_count(layer.forward_macs),
                                    bytes_or_dash(layer.saved)};
    if (with_times) {
      row.push_back(format_duration(layer.forward));
      row.push_back(format_duration(layer.backward));
    }
    table.add_row(std::move(row));
  }
  return table.text(look) + saved_note(report);
}

}  // namespace

std::string table_inspection(const NetworkReport& report, const WriteOptions& options) {
  std::string text = head(report, options.look) + layer_table(report, options.look) + "\n";
  TextTable totals({left(""), "", left("")});
  totals.add_row({"layers", group_thousands(static_cast<std::int64_t>(report.layers.size())), ""});
  totals.add_row({"parameters", group_thousands(report.parameters), ""});
  if (report.trainable_parameters != report.parameters) {
    totals.add_row({"learnt parameters", group_thousands(report.trainable_parameters),
                    "the others are frozen"});
  }
  if (report.active_parameters != report.parameters) {
    totals.add_row({"active parameters", group_thousands(report.active_parameters),
                    "that one step of a sequence goes through"});
  }
  totals.add_row({"forward MACs, batch", si_count(report.forward_macs),
                  si_count(report.forward_macs_per_sample) + " for one sample"});
  totals.add_row({"FLOPs, batch",
                  si_count(report.forward_flops) + " + " + si_count(report.backward_flops),
                  "forward + backward"});
  if (report.compute_time.has_value()) {
    totals.add_row({"compute time, batch", format_duration(*report.compute_time),
                    "forward, backward and update, one after the other"});
  }
  totals.add_row(
      {"saved, batch", format_bytes(report.saved), "what backward reads, network inputs included"});
  if (report.weight_copies.count() > 0) {
    totals.add_row({"weight copies", format_bytes(report.weight_copies),
                    "those that products multiply with, kept for backward"});
  }
  totals.add_row({"static", format_bytes(report.static_bytes), static_text(report)});
  totals.add_row({"in-core peak", format_bytes(report.in_core_peak),
                  fmt::format("near memory when nothing moves ({})", report.inputs.accounting)});
  text += totals.text(options.look);
  if (!report.inputs.hardware.empty())
    text += assumed_warning(report.inputs.hardware, report.assumed, options.look);
  return text;
}

}  // namespace ooc
