// --job: what trainers' own files say of a job.
#include "tests/cli/run_program.hpp"

namespace ooc::test {
namespace {

constexpr const char* kDeepSpeed = R"({"bf16": {"enabled": true}, "optimizer": {"type": "AdamW"},
  "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "pin_memory": true}},
  "gradient_accumulation_steps": 2, "train_micro_batch_size_per_gpu": 4, "gradient_clipping": "auto"})";

/// The figures of `predict` on bert-large, behind what it repeats of the job.
std::string predicted(const Words& words, std::string network = "bert-large") {
  const Ran ran = run_ooc_paleo(Words{"predict"} + (network.empty() ? Words{} : Words{network}) +
                                words + Words{"--hardware", "a100-40gb-sxm", "--format", "json"});
  const std::size_t figures = ran.out.find("\"iteration_time_ns\"");
  REQUIRE_MESSAGE(figures != std::string::npos, ran.err);
  return ran.out.substr(figures);
}

TEST_CASE("a trainer's file is the flags that it comes to") {
  const ScratchFolder scratch;
  const Words offload{"--batch",      "8",
                      "--accumulate", "2",
                      "--precision",  "bf16",
                      "--optimizer",  "adam",
                      "--state",      "zero-offload",
                      "--framework",  "deepspeed-zero-2",
                      "--schedule",   "in-core"};
  const std::string deepspeed = scratch.file("ds.json", kDeepSpeed);
  CHECK(predicted({"--job", deepspeed}) == predicted(offload));
  // accelerate names the same file, from its own folder, and says on how many devices.
  const std::string accelerate = scratch.file(
      "accelerate.yaml",
      "distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 1\nuse_cpu: false\n"
      "deepspeed_config:\n  deepspeed_config_file: ds.json\n");
  CHECK(predicted({"--job", accelerate}) == predicted(offload));
  // Of several devices ZeRO's stage and FSDP's strategy say what is sharded.
  CHECK(predicted({"--job", deepspeed, "--devices", "2"}) ==
        predicted(Words(offload.begin() + 2, offload.end()) +
                  Words{"--batch", "16", "--devices", "2", "--shard", "gradients"}));
  const auto strategy = [&](const std::string& says) {
    return predicted({"--job",
                      scratch.file("shards.yaml",
                                   "num_processes: 4\nmixed_precision: bf16\n"
                                   "fsdp_config:\n  fsdp_offload_params: "
                                   "false\n" +
                                       says),
                      "--batch", "8"});
  };
  const auto shards = [&](const std::string& what) {
    return predicted({"--batch", "8", "--devices", "4", "--shard", what, "--precision", "fsdp-bf16",
                      "--framework", "pytorch-2", "--schedule", "in-core"});
  };
  CHECK(strategy("") == shards("weights"));
  CHECK(strategy("  fsdp_reshard_after_forward: true\n") == shards("weights"));
  CHECK(strategy("  fsdp_sharding_strategy: SHARD_GRAD_OP\n") == shards("gradients"));
  CHECK(strategy("  fsdp_reshard_after_forward: false\n") == shards("gradients"));
  // A flag takes the place of the file's word.
  CHECK(predicted({"--job", deepspeed, "--optimizer", "sgd"}) != predicted(offload));
  const std::string fsdp = scratch.file(
      "fsdp.yaml",
      "distributed_type: FSDP\nmixed_precision: bf16\nfsdp_config:\n  fsdp_offload_params: true\n"
      "  fsdp_activation_checkpointing: true\n");
  CHECK(predicted({"--job", fsdp}) ==
        predicted({"--precision", "fsdp-bf16", "--state", "fsdp-cpu", "--framework", "pytorch-2",
                   "--schedule", "checkpoint", "--blocks", "layer"}));
  const std::string axolotl = scratch.file(
      "axolotl.yml",
      "base_model: NousResearch/Meta-Llama-3-8B\nload_in_4bit: true\nadapter: qlora\nlora_r: 32\n"
      "lora_target_modules: [q_proj, v_proj]\nlora_dropout: 0.05\nsequence_len: 4096\n"
      "micro_batch_size: 2\ngradient_accumulation_steps: 4\noptimizer: paged_adamw_8bit\n"
      "bf16: auto\ngradient_checkpointing: true\nliger_fused_linear_cross_entropy: true\n");
  const Words qlora{"--batch",        "8",
                    "--accumulate",   "4",
                    "--seq",          "4096",
                    "--precision",    "bf16-pure",
                    "--optimizer",    "adam8",
                    "--state",        "paged",
                    "--lora",         "32:q_proj,v_proj",
                    "--lora-dtype",   "float32",
                    "--lora-dropout", "0.05",
                    "--base",         "nf4-double",
                    "--loss",         "chunked",
                    "--schedule",     "checkpoint",
                    "--blocks",       "layer",
                    "--framework",    "pytorch-2"};
  CHECK(predicted({"--job", axolotl}, "") == predicted(qlora, "llama-3-8b"));
  for (const Words& command : {Words{"fit"}, Words{"max", "--schedules", "in-core"}}) {
    const Ran ran = run_ooc_paleo(command + Words{"bert-large", "--hardware", "a100-40gb-sxm",
                                                  "--seq", "128", "--job", accelerate});
    CHECK_MESSAGE(ran.exit_code != 2, ran.err);
  }
}

