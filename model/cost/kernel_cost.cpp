// A convolution is its kernel and, with a bias, a pass that adds it; attention is its products and the
// passes over the weights between them; other layers are one streaming kernel a task.
#include "model/cost/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "model/base/errors.hpp"
#include "model/cost/amounts.hpp"
#include "model/kernels/product.hpp"

namespace ooc {
namespace {

/// Rows run along what does not grow with the batch: in, out or keys, not samples or steps.
std::int64_t row_start(const LayerProduct& product, std::int64_t element) {
  const std::int64_t steps = product.m | (product.batch == BatchAxis::kN ? 0 : product.n) |
                             (product.batch == BatchAxis::kK ? 0 : product.k);
  return std::min(std::int64_t{16}, (steps & -steps) * element);
}

// Passes over the weights of attention, heads x queries x keys, between its products. In one kernel:
// softmax and its gradient. Apart: scale, mask, softmax, each read and written; as much, the product of
// result and gradient, and three for the softmax's own backward; casts about a wider softmax, one of
// which the layer counts; and four permutes of the operands each way.
constexpr double kFusedForward = 2;
constexpr double kFusedBackward = 3;
constexpr double kSeparateForward = 5;
constexpr double kSeparateBackward = 5;
constexpr double kWideForward = 1;
constexpr double kWideBackward = 4;
constexpr double kPermutes = 8;
constexpr double kSeparateKernels = 5;
// Sum of two gradients: two reads and a write; on another kernel's back one read.
constexpr double kSumPasses = 3;
constexpr double kRidingSumPasses = 1;
// Adding a bias: read and write; its gradient: read.
constexpr double kBiasForward = 2;
constexpr double kBiasBackward = 1;
// Momentum in float32: weights, gradient, velocity read, weights and velocity written; mixed
// precision reads and writes a copy in half precision beside.
constexpr double kMasterBytes = 4;
constexpr double kMixedUpdate = 1.5;
constexpr double kInferenceNormShare = 2.0 / 3;  // of batch norm: no pass for the statistics

// Eager kernels that sum, of the streaming rate. A layer norm's forward kernel, which sums along rows; and sums over all
// rows, a kernel of their own that reads its operands again: gradients of a layer norm's weights and of a bias. Fitted to
// layer norms of 2 to 8 M numbers in float32 on A100, H100, V100 (sitar-lab/NeuSight, scripts/asplos/label, forward and
// backward: 0.43 to 0.57 and 0.37 to 0.49), judged by networks; on an H200 BERT's kernels run at 0.58, 0.39, bias 0.33
// (tests/data/measured/h200-sxm). Assumed for the bias and for other cards.
constexpr double kRowSums = 0.5;
constexpr double kColumnSums = 0.43;
constexpr double kNormOperands = 2.0 / 3;  // of the backward pass' three: input and gradient
/// Dropout's forward kernel, which draws random numbers, likewise: NeuSight 0.68 to 0.73, BERT on an H200 0.65.
constexpr double kDraws = 0.7;

/// Float32 operations for a 4-bit weight: bitsandbytes searches its value by branches. Kernels without branches are 1.36 to
/// 2.07 times as fast on A100 and H100, 1.25 to 1.8 on a T4, for large matrices no faster on GA10x and Ada (bitsandbytes,
/// pull request 1747 of September 2025): on an A100 twice the time of the memory's traffic. Later versions unpack faster.
constexpr double kUnpackFourBits = 80;

// PyTorch's pools: cycles of one multiprocessor for a pixel under a window, and, backward, for a pixel whose windows are
// looked for (means divide by each window's size). Fitted to single pools of 3x3 and 2x2 in Inception v4, DenseNet-121
// and U-Net on a Titan V (traces of uwsampl/dtr-prototype; within 14 %), judged by networks.
constexpr double kWindowPixel = 0.58;
constexpr double kMeanPixel = 5;
constexpr double kMaximumPixel = 2.8;

ConvolutionPass pass_of(TaskKind kind, bool mirrored) {
  if (kind == TaskKind::kBackwardWeights) return ConvolutionPass::kBackwardWeights;
  const bool forward = kind == TaskKind::kForward;
  return forward != mirrored ? ConvolutionPass::kForward : ConvolutionPass::kBackwardData;
}

double element_count(const TensorShape& shape) {
  double count = 1;
  for (const std::int64_t dim : shape.dims) count *= static_cast<double>(dim);
  return count;
}

double weights_of(const ConvolutionShape& shape) {
  double weights = static_cast<double>(shape.channels) * static_cast<double>(shape.filters) /
                   static_cast<double>(shape.groups);
  for (const ConvolutionDim& dim : shape.dims) weights *= static_cast<double>(dim.kernel);
  return weights;
}

}  // namespace

KernelPricer::KernelPricer(const TrainingGraph& graph, const KernelPlatform& platform,
                           std::int64_t batch, RunMode mode)
    : graph_(graph),
      platform_(platform),
      batch_(static_cast<double>(batch)),
      mode_(mode),
      remakes_copies_(graph.network->precision &&
                      precision_info(*graph.network->precision).copies == WeightCopies::kPerGroup),
      readers_(graph.network->layers.size(), 0) {
  for (const Layer& layer : graph.network->layers) {
    for (const Producer& producer : layer.inputs) {
      if (const auto* id = std::get_if<LayerId>(&producer)) ++readers_[id->at()];
    }
  }
}

const LayerModel& KernelPricer::model_of(LayerId layer) const {
  return *graph_.network->layers[layer.at()].model;
}

Dtype KernelPricer::type_of(const LayerModel& model) const {
  return model.computes_in.value_or(graph_.network->dtype);
}

double KernelPricer::output_bytes(const LayerModel& model) const {
  const std::int64_t own = model.output_bytes_per_element;
  const std::int64_t element = own > 0 ? own : dtype_info(graph_.network->dtype).bytes;
  return element_count(model.output) * batch_ * static_cast<double>(element);
}

/// Of inputs, weights and gradients into other types and back: a kernel each.
double KernelPricer::casts(const LayerModel& model, TaskKind kind) const {
  const LayerCasts& all = model.casts;
  const auto per_sample = [&](std::int64_t bytes) {
    return streaming(static_cast<double>(bytes) * batch_, 1);
  };
  const double copies = streaming(static_cast<double>(all.copy_traffic), 1);
  const double unpacking =
      std::max(streaming(static_cast<double>(all.unpacking), 1),
               kUnpackFourBits * static_cast<double>(all.four_bits) /
                   platform_.machine.peak[static_cast<std::size_t>(Dtype::kFloat32)].per_second);
  switch (kind) {
    case TaskKind::kForward:
      return per_sample(all.forward_per_sample) + copies + unpacking;
    case TaskKind::kBackward:
    case TaskKind::kBackwardData:
      return per_sample(all.backward_per_sample) + (remakes_copies_ ? copies : 0) + unpacking;
    default:
      return 0;
  }
}

double KernelPricer::streaming(double bytes, double kernels) const {
  if (bytes == 0) return 0;
  return streaming_seconds({.bytes = bytes, .kernels = kernels}, platform_);
}

KernelPricer::ConvolutionMethods KernelPricer::methods(const LayerModel& model,
                                                       TaskKind kind) const {
  const bool mirrored = model.convolution == nullptr;
  const ConvolutionShape& shape = mirrored ? *model.mirrored_convolution : *model.convolution;
  return {.times = convolution_times({.shape = &shape,
                                      .pass = pass_of(kind, mirrored),
                                      .batch = batch_,
                                      .dtype = type_of(model)},
                                     platform_),
          .beside = platform_.architecture.kernel_seconds + bias(model, kind) + casts(model, kind)};
}

double KernelPricer::convolution(const LayerModel& model, TaskKind kind) const {
  const ConvolutionMethods all = methods(model, kind);
  return all.times.fastest() + all.beside;
}

KernelPricer::ConvolutionMethods KernelPricer::convolution_methods(const Task& task) const {
  return methods(model_of(task.layer), task.kind);
}

double KernelPricer::bias(const LayerModel& model, TaskKind kind) const {
  const bool mirrored = model.convolution == nullptr;
  const double weights = weights_of(mirrored ? *model.mirrored_convolution : *model.convolution);
  const bool has_bias = static_cast<double>(model.parameters) > weights;
  if (!has_bias || kind == TaskKind::kBackwardData) return 0;
  const double output = output_bytes(model);
  return streaming(output * (kind == TaskKind::kForward ? kBiasForward : kBiasBackward), 1);
}

double KernelPricer::products(const LayerModel& model, TaskKind kind) const {
  const LayerProducts& all = *model.products;
  const std::vector<LayerProduct>& list = kind == TaskKind::kForward ? all.forward
                                          : kind == TaskKind::kBackwardWeights
                                              ? all.backward_weights
                                              : all.backward_data;
  double seconds = 0;
  const Dtype type = type_of(model);
  const bool pads = platform_.software.fusion == Fusion::kAll;  // compilers of graphs pad rows
  for (const LayerProduct& each : list) {
    Product product{static_cast<double>(each.m),
                    static_cast<double>(each.n),
                    static_cast<double>(each.k),
                    static_cast<double>(each.count),
                    pads ? 16 : row_start(each, dtype_info(type).bytes),
                    kind == TaskKind::kForward};
    (each.batch == BatchAxis::kN   ? product.n
     : each.batch == BatchAxis::kK ? product.k
                                   : product.count) *= batch_;
    const auto [known, is_new] =
        linear_.try_emplace({product.m, product.n, product.k, product.count, type,
                             product.row_start, product.is_forward});
    if (is_new) known->second = linear_seconds(product, type, platform_);
    seconds += known->second;
  }
  return seconds;
}

/// Share of its long-sequence rate that fused attention reaches: a query costs as much as 215 keys more. Against published
/// bars of 512 to 16,384 tokens, mean and worst error: FlashAttention-2 on A100 and H100 4, 13 % (Dao-AILab/flash-attention
/// @0251105, assets), cuDNN of 2024 with its shares 5, 14 %, FlashAttention-3 7, 38 % at 512 tokens, causal (arXiv:2407.08608, figure 5).
/// cuDNN's backward pass is three kernels and casts: 350 to 530 keys, 28 shapes on an H100 (tests/data/measured/h100-sxm).
constexpr double kKeysBeside = 215;
constexpr double kKeysBesideCudnnBackward = 450;
double share_of_shape(double head, double keys, const FlashParameters& flash, double beside) {
  const double halvings = std::max(0.0, std::log2(128 / head));
  return std::pow(flash.head_64, halvings) * keys / (keys + beside);
}

/// FlashAttention's first version, of the second's rate: up to 50 and 35 % of an A100's peak where that has up to 73 and
/// 63 (Dao, arXiv:2307.08691, section 1); on other cards assumed.
constexpr double kFirstForward = 0.50 / 0.73;
constexpr double kFirstBackward = 0.35 / 0.63;

/// PyTorch's memory-efficient kernel, CUTLASS for an A100, of heads padded to 64 or 128s: with a mask it computes every
/// score, and what it does beside products waits for them, so that both add up. Operations of products in the time of all
/// else, a cycle of a multiprocessor: heads of 64, to 128, wider; fitted to eight shapes on an H200, 7 % at worst
/// (tests/data/measured/h200-sxm/attention.jsonl). Other cards by their cycles, assumed.
constexpr std::array<double, 3> kBesideMaskedForward{453, 648, 648};
constexpr std::array<double, 3> kBesideMaskedBackward{502, 630, 181};
/// Of heads above 64 on graphics chips, whose 100 KB of shared memory a multiprocessor hold smaller tiles: means of what
/// others measured without masks. Forward: 31 TFLOP/s on an RTX 3090 (by its rates; Dao-AILab/flash-attention#416), 80 and
/// 55 on an RTX 4090 and an L20 with heads of 320 and more (#1473); backward: 12.4 (#416), 40 on an RTX 5090
/// (xlite-dev/ffpa-attn#235).
constexpr double kBesideForwardOfGraphics = 440;
constexpr double kBesideBackwardOfGraphics = 115;
double masked_rate(double head, bool forward, double products, const KernelPlatform& platform) {
  const double padded = head <= 64 ? 64 : 128 * std::ceil(head / 128);
  const std::size_t kind = head <= 64 ? 0 : head <= 128 ? 1 : 2;
  double beside = (forward ? kBesideMaskedForward : kBesideMaskedBackward)[kind];
  // Hopper's class, cut-down cards, has its shared memory; no GeForce is of Hopper.
  const bool graphics = platform.architecture.classes[0].most_gain > 0 && class_of(platform);
  if (kind > 0 && graphics) {
    beside = forward ? kBesideForwardOfGraphics : kBesideBackwardOfGraphics;
  }
  return head / padded / (1 / products + 1 / (beside * cycles_per_second(platform.machine)));
}

/// Random numbers that cuDNN's attention draws in a cycle of a multiprocessor, beside all else: 3.4 to 3.7 forward, 7 to 10
/// backward on an H100 (tests/data/measured/h100-sxm, times with and without dropout), 4.4 and more in BERT's kernels on an
/// H200, which were in sight. FlashAttention's own kernels draw for nothing here: no times of theirs were found.
constexpr double kDrawnForward = 3.8;
constexpr double kDrawnBackward = 10;

/// One kernel that multiplies at a share of the rate of large products and moves the layer's operands.
double KernelPricer::fused_products(const LayerModel& model, TaskKind kind) const {
  const bool forward = kind == TaskKind::kForward;
  const TaskWork& work = forward ? model.work.forward : model.work.backward_data;
  // PyTorch's kernel for float32 tensors ignores TF32 mode: three products of TF32 for one
  // (mem_eff_attention/gemm_kernel_utils.h), which take about as long as one of float32.
  const Dtype dtype = type_of(model) == Dtype::kTf32 ? Dtype::kFloat32 : type_of(model);
  const auto library = static_cast<std::size_t>(platform_.software.attention);
  const FlashParameters& flash =
      platform_.architecture.flash[library < kFusedAttentions ? library : 0];
  const bool masked = platform_.software.attention == AttentionKernels::kMasked;
  const bool first = platform_.software.attention == AttentionKernels::kFlash1;
  const FusedAttention& form = *model.fused_attention;
  const double keys = masked ? form.all_keys : form.keys;
  const bool of_cudnn = platform_.software.attention == AttentionKernels::kCudnn &&
                        !(flash == platform_.architecture.flash.front());
  const double of_library = forward ? flash.forward * (first ? kFirstForward : 1)
                                    : flash.backward * (first ? kFirstBackward : 1);
  double rate = linear_rate(dtype, platform_);
  if (on_tensor_cores(platform_, dtype)) {
    const double beside = of_cudnn && !forward ? kKeysBesideCudnnBackward : kKeysBeside;
    rate = masked ? masked_rate(form.head, forward, rate, platform_) * keys / (keys + beside)
                  : rate * of_library * share_of_shape(form.head, keys, flash, beside);
  }
  const double math = static_cast<double>(work.flops_per_sample) * batch_ * keys / form.keys / rate;
  const double memory =
      static_cast<double>(work.bytes_per_sample) * batch_ / streaming_rate(platform_);
  const bool draws = of_cudnn && mode_ == RunMode::kTraining;
  const double drawn = draws ? form.drawn * batch_ / (forward ? kDrawnForward : kDrawnBackward) /
                                   cycles_per_second(platform_.machine)
                             : 0;
  return roofed(math, memory, platform_.architecture.roof_sharpness) + drawn +
         platform_.architecture.kernel_seconds;
}

/// A step's share of its layer, which runs the products of all steps with the input, and those for the
/// weights' gradients, at once.
double KernelPricer::recurrent(const LayerModel& model, TaskKind kind) const {
  const RecurrentStep& step = *model.recurrent;
  if (!step.is_gates) return 0;
  const RecurrentTimes layer =
      recurrent_times({.cell = step.gates == 3 ? RecurrentCellKind::kGru : RecurrentCellKind::kLstm,
                       .hidden = static_cast<double>(step.units),
                       .batch = batch_,
                       .steps = static_cast<double>(step.steps),
                       .features = static_cast<double>(step.features),
                       .dtype = type_of(model)},
                      platform_);
  const double all = kind == TaskKind::kForward           ? layer.forward
                     : kind == TaskKind::kBackwardWeights ? layer.backward_weights
                                                          : layer.backward_data;
  return all / static_cast<double>(step.steps);
}

double KernelPricer::beside_products(const LayerModel& model, TaskKind kind) const {
  const LayerProducts& products = *model.products;
  const bool forward = kind == TaskKind::kForward;
  const bool fuses = platform_.software.fusion == Fusion::kAll;
  const bool sums = kind == TaskKind::kBackwardWeights && !fuses;
  std::int64_t moved = forward                              ? products.beside_forward
                       : kind == TaskKind::kBackwardWeights ? products.beside_weights
                                                            : products.beside_backward;
  if (!fuses && kind != TaskKind::kBackwardWeights) {
    moved += forward ? products.apart_forward : products.apart_backward;
  }
  const double beside =
      streaming(static_cast<double>(moved) * batch_ / (sums ? kColumnSums : 1), 1) +
      (forward ? draws(model) : 0);
  if (products.scores == 0) return beside;
  const double weights = static_cast<double>(products.scores) * batch_;
  const Software& software = platform_.software;
  const bool written_out = products.scores_apart && !fuses;
  if (!written_out && software.attention != AttentionKernels::kSeparate) {
    return beside + streaming(weights * (forward ? kFusedForward : kFusedBackward), 1);
  }
  const double wide = products.softmax_width;
  const double passes = (forward ? kSeparateForward + kWideForward * wide
                                 : kSeparateBackward + kWideBackward * wide) +
                        (wide == 1 ? 0 : 1 + wide);
  return beside + streaming(weights * passes + output_bytes(model) * kPermutes, kSeparateKernels);
}

/// What drawing random numbers adds to a dropout's forward pass: input read, output and mask written.
double KernelPricer::draws(const LayerModel& model) const {
  if (platform_.software.fusion == Fusion::kAll) return 0;
  const double element = static_cast<double>(dtype_info(graph_.network->dtype).bytes);
  const double bytes = static_cast<double>(model.saves.mask_bytes) * (2 * element + 1) * batch_;
  return streaming(bytes * (1 / kDraws - 1), 0);
}

/// By the loops of PyTorch's pools; memory may take longer.
double KernelPricer::pool_loops(const LayerModel& model, bool forward) const {
  if (platform_.software.pools == PoolKernels::kStreaming) return 0;
  const double pixel = model.saves.places > 0 ? kMaximumPixel : kMeanPixel;
  const double work = static_cast<double>(model.work.forward.flops_per_sample) * kWindowPixel +
                      (forward ? 0 : static_cast<double>(model.pooled) * pixel);
  const double cycles = cycles_per_second(platform_.machine);
  return cycles > 0 ? work * batch_ / cycles : 0;
}

double KernelPricer::update(const Task& task) const {
  const LayerModel& model = model_of(task.layer);
  const double each =
      platform_.software.update_seconds * static_cast<double>(model.launches.update);
  const bool counted = graph_.network->precision || graph_.optimizer == Optimizer::kAdam8 ||
                       graph_.optimizer == Optimizer::kAdafactor;
  if (counted) {
    const Wide bytes = amount_of(graph_, task, ComputeModel::kNative, 1).bytes;
    return each + streaming(static_cast<double>(bytes.value()), 0);
  }
  const double state = graph_.optimizer == Optimizer::kSgd        ? 3
                       : graph_.optimizer == Optimizer::kMomentum ? 5
                                                                  : 7;
  const bool mixed = dtype_info(graph_.network->dtype).bytes < 4;
  const double bytes =
      static_cast<double>(model.parameters) * kMasterBytes * state * (mixed ? kMixedUpdate : 1);
  return each + streaming(bytes, 0);
}

double KernelPricer::elementwise(const Layer& layer, const Task& task) const {
  const LayerModel& model = *layer.model;
  const bool forward = task.kind == TaskKind::kForward;
  const Fusion fusion = platform_.software.fusion;
  if (model.is_activation && fusion == Fusion::kAll) return 0;
  const bool sum = model.gradient_form == GradientForm::kAliasOrCopy;
  if (sum && !forward) return 0;  // gradient_sum_seconds has it
  if (sum && fusion != Fusion::kNone) {
    return streaming(output_bytes(model) * kRidingSumPasses, 0);
  }
  const TaskWork& work = forward ? model.work.forward : model.work.backward_data;
  double bytes =
      static_cast<double>(work.bytes_per_sample) * batch_ + static_cast<double>(work.bytes_fixed);
  if (mode_ == RunMode::kInference) {
    if (model.saves.mask_bytes > 0) return 0;  // dropout
    if (model.saves.statistics_fixed > 0) bytes *= kInferenceNormShare;
  }
  if (model.pooled > 0 && fusion != Fusion::kAll) {
    return std::max(streaming(bytes, 1), pool_loops(model, forward));
  }
  if (!model.sums_rows || fusion == Fusion::kAll) {
    return streaming(bytes, 1) + (forward ? draws(model) : 0);
  }
  const double casts = static_cast<double>(forward ? model.casts.forward_per_sample
                                                   : model.casts.backward_per_sample) *
                       batch_;
  if (forward) return streaming((bytes - casts) / kRowSums + casts, 1);
  const bool trained = model.parameters > 0 && !model.is_frozen;
  return streaming(bytes, 1) +
         (trained ? streaming((bytes - casts) * kNormOperands / kColumnSums, 1) : 0);
}

/// What eager kernels take beyond streaming: PyTorch's element-wise kernels meet 1.15 to 1.5 numbers in a cycle of a
/// multiprocessor where they cannot load vectors (ten on an H100: tests/data/measured/h100-sxm). Judged by jobs.
double KernelPricer::walks(const EagerWalk& walk) const {
  constexpr double kNumbers = 1.3;
  const double cycles = cycles_per_second(platform_.machine);
  if (platform_.software.fusion == Fusion::kAll || cycles == 0) return 0;
  const double counted = streaming(static_cast<double>(walk.bytes) * batch_, 0);
  const double walked = static_cast<double>(walk.numbers) * batch_ / (kNumbers * cycles);
  return std::max(0.0, walked - counted) + streaming(static_cast<double>(walk.again) * batch_, 0);
}

/// Software::train_metrics: PyTorch's cross entropies, each a cast to float32 and a log softmax, which reads long rows twice.
double KernelPricer::metrics(const Layer& layer) const {
  const auto* logits = layer.model->is_loss ? std::get_if<LayerId>(layer.inputs.data()) : nullptr;
  if (logits == nullptr || platform_.software.train_metrics == 0) return 0;
  constexpr double kFloat32Bytes = 4;
  constexpr double kPasses = 4;
  const double numbers = element_count(model_of(*logits).output) * batch_;
  const auto count = static_cast<double>(platform_.software.train_metrics);
  return count * streaming(output_bytes(model_of(*logits)) + kPasses * kFloat32Bytes * numbers, 2);
}

double KernelPricer::seconds(const Task& task) const {
  const LayerModel& model = model_of(task.layer);
  const bool forward = task.kind == TaskKind::kForward;
  const bool backward = task.kind == TaskKind::kBackward || task.kind == TaskKind::kBackwardData;
  return kernels(task) +
         (forward    ? walks(model.walk_forward) + metrics(graph_.network->layers[task.layer.at()])
          : backward ? walks(model.walk_backward)
                     : 0);
}

double KernelPricer::kernels(const Task& task) const {
  const Layer& layer = graph_.network->layers[task.layer.at()];
  const LayerModel& model = *layer.model;
  if (task.kind == TaskKind::kUpdate) return update(task);
  if (model.custom || (task.kind != TaskKind::kForward && !is_backward(task.kind))) return 0;
  if (model.convolution || model.mirrored_convolution) return convolution(model, task.kind);
  if (model.recurrent) return recurrent(model, task.kind);
  if (model.fused_attention) return fused_products(model, task.kind);
  if (model.products) {
    return products(model, task.kind) + beside_products(model, task.kind) + casts(model, task.kind);
  }
  return elementwise(layer, task);
}

double KernelPricer::gradient_sum_seconds(LayerId layer) const {
  const int sums = readers_[layer.at()] - 1;
  if (sums < 1) return 0;
  const double output = output_bytes(model_of(layer));
  const double passes = platform_.software.fusion == Fusion::kNone ? kSumPasses : kRidingSumPasses;
  return streaming(output * passes * sums, 0);
}

double KernelPricer::input_gradient_seconds(LayerId layer) const {
  const LayerModel& model = model_of(layer);
  OOC_CHECK(model.convolution != nullptr, "only convolutions' input gradients are asked for");
  return convolution_seconds({.shape = model.convolution.get(),
                              .pass = ConvolutionPass::kBackwardData,
                              .batch = batch_,
                              .dtype = type_of(model)},
                             platform_);
}

}  // namespace ooc
