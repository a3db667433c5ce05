// tables/trainers.json says which keys of which program mean the same, compose() what of that is which flag.
#include "cli/trainer_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "cli/locate.hpp"
#include "cli/yaml_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/named.hpp"
#include "model/base/option_text.hpp"
#include "model/base/terminal_text.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

constexpr std::string_view kJobFlag = "--job";
constexpr int kMostFiles = 4;  // a file that names itself ends there
/// DeepSpeed's reduce_bucket_size; Transformers fills in the hidden size squared for "auto".
constexpr double kOwnBucket = 5e8;

/// Keys that say the same, of which the first that is there counts.
struct Key {
  std::string says;  ///< name in the code below; empty: nothing that is predicted
  std::vector<std::string> pointers;
  std::string changes = {};  ///< without a name: what it would change
  double usual = 1;          ///< without a name: a number that changes nothing
};

struct Words {
  std::vector<Key> keys;
  /// Ours by theirs, in lower case; then "foreach", "paged".
  std::map<std::string, std::vector<std::string>> optimizers;
};

Words read_words() {
  const SpecDocument document = read_data_table("trainers");
  const SpecView root(document);
  Words words;
  for (const auto& [says, pointers] : root.get("keys").members()) {
    words.keys.push_back({says, pointers.as_texts()});
  }
  for (const SpecView& each : root.get("left_out").items()) {
    const auto usual = each.find("usual");
    words.keys.push_back({"", each.get("keys").as_texts(), each.get("changes").as_text(),
                          usual ? usual->as_number() : 1});
  }
  for (const auto& [name, is] : root.get("optimizers").members()) {
    if (is.items().empty()) is.fail("an empty list", "an optimiser's name");
    words.optimizers.emplace(name, is.as_texts());
  }
  return words;
}

struct Said {
  std::string text;  ///< a boolean as "true" or "false", a list with commas
  std::string file;
  std::string pointer;

  [[nodiscard]] bool is_on() const {
    return !is_one_of(lower_case(text), {"false", "no", "off", "none", "0", "disabled"});
  }
  [[noreturn]] void fail(std::string expected, std::string hint = {}) const {
    throw SpecError({file, pointer, in_quotes(text), std::move(expected), std::move(hint)});
  }
  [[nodiscard]] std::int64_t number() const {
    try {
      return whole_number_of(text, pointer, 1, kMaxBatch);
    } catch (const SpecError& error) {
      fail(error.parts().expected);
    }
  }
};

std::optional<SpecView> value_at(const SpecView& root, std::string_view pointer) {
  std::optional<SpecView> view = root;
  const bool is_zero = pointer.starts_with("/zero_optimization");
  while (view && !pointer.empty()) {
    const bool is_off = view->type() == SpecType::kNull ||
                        (view->type() == SpecType::kBoolean && !view->node().boolean);
    if (is_zero && !is_off) (void)view->members();  // DeepSpeed takes nothing else there
    if (view->type() != SpecType::kObject) return std::nullopt;
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    view = view->find(pointer.substr(0, end));
    pointer.remove_prefix(end);
  }
  return view;
}

/// Empty: null, or an object, which says itself by its keys.
std::string text_of(const SpecView& value) {
  const SpecNode& node = value.node();
  switch (node.type) {
    case SpecType::kBoolean:
      return node.boolean ? "true" : "false";
    case SpecType::kNumber:
      return node.text;
    case SpecType::kText:
      return std::string(trimmed(node.text));
    case SpecType::kList: {
      std::vector<std::string> texts;
      for (const SpecView& item : value.items()) texts.push_back(text_of(item));
      return fmt::format("{}", fmt::join(texts, ","));
    }
    case SpecType::kNull:
    case SpecType::kObject:
      break;
  }
  return "";
}

SpecDocument read_document(std::string_view text, const std::string& file,
                           const ReadLimits& limits) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return is_json ? read_spec_text(text, file, limits) : read_yaml_text(text, file, limits);
}

class Reader {
 public:
  Reader(std::string_view devices, const ReadLimits& limits) : limits_(limits) {
    constexpr std::int64_t kMostValues = 20'000;
    limits_.max_values = std::min(limits_.max_values, kMostValues);
    if (!devices.empty()) said_["devices"] = {std::string(devices), "", "--devices"};
  }

