// Times of a trace's operators, and a CSV reader for three columns: RFC 4180 quotes (a layer's name may hold a comma), LF or CRLF,
// blank lines skipped. Milliseconds are rounded to the nearest nanosecond.
#include "cli/layer_times.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/quantity_io.hpp"
#include "model/base/text_file.hpp"
#include "reports/writers/csv.hpp"

namespace ooc {
namespace {

struct OfKind {
  std::string_view kind;
  /// Without "aten::" and the "_" of what works in place; or classes of modules.
  std::vector<std::string_view> calls;
};
std::vector<OfKind> traced_kinds() {
  std::vector<OfKind> kinds{
      {"conv", {"conv1d", "conv2d", "conv3d"}},
      {"conv_transpose", {"conv_transpose2d", "conv_transpose3d"}},
      {"linear", {"linear", "addmm"}},
      {"matmul", {"matmul", "bmm", "baddbmm"}},
      {"attention", {"scaled_dot_product_attention"}},
      {"rms_norm",
       {"rms_norm", "LlamaRMSNorm", "MistralRMSNorm", "Qwen2RMSNorm", "Qwen3RMSNorm",
        "GemmaRMSNorm", "RMSNorm"}},
      {"relu6", {"relu6", "hardtanh"}},
      {"max_pool", {"max_pool2d", "max_pool3d"}},
      {"avg_pool", {"avg_pool2d"}},
      {"adaptive_avg_pool", {"adaptive_avg_pool2d"}},
      {"global_avg_pool", {"adaptive_avg_pool2d"}},
      {"multiply", {"mul"}},
      {"concat", {"cat"}},
      {"softmax_cross_entropy", {"cross_entropy_loss"}},
  };
  for (const std::string_view same :
       {"embedding", "batch_norm", "instance_norm", "layer_norm", "group_norm", "relu", "gelu",
        "silu", "sigmoid", "tanh", "elu", "leaky_relu", "hardswish", "hardsigmoid", "add",
        "dropout", "softmax", "lstm", "gru"}) {
    kinds.push_back({same, {same}});
  }
  return kinds;
}

std::string_view brief(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  if (name.starts_with(kAten)) name.remove_prefix(kAten.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

class Matcher {
 public:
  Matcher(const KinetoTrace& trace, const Network& network, const std::string& file)
      : trace_(trace),
        network_(network),
        file_(file),
        forward_(network.layers.size()),
        backward_(network.layers.size()),
        times_(network.layers.size(), 0) {}

  TracedLayers run() && {
    match_names();
    std::map<std::string_view, OfOneKind> kinds;
    for (const OfKind& each : traced_kinds()) kinds.emplace(each.kind, of_kind(each));
    // The trace has as many passes as most of its time says.
    std::map<std::size_t, double> time_by_passes;
    for (const auto& [unused, kind] : kinds) {
      for (const auto* calls : {&kind.calls, &kind.learning}) {
        if (calls->empty() || kind.layers.empty() || calls->size() % kind.layers.size() != 0)
          continue;
        double& time = time_by_passes[calls->size() / kind.layers.size()];
        for (const TracedCall* call : *calls) time += call->forward_us + call->backward_us;
        break;
      }
    }
    const auto passes = std::ranges::max_element(
        time_by_passes, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (passes != time_by_passes.end()) {
      for (const auto& [name, kind] : kinds) match_kind(name, kind, passes->first);
    }
    const double share = trace_.total_us > 0 ? found_us_ / trace_.total_us : 0;
    constexpr double kLeast = 0.5;
    if (share < kLeast) refuse(share);
    TracedLayers result;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] == 0) continue;
      result.times.push_back({.layer = make_id<LayerId>(i),
                              .forward = duration(forward_[i], times_[i]),
                              .backward = duration(backward_[i], times_[i])});
    }
    result.coverage = fmt::format("{} of {} layers have times of the trace, {} of what ran in it",
                                  result.times.size(), times_.size(), format_percent(share));
    if (!missed_.empty()) {
      result.coverage += fmt::format("; not those of {}", fmt::join(missed_, ", "));
    }
    return result;
  }

 private:
  static Duration duration(double us, int times) {
    return Duration(std::llround(us * 1e3 / times));
  }
  void add(std::size_t layer, const TracedCall& call) {
    forward_[layer] += call.forward_us;
    backward_[layer] += call.backward_us;
    found_us_ += call.forward_us + call.backward_us;
    ++times_[layer];
  }
  void match_names() {
    std::map<std::string_view, std::size_t> names;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) names[network_.layers[i].name] = i;
    for (const TracedCall& call : trace_.calls) {
      const auto found = call.is_range ? names.find(call.name) : names.end();
      if (found != names.end()) add(found->second, call);
    }
  }
  struct OfOneKind {
    std::vector<std::size_t> layers;
    std::vector<const TracedCall*> calls;
    std::vector<const TracedCall*>
        learning;  ///< a counter's addition has no backward, a residual one has
  };
  [[nodiscard]] OfOneKind of_kind(const OfKind& kind) const {
    OfOneKind result;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      if (network_.layers[i].kind->name == kind.kind && times_[i] == 0) result.layers.push_back(i);
    }
    for (const TracedCall& call : trace_.calls) {
      const auto found = std::ranges::find(kind.calls, brief(call.name));
      const bool is_kind = found != kind.calls.end();
      if (!is_kind) continue;
      result.calls.push_back(&call);
      if (call.has_backward) result.learning.push_back(&call);
    }
    return result;
  }
  void match_kind(std::string_view name, const OfOneKind& kind, std::size_t passes) {
    if (kind.layers.empty() || kind.calls.empty()) return;
    for (const auto* calls : {&kind.calls, &kind.learning}) {
      if (calls->size() != passes * kind.layers.size()) continue;
      for (std::size_t i = 0; i < calls->size(); ++i) {
        add(kind.layers[i % kind.layers.size()], *(*calls)[i]);
      }
      return;
    }
    missed_.push_back(fmt::format("{} ({} calls in {} passes of {} layers)", name,
                                  kind.calls.size(), passes, kind.layers.size()));
  }
  [[noreturn]] void refuse(double share) const {
    throw SpecError(
        {.file = file_,
         .place = "--layer-times",
         .found = fmt::format(
             "layers of the network for {} of what ran{}", format_percent(share),
             missed_.empty() ? ""
                             : fmt::format("; numbers differ of {}", fmt::join(missed_, ", "))),
         .expected = "at least half: a trace of this network, neither compiled nor checkpointed",
         .hint = "torch.profiler.record_function(NAME) around a module tells its layer"});
  }

  const KinetoTrace& trace_;
  const Network& network_;
  const std::string& file_;
  std::vector<double> forward_, backward_;  ///< microseconds by layer
  std::vector<int> times_;                  ///< how often each ran
  std::vector<std::string> missed_;
  double found_us_ = 0;
};

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

std::vector<std::string> ranges_of_layers(const Network& network) {
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  for (const OfKind& each : traced_kinds()) {
    for (const std::string_view call : each.calls) {
      if (call.ends_with("RMSNorm")) names.emplace_back(call);
    }
  }
  return names;
}

TracedLayers layers_of_trace(const KinetoTrace& trace, const Network& network,
                             const std::string& file) {
  return Matcher(trace, network, file).run();
}

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