TEST_CASE("a trainer's file says types of state and how activations leave") {
  const ScratchFolder scratch;
  const Words bf16{"--precision", "bf16", "--framework", "pytorch-2", "--schedule", "in-core"};
  CHECK(predicted({"--job", scratch.file("ds.json", R"({"zero_optimization": {"stage": 0},
      "bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true}})")}) ==
        predicted(bf16 + Words{"--master-dtype", "bf16", "--state-dtype", "bf16"}));
  CHECK(predicted({"--job", scratch.file("trl.yml",
                                         "bf16: true\ngradient_checkpointing: true\n"
                                         "activation_offloading: true\n")}) ==
        predicted({"--precision", "amp-bf16", "--schedule", "checkpoint-offload", "--blocks",
                   "layer", "--framework", "pytorch-2-offload"}));
}

TEST_CASE("a trainer's file that switches 16 bits off says nothing of them") {
  const ScratchFolder scratch;
  CHECK(predicted({"--job", scratch.file("off.json", R"({"zero_optimization": {"stage": 0}, "bf16":
      {"enabled": false, "bf16_master_weights_and_grads": true}})")}) ==
        predicted({"--framework", "pytorch-2", "--schedule", "in-core"}));
  CHECK(predicted({"--job", scratch.file("off.yml", "bf16: off\noptim: adamw_torch_fused\n")}) ==
        predicted({"--framework", "pytorch-2", "--schedule", "in-core", "--optimizer", "adam"}));
}

TEST_CASE("what a trainer's file says beyond is named, or left alone") {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "t.yaml",
      "train_batch_size: 8\ntrain_micro_batch_size_per_gpu: 2\nlearning_rate: 1e-4\n"
      "gradient_accumulation_steps: 4\ncontext_parallel_size: 2\ntensor_parallel_size: 1\n"
      "optimizer: {type: Lion}\nzero_optimization: {stage: 3, offload_optimizer: {device: "
      "nvme}}\n");
  const Ran ran = run_ooc_paleo({"predict", "alexnet", "--hardware", "m40", "--job", file});
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.find("/context_parallel_size: 2, is left out: sequences") != std::string::npos);
  CHECK(ran.err.find("/optimizer/type: Lion, is left out") != std::string::npos);
  CHECK(ran.err.find("device: nvme, is left out: disks") != std::string::npos);
  CHECK(ran.err.find("tensor_parallel") == std::string::npos);
  CHECK(ran.err.find("learning_rate") == std::string::npos);
  CHECK(ran.err.find("--batch 8 --accumulate 4 --framework deepspeed-zero-3") != std::string::npos);
}

TEST_CASE("a trainer's file that cannot be is refused with file and place") {
  const ScratchFolder scratch;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string file = scratch.file("bad.yaml", text);
    const Ran ran = run_ooc_paleo({"predict", "alexnet", "--hardware", "m40", "--job", file});
    CAPTURE(text.substr(0, 80));
    CHECK(ran.exit_code == 2);
    CHECK_MESSAGE(ran.err.find("bad.yaml: " + message) != std::string::npos, ran.err);
  };
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    std::string list;
    for (int i = 0; i < 9; ++i) list += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + list + "]\n";
  }
  refused(bomb, "line 5: found more values, aliases written out");
  refused("a: " + std::string(100'000, '['), "line 1: found ");
}

}  // namespace
}  // namespace ooc::test