  TrainerFile read(std::string_view text, const std::string& path) && {
    whole_.file = path;
    read_keys(text, path);
    if (!knows_some_) {
      throw SpecError({path, std::string(kJobFlag), "none of the keys that are known",
                       "DeepSpeed's JSON, or the YAML of accelerate, axolotl or a "
                       "Hugging Face trainer"});
    }
    compose();
    return std::move(job_);
  }

 private:
  void read_keys(std::string_view text, const std::string& path) {
    const SpecDocument document = read_document(text, path, limits_);
    const SpecView root(document);
    if (root.type() != SpecType::kObject) root.fail(root.found(), "keys and values");
    for (const Key& key : words_.keys) {
      for (const std::string& pointer : key.pointers) {
        if (const auto value = value_at(root, pointer))
          read_key(key, {text_of(*value), path, pointer}, *value);
      }
    }
    const auto other = said_.extract("file");
    if (!other || !other.mapped().is_on() || ++files_ > kMostFiles) return;
    said_.try_emplace("deepspeed", other.mapped());
    const std::string named = beside(path, other.mapped().text);
    read_keys(read_text_file(named, other.mapped().pointer, limits_), named);
  }
  void read_key(const Key& key, Said said, const SpecView& value) {
    knows_some_ = true;
    const bool is_object = value.type() == SpecType::kObject;
    const bool is_list = value.type() == SpecType::kList;
    const bool has_more = std::ranges::any_of(words_.keys, [&](const Key& each) {
      return std::ranges::any_of(each.pointers, [&](const std::string& pointer) {
        return pointer.starts_with(said.pointer + "/");
      });
    });
    if (said.pointer.ends_with("_config") && !is_object && !said.text.empty() && said.is_on()) {
      value.fail(value.found(), "keys and values");
    }
    const bool takes_list = is_one_of(key.says, {"", "targets", "fsdp", "plugins"});
    if ((is_object && !key.says.empty() && !has_more) || (is_list && !takes_list)) {
      value.fail(value.found(), "one value");
    }
    if (key.says == "clip" && value.type() == SpecType::kNull) said.text = "none";
    if (key.says == "clip" && said.text == "auto") said.text = "1";
    // Where the machine can, in axolotl; else whoever starts the trainer fills it in.
    if (said.text == "auto" && key.says != "bucket" && key.says != "weight_type") {
      said.text = said.pointer == "/bf16" ? "true" : "";
    }
    // Transformers fills in fsdp_config whatever fsdp says.
    const bool is_null = value.type() == SpecType::kNull;
    if (key.says == "fsdp" && !is_object && !is_null && said.text.empty()) said.text = "false";
    // accelerate writes empty objects of what it does not use.
    const bool says_by_keys = key.says == "deepspeed" || key.says == "fsdp";
    if (key.says.empty()) {
      const bool says = !said.text.empty() && (said.is_on() || key.usual != 1);
      const bool changes = is_object || (says && real_in(said.text) != key.usual);
      if (changes) leave_out(said, key.changes);
    } else if (is_object ? says_by_keys && !value.members().empty() : !said.text.empty()) {
      said_.emplace(key.says, std::move(said));
    }
  }
  /// As the trainers do, from where they run; else beside the file that names it.
  static std::string beside(const std::string& path, const std::string& name) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored)) return name;
    return (std::filesystem::path(path).parent_path() / name).string();
  }

  [[nodiscard]] const Said* find(std::string_view what) const {
    if (find_named(words_.keys, what, &Key::says) == nullptr) {
      bad_value("tables/trainers.json", "no keys of " + in_quotes(std::string(what)),
                "the table of this version");
    }
    const auto found = said_.find(what);
    return found == said_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool has(std::string_view what) const { return find(what) != nullptr; }
  /// Null: not said, or "false".
  [[nodiscard]] const Said* on(std::string_view what) const {
    const Said* said = find(what);
    return said != nullptr && said->is_on() ? said : nullptr;
  }
  /// As on(), of a key that is nothing but a switch.
  [[nodiscard]] const Said* switched(std::string_view what) const {
    const Said* said = on(what);
    if (said && !is_one_of(lower_case(said->text), {"true", "yes", "on", "1", "auto", "full"})) {
      said->fail("true or false");
    }
    return said;
  }
  [[nodiscard]] bool is_set(std::string_view flag) const {
    return find_named(job_.flags, flag, &TrainerFlag::flag) != nullptr;
  }
  void set(std::string_view flag, std::string text, const Said& why) {
    if (!is_set(flag)) {
      job_.flags.push_back({std::string(flag), std::move(text), why.file, why.pointer});
    }
  }
  void leave_out(const Said& said, std::string_view changes) {
    const std::string value = said.text.empty() ? "" : ": " + said.text;
    job_.remarks.push_back(
        fmt::format("{}: {}{}, is left out: {}", said.file, said.pointer, value, changes));
  }

  void compose() {
    check_words();
    if (const Said* network = find("model")) set("NETWORK", network->text, *network);
    compose_batch();
    compose_precision();
    compose_optimizer();
    compose_state();
    compose_shards();
    compose_adapters();
    compose_kernels();
    compose_checkpoints();
  }

  static std::int64_t product(std::int64_t a, std::int64_t b, const Said& why) {
    if (a > kMaxBatch / b) why.fail(fmt::format("at most {} samples an iteration", kMaxBatch));
    return a * b;
  }

  void compose_batch() {
    const Said* micro = find("micro_batch");
    const Said* steps = find("accumulation");
    const Said* total = find("batch");
    const Said* devices = find("devices");
    std::int64_t times = devices ? devices->number() : 1;
    std::int64_t parts = steps ? steps->number() : 1;
    if (micro) {
      std::int64_t batch = product(product(micro->number(), parts, *micro), times, *micro);
      if (total) {
        // What neither says follows from the two: passes where the devices are known, else devices.
        std::int64_t& open = devices && !steps ? parts : times;
        const std::int64_t ratio = total->number() / batch;
        if ((!steps || !devices) && ratio > 0) {
          open = ratio;
          batch *= ratio;
        }
        if (batch != total->number()) {
          total->fail(
              fmt::format("a multiple of {} x accumulation x devices: {}", micro->pointer, batch));
        }
      }
      set("--batch", std::to_string(batch), total ? *total : *micro);
    } else if (total) {
      set("--batch", std::to_string(total->number()), *total);
    }
    if (times > 1) set("--devices", std::to_string(times), devices ? *devices : *total);
    if (parts > 1) set("--accumulate", std::to_string(parts), steps ? *steps : *total);
    if (const Said* length = find("sequence")) set("--seq", length->text, *length);
  }

  /// DeepSpeed keeps 16-bit weights beside a float32 copy. FSDP casts what it gathers, of float32 weights, whatever was
  /// loaded: accelerate upcasts what learns, and for FSDP2 all but a quantised base. axolotl loads 16-bit weights and no
  /// copy; the others let autocast cast. TRL leaves in float32 what PEFT upcasts beside a quantised base; axolotl casts it
  /// back. axolotl's "full" is no mixed precision.
  void compose_precision() {
    const Said* mixed = on("precision");
    const std::string name = mixed ? lower_case(mixed->text) : "";
    if (mixed && name != "bf16" && name != "fp16" && name != "fp8") {
      mixed->fail("no, fp16, bf16 or fp8");
    }
    const Said* bf16 = name == "bf16" ? mixed : switched("bf16");
    const Said* fp16 = name == "fp16" ? mixed : switched("fp16");
    const bool is_axolotl = has("model") && find("model")->pointer == "/base_model";
    const Said* loaded = find("weight_type");
    std::string type = loaded ? lower_case(loaded->text) : "";
    if (type.starts_with("torch.")) type.erase(0, std::string_view("torch.").size());
    const bool is_bf16 = is_one_of(type, {"", "auto", "bfloat16", "bf16"});
    const bool is_fp32 = is_one_of(type, {"float32", "fp32", "float"});
    const bool is_fp16 = is_one_of(type, {"float16", "fp16", "half"});
    if (!is_bf16 && !is_fp32 && !is_fp16) loaded->fail("auto, bfloat16, float16 or float32");
    const bool loads16 =
        (!type.empty() && !is_fp32) || on("pure") || ((is_axolotl || adapts()) && !is_fp32);
    if (name == "fp8") {
      set("--precision", "fp8", *mixed);
    } else if (bf16) {
      const bool upcasts = !adapts() || (is_second() && !is_axolotl && base_of().empty());
      const bool gathers = on("fsdp") && upcasts && !on("pure") && lower_case(bf16->text) != "full";
      const char* precision = has("deepspeed")                                      ? "bf16"
                              : gathers                                             ? "fsdp-bf16"
                              : loads16 && !(has("use_peft") && !base_of().empty()) ? "bf16-pure"
                                                                                    : "amp-bf16";
      set("--precision", precision, *bf16);
    } else if (fp16) {
      const bool upcasts = has("use_peft") && !base_of().empty();
      const bool is_frozen16 = adapts() && loads16 && !upcasts;
      set("--precision", has("deepspeed") ? "fp16" : is_frozen16 ? "bf16-pure" : "amp-fp16", *fp16);
      if (is_frozen16 && !has("deepspeed")) {
        leave_out(*fp16, "bfloat16 is predicted, which is as wide, without scaled losses");
      } else if (on("fsdp"))
        leave_out(*fp16, "FSDP would gather float16; autocast is predicted");
    } else if (const Said* tf32 = switched("tf32")) {
      set("--precision", "tf32", *tf32);
    } else if (const Said* half = on("pure") ? on("pure") : loaded; half && loads16 && !is_fp16) {
      set("--precision", "bf16-pure", *half);
    } else {
      for (const std::string_view off : {"bf16", "fp16", "precision"}) {
        if (has(off)) set("--precision", "fp32", *find(off));
      }
      if (is_fp32) set("--precision", "fp32", *loaded);
      if (is_fp16) leave_out(*loaded, "training in float16 alone");
    }
    const Said* gradients = on("gradient_type");
    if (gradients && gradients->text == "fp32" && (bf16 || fp16)) {
      set("--grad-dtype", "fp32", *gradients);
    }
    if (!bf16 && !fp16) return;
    const char* half = bf16 ? "bf16" : "fp16";
    if (const Said* masters = switched("masters16")) set("--master-dtype", half, *masters);
    if (const Said* state = switched("state16")) set("--state-dtype", half, *state);
  }

  /// Whether autocast, or what stands in for it, computes in 16 bits. axolotl's "full" computes in what is loaded.
  [[nodiscard]] bool is_mixed() const {
    const Said* bf16 = on("bf16");
    return (bf16 && lower_case(bf16->text) != "full") || on("fp16") || on("precision");
  }

  void compose_optimizer() {
    const Said* clip = find("clip");
    const auto norm = clip && clip->is_on() ? real_in(clip->text) : std::optional(0.0);
    if (!norm) clip->fail("a number");
    const bool usual = !clip && has("model") && !has("deepspeed");  // a trainer clips by 1
    if (usual || *norm > 0) set("--clip-gradients", "", clip ? *clip : whole_);
    const Said* said = find("optimizer");
    if (!said) return;
    const std::string name = lower_case(said->text);
    const auto known = words_.optimizers.find(name);
    if (known == words_.optimizers.end()) return leave_out(*said, "its state is not known");
    const auto is = [&](std::string_view word) { return contains(known->second, word); };
    set("--optimizer", is("sgd") && on("momentum") ? "momentum" : known->second[0], *said);
    if (is("foreach") && !has("deepspeed")) set("--adam", "foreach", *said);
    if (!is("paged")) return;
    set("--state", "paged", *said);
    job_.remarks.push_back(
        fmt::format("{}: {}: its state is paged as if memory were full; where all fits, nothing "
                    "moves: --state none",
                    said->file, said->pointer));
  }

  /// Words of Hugging Face trainers' `fsdp`, and of accelerate's `distributed_type`.
  void check_words() {
    if (const Said* fsdp = on("fsdp"); fsdp && !fsdp->text.empty()) {
      std::string words = lower_case(fsdp->text);
      std::ranges::replace(words, ',', ' ');
      for (const std::string& word : split_list(words, kJobFlag, ' ')) {
        const bool is_known = word == "true" || word == "offload" || word == "auto_wrap" ||
                              (is_strategy(word) && word.size() > 1);
        if (!is_known) fsdp->fail("true, or a strategy such as full_shard, offload, auto_wrap");
      }
    }
    const Said* type = on("distributed");
    const std::string name = type ? lower_case(type->text) : "";
    const Said* fsdp = find("fsdp");
    if (has("distributed") && name != "fsdp" && fsdp && fsdp->pointer == "/fsdp_config") {
      said_.erase("fsdp");  // accelerate reads it with its type alone
    }
    if (!type || is_one_of(name, {"multi_gpu", "fsdp", "deepspeed", "megatron_lm"})) return;
    const bool is_other = name.starts_with("multi_") || name == "xla" || name == "mps";
    type->fail("NO, MULTI_GPU, FSDP, DEEPSPEED or MEGATRON_LM",
               is_other ? "devices that run neither CUDA nor ROCm are not predicted" : "");
  }

  /// FullyShardedDataParallel's strategies; fully_shard is told whether to reshard.
  [[nodiscard]] static bool names_strategy(const Said& said) {
    const std::string how = lower_case(said.text);
    return how != "true" && how != "false";
  }
  [[nodiscard]] static bool is_strategy(std::string_view how) {
    return is_one_of(how, {"full_shard", "shard_grad_op", "no_shard", "hybrid_shard",
                           "hybrid_shard_zero2", "1", "2", "3", "4", "5"});
  }

  /// Whether FSDP is its second version.
  [[nodiscard]] bool is_second() const {
    const Said* version = find("fsdp_version");
    if (version && version->text != "1" && version->text != "2") version->fail("1 or 2");
    const Said* shards = find("fsdp_shards");
    return version ? version->text == "2" : shards && !names_strategy(*shards);
  }

  void compose_state() {
    const Said* optimizer = offloaded("offload_optimizer");
    const Said* weights = offloaded("offload_weights");
    const Said* stage = find("zero_stage");
    if (optimizer && stage && stage->text == "0") {
      leave_out(*optimizer, "without ZeRO nothing is offloaded");
      optimizer = nullptr;
    }
    const bool is_third = stage && stage->text == "3";
    const bool is_known =
        !stage || !stage->is_on() || is_third || stage->text == "1" || stage->text == "2";
    if (!is_known) stage->fail("0 to 3");
    if (weights && !is_third) leave_out(*weights, "without ZeRO's stage 3 weights stay near");
    const bool weights_move = weights && is_third;
    if (weights_move || optimizer) {
      set("--state", is_third ? "zero-infinity" : "zero-offload",
          weights_move ? *weights : *optimizer);
      const Said* share = find("offload_share");
      const bool is_part = share && share->text != "1" && share->text != "1.0";
      if (is_part && weights_move) leave_out(*share, "part of the update would stay near");
      if (!weights_move && (is_part || is_third)) {
        set("--offload", fmt::format("optimizer{},gradients", is_part ? ":" + share->text : ""),
            is_part ? *share : *optimizer);
      }
    }
    const Said* fsdp = on("fsdp");
    const Said* listed = fsdp && fsdp->text.find("offload") != std::string::npos ? fsdp : nullptr;
    if (const Said* moves = listed ? listed : fsdp ? switched("fsdp_offload") : nullptr) {
      set("--state", "fsdp-cpu", *moves);
    }
    if (const Said* pinned = find("pinned"); pinned && !pinned->is_on()) {
      set("--mode", "pageable", *pinned);
    }
    const Said* compiled = on("compiled");
    if (stage && stage->is_on()) {
      const Said* bucket = find("bucket");
      const bool by_size = is_third && bucket && bucket->text == "auto";
      if (bucket && bucket->text != "auto" && !real_in(bucket->text)) {
        bucket->fail("a number of parameters, or \"auto\"");
      }
      const std::string framework = by_size    ? "deepspeed-zero-3"
                                    : is_third ? "deepspeed-zero-3-own"
                                               : "deepspeed-zero-2";
      set("--framework", framework, by_size ? *bucket : *stage);
      if (bucket && !by_size && real_in(bucket->text) != kOwnBucket) {
        leave_out(*bucket, "5e8 is taken; --framework FILE with \"like\": \"" + framework +
                               "\", \"gradient_buckets\": N takes N (\"auto\" in Transformers: the "
                               "hidden size squared)");
      }
    } else {
      const Said* moves = checkpoint_offload();
      const Said& why = compiled ? *compiled : moves ? *moves : whole_;
      const bool second = is_second();
      set("--framework",
          compiled          ? "pytorch-2-compiled"
          : moves           ? "pytorch-2-offload"
          : fsdp && !second ? "pytorch-2-fsdp"
                            : "pytorch-2",
          why);
    }
  }
  /// Of several devices. FSDP shards weights unless it is told to hold them from forward to backward.
  void compose_shards() {
    if (!is_set("--devices")) return;
    constexpr std::string_view kShards[] = {"none", "optimizer", "gradients", "weights"};
    if (const Said* stage = on("zero_stage")) {
      const std::int64_t number = stage->number();
      set("--shard", std::string(kShards[number]), *stage);
    } else if (const Said* fsdp = on("fsdp")) {
      const Said* said = find("fsdp_shards");
      const Said& why = said ? *said : *fsdp;
      const std::string how = lower_case(why.text);
      const auto says = [&](std::string_view word) { return how.find(word) != std::string::npos; };
      if (says("no_shard")) return;
      if (says("hybrid")) leave_out(why, "one machine is predicted");
      if (said && names_strategy(why) && !is_strategy(how)) {
        why.fail("FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, 1 to 5, true or false");
      }
      if (said && how == "3") return;
      const bool held = says("grad_op") || (said && (how == "false" || how == "2"));
      set("--shard", held ? "gradients" : "weights", why);
    }
  }
  /// Null: not offloaded.
  const Said* offloaded(std::string_view what) {
    const Said* said = on(what);
    const std::string place = said ? lower_case(said->text) : "";
    if (place == "nvme") {
      leave_out(*said, "disks are not predicted; \"cpu\" is");
      return nullptr;
    }
    if (said && place != "cpu" && place != "true") said->fail("none, cpu or nvme");
    return said;
  }

  /// LLaMA-Factory learns adapters unless it is told otherwise.
  [[nodiscard]] std::string adapter_kind() const {
    const Said* adapter = find("adapter");
    if (!adapter) return has("llama_factory") ? "lora" : "";
    return adapter->is_on() ? lower_case(adapter->text) : "";
  }
  [[nodiscard]] bool adapts() const { return is_one_of(adapter_kind(), {"lora", "qlora", "true"}); }

  /// How the base of adapters is quantised; empty: not. TRL quantises scales if it is told to, the others always.
  [[nodiscard]] std::string base_of() const {
    const bool once = has("use_peft") && !on("nested");
    const std::string four = once ? "nf4" : "nf4-double";
    const Said* bits = on("load_bits");
    if (bits) return bits->text == "8" ? "int8" : bits->text == "4" ? four : "";
    if (on("load8")) return "int8";
    return on("load4") || adapter_kind() == "qlora" ? four : "";
  }

  /// PEFT keeps adapters in float32 beside a 16-bit base; LLaMA-Factory leaves them in 16 bits with pure_bf16. DeepSpeed casts
  /// them to its type, as all else.
  void compose_adapters() {
    if (const Said* stage = find("stage"); stage && stage->text != "sft" && stage->text != "pt") {
      leave_out(*stage, "more models, or two sequences a sample, would run");
    }
    const Said* said = on("adapter");
    const Said* adapter = said ? said : find("llama_factory");
    if (!adapts()) {
      if (said && adapter_kind() != "full") leave_out(*said, "other weights would be learnt");
      for (const std::string_view what : {"load_bits", "load4", "load8"}) {
        if (const Said* bits = on(what)) leave_out(*bits, "only adapters learn beside it");
      }
      const Said* rank = find("rank");
      if (rank && !said) leave_out(*rank, "no adapter, use_peft or finetuning_type asks for them");
      return;
    }
    const Said* rank = find("rank");
    const Said* targets = find("targets");
    std::string text = rank ? rank->text : has("use_peft") ? "16" : "8";
    if (targets && targets->text != "all" && targets->text != "all-linear") {
      text += ":" + targets->text;
    } else if (!targets && !has("llama_factory") && !on("all_linear")) {
      text += ":q/v/c_attn/query_key_value/qkv_proj";  // PEFT's own, by family
    }
    set("--lora", text, rank ? *rank : *adapter);
    // FSDP gathers 16 bits, which PEFT does not cast.
    const bool gathers = on("fsdp") && is_mixed();
    if (on("pure") || (gathers && !is_second())) {
      set("--lora-dtype", "bfloat16", *adapter);
    } else if (!is_mixed() || (!has("deepspeed") && !gathers)) {
      set("--lora-dtype", is_mixed() ? "autocast" : "float32", *adapter);
    }
    if (const Said* dropout = on("adapter_dropout")) {
      set("--lora-dropout", dropout->text, *dropout);
    } else if (has("use_peft") && !has("adapter_dropout")) {
      set("--lora-dropout", "0.05", *adapter);
    }
    const Said* bits = on("load_bits");
    if (bits && bits->text != "4" && bits->text != "8")
      return leave_out(*bits, "4 and 8 are known");
    for (const std::string_view what : {"load_bits", "load8", "load4", "adapter"}) {
      if (const Said* why = on(what); why && !base_of().empty()) set("--base", base_of(), *why);
    }
  }

  void compose_kernels() {
    const Said* attention = find("attention");
    if (const Said* fused = on("fused_kernels")) {
      set("--kernels", "fused", *fused);
    } else if (attention && (lower_case(attention->text) == "eager" ||
                             lower_case(attention->text) == "disabled")) {
      set("--kernels", "eager", *attention);
    } else if (const Said* eager = on("eager")) {
      set("--kernels", "eager", *eager);
    } else if (const Said* flash = on("flash")) {
      set("--kernels", "sdpa", *flash);
    }
    if (const Said* loss = on("chunked_loss")) set("--loss", "chunked", *loss);
    const Said* plugins = find("plugins");
    const bool cuts = plugins && plugins->text.find("CutCrossEntropy") != std::string::npos;
    const Said* said = find("chunked_loss");
    const bool refused = said && said->pointer == "/cut_cross_entropy";
    if (cuts && !refused) set("--loss", "chunked", *plugins);
  }

  /// LLaMA-Factory checkpoints unless it is told not to.
  [[nodiscard]] const Said* checkpointing() const {
    const bool usual = has("llama_factory") && !on("not_checkpointing");
    const Said* asked = usual ? find("llama_factory") : on("checkpointing");
    return !asked && on("fsdp") ? on("fsdp_checkpointing") : asked;
  }
  /// Null: not asked for, or beside no checkpoints, where every saved tensor would move.
  [[nodiscard]] const Said* checkpoint_offload() const {
    const Said* offload = on("checkpoint_offload");
    const bool all = offload && !checkpointing() && offload->pointer == "/activation_offloading";
    return all ? nullptr : offload;
  }

  void compose_checkpoints() {
    const Said* blocks = checkpointing();
    const Said* offload = checkpoint_offload();
    const std::string how = blocks ? lower_case(blocks->text) : "";
    const bool is_offload = how.starts_with("offload") || how == "unsloth";
    if (blocks && blocks->pointer.ends_with("checkpointing") && !is_offload) {
      (void)switched(blocks == find("checkpointing") ? "checkpointing" : "fsdp_checkpointing");
    }
    if (how == "offload_disk") leave_out(*blocks, "disks are not predicted; the host's memory is");
    if (const Said* all = on("checkpoint_offload"); all && !offload) {
      leave_out(*all, "without gradient_checkpointing every saved tensor would move");
    }
    const Said* why = offload ? offload : blocks;
    if (!why) return set("--schedule", "in-core", whole_);
    set("--schedule", offload || is_offload ? "checkpoint-offload" : "checkpoint", *why);
    set("--blocks", "layer", *why);
  }

  const Words words_ = read_words();
  ReadLimits limits_;
  Said whole_;  ///< why what no key says is as it is
  std::map<std::string_view, Said> said_;
  TrainerFile job_;
  int files_ = 0;
  bool knows_some_ = false;
};

}  // namespace

TrainerFile read_trainer_text(std::string_view text, const std::string& file,
                              std::string_view devices, const ReadLimits& limits) {
  return Reader(devices, limits).read(text, file);
}

TrainerFile read_trainer_file(const std::string& path, std::string_view devices,
                              const ReadLimits& limits) {
  return read_trainer_text(read_text_file(path, kJobFlag, limits), path, devices, limits);
}

}  // namespace ooc
