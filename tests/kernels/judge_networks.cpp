// judge_networks FOLDER [--architectures FOLDER] [--rows] [--parts] [--only TEXT]
//
// Prices whole networks that others have measured and prints the errors per data set. FOLDER holds networks.csv,
// transformers.csv and timm.csv (docs/calibration.md, "Tables of operations"); networks come from networks/ and
// networks/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/fit/statistics.hpp"
#include "model/cost/kernel_cost.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/kernels/streaming.hpp"
#include "model/network/network_json.hpp"
#include "tests/kernels/shipped_kernels.hpp"
#include "tests/support/kernel_table.hpp"

using namespace ooc;
using test::TableRow;

namespace {

struct Case {
  std::string set;  ///< data set
  std::string label;
  std::string network;
  std::string gpu;
  Dtype dtype = Dtype::kFloat32;
  std::int64_t batch = 1;
  std::optional<std::int64_t> sequence;
  std::string measured;  ///< forward, forward+backward, training
  RunMode mode = RunMode::kTraining;
  bool input_gradient = false;
  Software software;
  double seconds = 0;
};

struct Times {
  double forward = 0, backward = 0, update = 0;
  std::map<std::string, double> parts;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

constexpr std::int64_t kPyTorchIssue = 59'000;
constexpr std::int64_t kTensorFlowIssue = 33'000;
constexpr std::int64_t kOtherIssue = 20'000;
constexpr double kMixedIssue = 1.25;
constexpr double kOldElementwise = 1.5;

/// The stack that a row of networks.csv names.
Software software_of(const TableRow& row) {
  const std::string& conditions = row.at("conditions");
  Software software;
  software.cudnn = {8, 0};
  if (has(conditions, "cuDNN 5.1")) {
    software.cudnn = {5, 1};
  } else if (has(conditions, "cuDNN 5.0")) {
    software.cudnn = {5, 0};
  } else if (has(conditions, "PyTorch 0.3") || has(conditions, "1.4") || has(conditions, "1.5.0")) {
    software.cudnn = {7, 0};
  } else if (has(conditions, "PyTorch 1.0.0") || has(conditions, "ow 1.12")) {
    software.cudnn = {7, 4};
  }
  const bool mixed = row.at("dtype") == "float16";
  const bool nvidia = has(row.at("source"), "NVIDIA");
  std::int64_t issue = kTensorFlowIssue;
  software.layout = ImageLayout::kChannelsFirst;
  if (has(conditions, "PyTorch")) {
    issue = kPyTorchIssue;
    if (mixed && nvidia) software.layout = ImageLayout::kChannelsLast;
  } else if (has(conditions, "MXNet")) {
    issue = kOtherIssue;
    if (has(conditions, "NHWC")) {
      software.layout = ImageLayout::kChannelsLast;
      software.fusion = Fusion::kAll;
    }
  } else if (has(conditions, "Torch,")) {
    issue = kOtherIssue;
  } else {
    if (mixed && nvidia) software.layout = ImageLayout::kChannelsLast;
    if (has(conditions, "XLA")) software.fusion = Fusion::kAdd;
  }
  software.elementwise_factor = software.cudnn < std::pair{7, 0} ? kOldElementwise : 1;
  software.issue =
      Duration(static_cast<std::int64_t>(static_cast<double>(issue) * (mixed ? kMixedIssue : 1)));
  return software;
}

const std::map<std::string, std::string>& network_files() {
  static const std::map<std::string, std::string> files{{"AlexNet", "bvlc_alexnet"},
                                                        {"Inception-V1", "googlenet_v1"},
                                                        {"VGG-16", "vgg16"},
                                                        {"VGG-19", "vgg19"},
                                                        {"ResNet-18", "resnet18"},
                                                        {"ResNet-34", "resnet34"},
                                                        {"ResNet-50", "resnet50"},
                                                        {"ResNet-101", "resnet101"},
                                                        {"ResNet-152", "resnet152"},
                                                        {"ResNet-200", "resnet200"},
                                                        {"InceptionV3", "inception_v3"},
                                                        {"ResNet-50 v1", "resnet50_v1"},
                                                        {"ResNet-152 v1", "resnet152_v1"},
                                                        {"AlexNet v2 (TF)", "paleo_alexnet_v2"},
                                                        {"DenseNet-161", "densenet161"},
                                                        {"ResNet-50 v1.5", "resnet50"}};
  return files;
}

std::string set_of(const TableRow& row) {
  const bool old_stack = has(row.at("source"), "u39kun");
  if (row.at("measured") == "forward") {
    return fmt::format("forward {}{}", row.at("dtype"),
                       std::stoi(row.at("batch")) < 8 ? ", batch below 8"
                       : old_stack                    ? ", 2017"
                                                      : "");
  }
  std::string set = fmt::format("training {}", row.at("dtype"));
  if (row.at("dtype") == "float32") {
    if (old_stack) return set + ", Volta 2017";
    return set + ", " + row.at("gpu");
  }
  if (old_stack) return set + ", Volta 2017";
  if (has(row.at("source"), "lambdal")) return set + ", channels first";
  return set;
}

void add_networks(const std::string& folder, std::vector<Case>& cases) {
  for (const TableRow& row : test::read_table(folder + "/networks.csv")) {
    if (row.at("measured") == "backward") continue;
    const double value = test::number_of(row, "value");
    const bool rate = row.at("unit") == "images/s";
    const bool forward = row.at("measured") == "forward";
    const bool torch = has(row.at("source"), "jcjohnson");
    Case each{
        .set = set_of(row),
        .label = fmt::format("{} {} {} {} [{}]", row.at("gpu"), row.at("network"), row.at("batch"),
                             row.at("dtype"), row.at("conditions").substr(0, 22)),
        .network = network_files().at(row.at("network")),
        .gpu = row.at("gpu"),
        .dtype = *find_dtype(row.at("dtype")),
        .batch = std::stoll(row.at("batch")),
        .sequence = {},
        .measured = row.at("measured"),
        .mode = forward && !torch ? RunMode::kInference : RunMode::kTraining,
        .input_gradient = torch,
        .software = software_of(row)};
    each.seconds = rate ? static_cast<double>(each.batch) / value : value * 1e-3;
    cases.push_back(each);
  }
}

void add_transformers(const std::string& folder, std::vector<Case>& cases) {
  const std::map<std::string, std::string> gpus{{"Tesla_V100-PCIE-32GB", "V100-PCIe-32"},
                                                {"Tesla_P100-PCIE-16GB", "P100-PCIe"},
                                                {"NVIDIA_A100-PCIE-40GB", "A100-40-PCIe"}};
  for (const TableRow& row : test::read_table(folder + "/transformers.csv")) {
    const bool train = row.at("mode") == "train";
    Case each{.set = "transformers float32",
              .label = fmt::format("{} {} {} {}", row.at("gpu"), row.at("model"), row.at("mode"),
                                   row.at("batch")),
              .network = row.at("model"),
              .gpu = gpus.at(row.at("gpu")),
              .dtype = Dtype::kFloat32,
              .batch = std::stoll(row.at("batch")),
              .sequence = std::stoll(row.at("seq")),
              .measured = train ? "forward+backward" : "forward",
              .mode = train ? RunMode::kTraining : RunMode::kInference,
              .input_gradient = false,
              .software = {}};
    each.software.cudnn = {8, 9};
    each.software.attention = AttentionKernels::kSeparate;
    each.software.layout = ImageLayout::kChannelsFirst;
    each.seconds = test::number_of(row, "measured_ms") * 1e-3;
    cases.push_back(each);
  }
}

void add_timm(const std::string& folder, std::vector<Case>& cases) {
  // Every second name in alphabetical order may fit one number (docs/calibration.md).
  const std::vector<std::string> fits{"densenet121", "mobilenetv2_100", "resnet18", "vgg16"};
  for (const TableRow& row : test::read_table(folder + "/timm.csv")) {
    const std::string& model = row.at("model");
    const bool train = row.at("mode") == "train";
    const bool half = std::find(fits.begin(), fits.end(), model) != fits.end();
    Case each{.set = fmt::format("timm {} {}{}", row.at("mode"), row.at("layout"),
                                 half ? " (may fit)" : " (judges)"),
              .label = fmt::format("RTX 3090 {} {} {}", model, row.at("mode"), row.at("layout")),
              .network = model,
              .gpu = row.at("gpu"),
              .dtype = Dtype::kFloat16,
              .batch = std::stoll(row.at("batch")),
              .sequence = {},
              .measured = train ? "training" : "forward",
              .mode = train ? RunMode::kTraining : RunMode::kInference,
              .input_gradient = false,
              .software = {}};
    each.software.cudnn = train ? std::pair{8, 3} : std::pair{9, 1};
    each.software.layout =
        row.at("layout") == "nchw" ? ImageLayout::kChannelsFirst : ImageLayout::kChannelsLast;
    each.software.attention = train ? AttentionKernels::kSeparate : AttentionKernels::kFused;
    each.software.issue = Duration(static_cast<std::int64_t>(kPyTorchIssue * kMixedIssue));
    each.seconds = test::number_of(row, "step_ms") * 1e-3;
    cases.push_back(each);
  }
}

struct Loaded {
  std::unique_ptr<const Network> network;
  TrainingGraph graph;
};

const Loaded& load(const Case& each) {
  static std::map<std::string, Loaded> cache;
  const std::string key = fmt::format("{} {} {}", each.network, static_cast<int>(each.dtype),
                                      each.sequence.value_or(0));
  if (const auto found = cache.find(key); found != cache.end()) return found->second;
  const std::string root = OOC_SOURCE_DIR;
  std::string path = root + "/networks/" + each.network + ".json";
  if (!std::filesystem::exists(path))
    path = root + "/networks/" + each.network + ".json";
  SpecDocument document = read_spec_file(path);
  for (auto& [name, value] : document.root.members) {
    if (name == "dtype") value.text = std::string(dtype_info(each.dtype).name);
    if (name != "inputs" || !each.sequence) continue;
    for (auto& [field, shape] : value.items.front().members) {
      if (field != "shape") continue;
      shape.items.front().integer = *each.sequence;
      shape.items.front().text = std::to_string(*each.sequence);
      shape.items.front().number = static_cast<double>(*each.sequence);
    }
  }
  Loaded loaded{std::make_unique<const Network>(read_network(document)), {}};
  loaded.graph = build_training_graph(*loaded.network, {.optimizer = Optimizer::kMomentum});
  return cache.emplace(key, std::move(loaded)).first->second;
}

Times price(const Case& each, const std::map<std::string, Architecture>& architectures) {
  const Loaded& loaded = load(each);
  const FitMachine machine = test::table_machines().at(each.gpu);
  const KernelPlatform platform{machine.machine, architectures.at(machine.architecture).parameters,
                                each.software};
  const KernelPricer pricer(loaded.graph, platform, each.batch, each.mode);
  Times times;
  double layers = 0;
  for (const Layer& layer : loaded.network->layers) layers += layer.model->is_view ? 0 : 1;
  for (const Task& task : loaded.graph.tasks) {
    const double seconds = pricer.seconds(task);
    const Layer& layer = loaded.network->layers[task.layer.at()];
    const bool forward = task.kind == TaskKind::kForward;
    double& sum = task.kind == TaskKind::kUpdate ? times.update
                  : forward                      ? times.forward
                                                 : times.backward;
    sum += seconds;
    const char* pass = forward                                   ? "f"
                       : task.kind == TaskKind::kBackwardWeights ? "w"
                       : task.kind == TaskKind::kUpdate          ? "u"
                                                                 : "d";
    times.parts[std::string(layer.kind->name) + " " + pass] += seconds;
  }
  for (std::size_t i = 0; i < loaded.network->layers.size(); ++i) {
    const LayerId id{static_cast<std::int32_t>(i)};
    times.backward += pricer.gradient_sum_seconds(id);
    times.parts["sums d"] += pricer.gradient_sum_seconds(id);
    const Layer& layer = loaded.network->layers[i];
    const bool first = std::holds_alternative<InputId>(layer.inputs.front());
    if (each.input_gradient && first) times.backward += pricer.input_gradient_seconds(id);
  }
  times.forward = pass_seconds(times.forward, layers, platform);
  times.backward = pass_seconds(times.backward, layers, platform);
  return times;
}

double predicted(const Case& each, const Times& times) {
  if (each.measured == "forward") return times.forward;
  if (each.measured == "forward+backward") return times.forward + times.backward;
  return times.forward + times.backward + times.update;
}

void print_set(const std::string& name, const std::vector<double>& deviations) {
  if (deviations.empty()) return;
  std::vector<double> sizes;
  double mean = 0;
  double bias = 0;
  for (const double deviation : deviations) {
    sizes.push_back(std::abs(deviation));
    mean += sizes.back() / static_cast<double>(deviations.size());
    bias += deviation / static_cast<double>(deviations.size());
  }
  fmt::print("| {:<44} | {:3} | {:5.1f} | {:5.1f} | {:5.1f} | {:+6.1f} |\n", name,
             deviations.size(), 100 * mean, 100 * median_of(sizes),
             100 * *std::max_element(sizes.begin(), sizes.end()), 100 * bias);
}

struct Options {
  std::string folder;
  std::string architectures = test::shipped_architectures();
  std::string only;
  bool rows = false;
  bool parts = false;
};

/// Channels-first over channels-last, predicted less measured.
void print_gains(const std::map<std::string, std::pair<double, double>>& steps, const char* mode) {
  std::vector<double> misses;
  for (const auto& [label, times] : steps) {
    if (!has(label, "nchw") || !has(label, mode)) continue;
    std::string other = label;
    other.replace(other.find("nchw"), 4, "nhwc");
    if (!steps.contains(other)) continue;
    const auto& last = steps.at(other);
    misses.push_back(std::abs(times.first / last.first - times.second / last.second));
  }
  if (misses.empty()) return;
  double mean = 0;
  for (const double miss : misses) mean += miss / static_cast<double>(misses.size());
  fmt::print("gain of channels last, {}: off by {:.3f} in the mean\n", mode, mean);
}

void run(const Options& options) {
  std::vector<Case> cases;
  add_networks(options.folder, cases);
  add_transformers(options.folder, cases);
  add_timm(options.folder, cases);
  const auto architectures = test::read_architectures(options.architectures);
  std::map<std::string, std::vector<double>> sets;
  std::map<std::string, std::pair<double, double>> steps;
  for (const Case& each : cases) {
    if (!has(each.set + " " + each.label, options.only.c_str())) continue;
    const Times times = price(each, architectures);
    const double time = predicted(each, times);
    const double deviation = time / each.seconds - 1;
    sets[each.set].push_back(deviation);
    if (has(each.set, "timm")) {
      sets["total: timm " + std::string(has(each.set, "judges") ? "(judges)" : "(may fit)")]
          .push_back(deviation);
      steps[each.label] = {time, each.seconds};
    }
    if (has(each.set, "training float32")) {
      sets[has(each.set, "2017") ? "total: training float32, all" : "total: training float32"]
          .push_back(deviation);
      if (!has(each.set, "2017")) sets["total: training float32, all"].push_back(deviation);
    }
    if (!options.rows) continue;
    fmt::print("  {:<62} {:9.2f} ms, measured {:9.2f}, {:+6.1f} %\n", each.label, 1e3 * time,
               1e3 * each.seconds, 100 * deviation);
    if (!options.parts) continue;
    for (const auto& [part, seconds] : times.parts) {
      if (seconds > 0.01 * time) fmt::print("      {:<24} {:8.2f}\n", part, 1e3 * seconds);
    }
  }
  fmt::print("| {:<44} |   n |  mean | median |  max |   bias |\n|---|---|---|---|---|---|\n",
             "data set");
  for (const auto& [name, deviations] : sets) print_set(name, deviations);
  print_gains(steps, "train");
  print_gains(steps, "infer");
}

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--architectures") {
      options.architectures = words.at(++i);
    } else if (words[i] == "--only") {
      options.only = words.at(++i);
    } else if (words[i] == "--rows") {
      options.rows = true;
    } else if (words[i] == "--parts") {
      options.rows = options.parts = true;
    } else {
      options.folder = words[i];
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
