// The third input: what its reader takes and refuses, and that each field reaches the result that it is about.
// What is kept for backward is tested in graph_keeping_test.cpp.
#include "model/cost/cost_table.hpp"
#include "model/graph/build_training_graph.hpp"
#include "model/network/network_json.hpp"
#include "model/software/framework_json.hpp"
#include "simulator/predict/case.hpp"
#include "simulator/predict/planning.hpp"
#include "simulator/predict/scheduled_case.hpp"
#include "simulator/schedules/own_options.hpp"
#include "tests/support/test.hpp"
#include "tests/support/validate_plan.hpp"

namespace ooc {
namespace {

const std::string kRoot = OOC_SOURCE_DIR;

std::string file_of(const std::string& fields, const std::string& provenance = "*") {
  return R"({"format": "ooc-paleo/framework", "version": 1, "name": "mine", )" + fields +
         R"("provenance": [{"fields": ")" + provenance +
         R"(", "kind": "assumed", "source": "made up for a test"}]})";
}

Framework software_read(const std::string& fields) {
  return read_framework(read_spec_text(file_of(fields), "mine.json"));
}

Framework framework_of(const std::string& name) {
  return read_framework(read_spec_file(kRoot + "/hwprofiles/software/" + name + ".json"));
}

std::string refused(const std::string& text) {
  return message_of([&] { return read_framework(read_spec_text(text, "mine.json")); });
}

Case case_with(const Workload& workload, const Machine& machine, CaseOptions options,
               const std::string& fields) {
  options.framework = std::make_shared<const Framework>(software_read(fields));
  return make_case(workload, machine, options);
}

struct Loaded {
  CaseOptions options;
  Workload workload;
  Machine machine;
};

Loaded load(const std::string& network, const std::string& machine) {
  Loaded loaded;
  loaded.options.batch = 8;
  loaded.workload = read_workload(kRoot + "/networks/" + network + ".json", loaded.options);
  loaded.machine =
      read_machine(kRoot + "/hwprofiles/" + machine + ".json",
                   {.limits = {}, .architecture_folders = {kRoot + "/hwprofiles/architectures"}});
  return loaded;
}

Duration fastest(const Case& which) {
  Duration sum;
  for (std::size_t i = 0; i < which.workload.graph.tasks.size(); ++i) {
    sum += which.costs[which.costs.alternative(make_id<TaskId>(i), AlgorithmChoice::kPerformance)]
               .time;
  }
  return sum;
}

TEST_CASE("every shipped framework is read, under the name of its file") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/hwprofiles/software")) {
    const std::string name = entry.path().stem().string();
    if (name.ends_with(".schema")) continue;
    CAPTURE(name);
    CHECK(framework_of(name).name == name);
    ++count;
  }
  CHECK(count >= 8);
}

TEST_CASE("PyTorch 1 keeps the result of a clamp in place, PyTorch 2 a copy of its input") {
  const auto clamps_of = [](const std::string& name) { return framework_of(name).keeping.clamps; };
  CHECK(clamps_of("pytorch-1") == KeptOfClamps::kAsActivations);
  CHECK(clamps_of("pytorch-2") == KeptOfClamps::kInput);
}

TEST_CASE("a framework's fields, each with its values") {
  CHECK(software_read(R"("activation_saves": "both",)").keeping.activations ==
        KeptActivation::kBoth);
  CHECK(software_read(R"("clamp_saves": "input",)").keeping.clamps == KeptOfClamps::kInput);
  CHECK(software_read(R"("slice_saves": "whole",)").keeping.slices == KeptOfSlices::kWhole);
  CHECK(software_read(R"("activation_in_place": "never",)").keeping.in_place ==
        InPlaceRule::kNever);
  CHECK(software_read(R"("pool_saves": "input_and_indices",)").keeping.pools ==
        KeptOfPools::kInputAndIndices);
  CHECK(software_read(R"("norm_saves": "input_and_statistics",)").keeping.norms ==
        KeptOfNorms::kInputAndStatistics);
  CHECK(software_read(R"("dropout_mask": 4,)").keeping.mask_bytes == 4);
  CHECK(software_read(R"("softmax_saves": "input_and_output",)").keeping.softmax ==
        KeptOfSoftmax::kInputAndOutput);
  CHECK(software_read(R"("four_bit_saves": "input",)").keeping.four_bit_inputs);
  CHECK(software_read(R"("gradient_in_place": "never",)").keeping.in_place_gradients ==
        InPlaceGradients::kNever);
  CHECK(software_read(R"("loss_dtype": "float32",)").keeping.loss_dtype == Dtype::kFloat32);
  CHECK(software_read(R"("gradient_sharing": "until_written",)").keeping.gradients ==
        GradientSharing::kUntilWritten);
  CHECK(software_read(R"("copy_streams": "serial",)").copies.streams == CopyStreams::kSerial);
  CHECK(software_read(R"("pinned": {"per_copy": "3 ms"},)").copies.pinned_cost ==
        Duration(3'000'000));
  CHECK(software_read(R"("pinned": "pool",)").copies.pinned_cost == Duration(0));
  CHECK(software_read(R"("far_sizes": "powers_of_two",)").copies.far_powers_of_two);
  CHECK(software_read(R"("allocator": "caching",)").allocator == FrameworkAllocator::kCaching);
  CHECK(software_read(R"("weight_gradients": "freed",)").weight_gradients ==
        WeightGradients::kFreed);
  CHECK(software_read(R"("gradient_buckets": 500,)").gradient_buffers.buckets == 500);
  CHECK(software_read(R"("gradient_buckets": "exchanged",)").gradient_buffers.exchanged);
  CHECK_THROWS_AS((void)software_read(R"("gradient_buckets": "some",)"), SpecError);
  CHECK_THROWS_AS((void)software_read(R"("update_group": "none",)"), SpecError);
  CHECK(software_read(R"("gradient_buckets": "all",)").gradient_buffers.buckets ==
        GradientBuffers::kAll);
  CHECK(software_read(R"("update_copies": 6,)").gradient_buffers.copies == 6);
  CHECK(software_read(R"("update_group": 1000,)").gradient_buffers.group == 1000);
  CHECK(software_read(R"("norm_copies": 8,)").gradient_buffers.norms == 8);
  CHECK(software_read(R"("overflow_checks": "far", "gradients_leave": "pageable",)").checks_far);
  CHECK(software_read(R"("gradients_leave": "pageable",)").pageable_gradients);
  CHECK(software_read(R"("weights_live": 1000,)").live == 1000);
  CHECK(software_read(R"("inputs": "throughout",)").inputs == HeldInputs::kThroughout);
  CHECK(software_read(R"("sharding": "fsdp-1",)").sharding == Sharding::kFsdp1);
  CHECK(software_read(R"("context": "500 MB",)").context == Bytes(500'000'000));
  CHECK(software_read(R"("memory_share": 0.95,)").memory_share == 0.95);
  CHECK(software_read(R"("workspace": "8 MiB",)").workspace == Bytes(8 << 20));
  CHECK(software_read(R"("host_issue": "59 us",)").software.issue == Duration(59'000));
  CHECK(software_read(R"("pool_kernels": "pytorch",)").software.pools == PoolKernels::kPyTorch);
  CHECK(software_read(R"("host_issue_per": "launch",)").software.issued_by == IssuedBy::kLaunch);
  CHECK(software_read(R"("train_metrics": 2,)").software.train_metrics == 2);
  CHECK(software_read(R"("update_each": "150 us",)").software.update_seconds ==
        doctest::Approx(150e-6));
  CHECK(software_read(R"("host_hooks": "1 ms",)").software.hooks == Duration(1'000'000));
  CHECK(software_read(R"("hooks_on": "units",)").software.hooks_on == HooksOn::kUnits);
  CHECK(software_read(R"("elementwise": 1.5,)").software.elementwise_factor == 1.5);
  CHECK(software_read(R"("attention": "separate",)").software.attention ==
        AttentionKernels::kSeparate);
  CHECK(software_read(R"("cudnn": "7.6",)").cudnn == std::pair{7, 6});
  const Framework fused = software_read(R"("layout": "channels_last_fused",)");
  CHECK(fused.software.layout == ImageLayout::kChannelsLast);
  CHECK(fused.software.fusion == Fusion::kAdd);
  CHECK(software_read(R"("layout": "channels_first", "fusion": "all",)").software.fusion ==
        Fusion::kAll);
}

TEST_CASE("a framework without fields is ideal, and needs no provenance") {
  const Framework none = read_framework(
      read_spec_text(R"({"format": "ooc-paleo/framework", "version": 1, "name": "none"})", ""));
  CHECK(none.keeping == Keeping{});
  CHECK(none.copies.streams == CopyStreams::kOverlap);
  CHECK(none.assumed.empty());
  CHECK(software_read(R"("dropout_mask": 4,)").assumed == std::vector<std::string>{"*"});
}

TEST_CASE("a framework like another one has its fields, but for those that it states") {
  const FrameworkSources shipped_ones{.limits = {}, .folders = {kRoot + "/hwprofiles/software"}};
  const Framework base = framework_of("pytorch-2");
  const auto text = file_of(R"("like": "pytorch-2", "copy_streams": "serial",)", "copy_streams");
  const Framework mine = read_framework(read_spec_text(text, "mine.json"), shipped_ones);
  CHECK(mine.name == "mine");
  CHECK(mine.meaning.empty());
  CHECK(mine.keeping == base.keeping);
  CHECK(mine.software.issue == base.software.issue);
  CHECK(mine.copies.streams == CopyStreams::kSerial);
  CHECK(mine.assumed == std::vector<std::string>{"copy_streams"});
  CHECK(std::ssize(mine.provenance) == std::ssize(base.provenance));
}

TEST_CASE("a framework like one that is not there, or like itself, is refused") {
  CHECK(has(refused(file_of(R"("like": "pytorch",)")), "/like: found \"pytorch\""));
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ooc_like";
  std::filesystem::create_directories(folder);
  const std::string circle = (folder / "mine.json").string();
  std::ofstream(circle) << file_of(R"("like": "mine", "dropout_mask": 4,)");
  CHECK_THROWS_AS((void)read_framework(read_spec_file(circle)), SpecError);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what is wrong with a framework is told with its place") {
  CHECK(has(refused(file_of(R"("copy_streams": "overlapped",)")), "/copy_streams"));
  CHECK(has(refused(file_of(R"("copy_stream": "overlap",)")), "copy_streams"));
  CHECK(has(refused(file_of(R"("dropout_mask": 4, "host_issue": "1 us",)", "dropout_mask")),
            "host_issue"));
  CHECK(has(refused(file_of(R"("dropout_mask": 0,)")), "/dropout_mask"));
  CHECK(has(refused(file_of(R"("pinned": "heap",)")), "/pinned"));
  CHECK(has(refused(R"({"format": "ooc-paleo/hardware-profile", "version": 1})"), "--hardware"));
  CHECK(has(
      refused(
          R"({"format": "ooc-paleo/framework", "version": 1, "name": "mine", "elementwise": 2})"),
      "provenance"));
}

TEST_CASE("workspace: algorithms that take more are not there, the one without always is") {
  const Loaded at = load("alexnet", "p100-pcie3");
  const auto most = [](const Case& which) {
    Bytes bytes;
    for (const TaskAlternative& way : which.costs.alternatives) {
      bytes = std::max(bytes, way.workspace);
    }
    return bytes;
  };
  const Case all = make_case(at.workload, at.machine, at.options);
  const Case few = case_with(at.workload, at.machine, at.options, R"("workspace": "8 MiB",)");
  const Case none = case_with(at.workload, at.machine, at.options, R"("workspace": "0 B",)");
  CHECK(most(all) > Bytes(8 << 20));
  CHECK(most(few) <= Bytes(8 << 20));
  CHECK(most(few) > Bytes(0));
  CHECK(most(none) == Bytes(0));
  CHECK(fastest(all) < fastest(few));
  CHECK(fastest(few) < fastest(none));
}

TEST_CASE("weight_gradients: those that are freed are near from their first writer on") {
  const Loaded at = load("alexnet", "p100-pcie3");
  const Case fixed = make_case(at.workload, at.machine, at.options);
  constexpr const char* kFreed = R"("weight_gradients": "freed",)";
  const Case freed = case_with(at.workload, at.machine, at.options, kFreed);
  const Bytes all(at.workload.graph.gradient_bytes);
  CHECK(freed.costs.static_bytes == fixed.costs.static_bytes - all);
  CHECK(freed.costs.held.back().held == all);
  CHECK(with_nothing_held(freed.costs).static_bytes == fixed.costs.static_bytes);
  Bytes held;
  for (std::size_t i = at.workload.graph.forward_tasks; i < freed.costs.held.size(); ++i) {
    const HeldBytes& of = freed.costs.held[i];
    CHECK(of.held == held + of.begun);
    const bool writes = at.workload.graph.tasks[i].kind == TaskKind::kBackwardWeights;
    CHECK((of.begun > Bytes(0) || !writes));
    held = of.held;
  }
  // Forward tasks: those that are there when backward comes to their layers.
  CHECK(freed.costs.held[at.workload.graph.forward_tasks - 1].held == Bytes(0));
  CHECK(freed.costs.held.front().held > Bytes(0));
  // What is saved for backward is gone when the gradients of the first layers come.
  const RunReport before = predict(fixed, *find_schedule("in-core"));
  const RunReport after = predict(freed, *find_schedule("in-core"));
  CHECK(after.iteration_time == before.iteration_time);
  CHECK(after.static_bytes == before.static_bytes - all);
  CHECK(after.peak_near < before.peak_near);
  CHECK(after.peak_near >= fixed.costs.static_bytes);
  CHECK(after.in_core_peak <= after.peak_near);
  REQUIRE(after.peak_near_by_category);
  const Bytes there = (*after.peak_near_by_category)[MemoryCategory::kGradients];
  CHECK(there > Bytes(0));
  CHECK(there < all);
  CHECK(predict(freed, *find_schedule("unified")).static_bytes == before.static_bytes);
  CaseOptions rounds = at.options;
  rounds.schedule.sub_batch = {.kind = SubBatch::Kind::kSize, .samples = 4};
  CHECK(predict(case_with(at.workload, at.machine, rounds, kFreed), *find_schedule("in-core"))
            .static_bytes == before.static_bytes);
  // Also where the update is far, but for software with permanent buffers.
  for (const FarGradients kept : {FarGradients::kFreed, FarGradients::kAllocated}) {
    CaseOptions away = at.options;
    away.state = {.optimizer = kOne, .far_gradients = kept};
    const Case which = case_with(at.workload, at.machine, away, kFreed);
    CHECK((which.costs.static_bytes == freed.costs.static_bytes) == (kept == FarGradients::kFreed));
  }
  // Words and head share 50,257 x 768 weights of 2 bytes: beside the head's gradient the words' own and the sum of both.
  const Loaded gpt = load("gpt2", "a100-40gb-pcie");
  const Case shares = case_with(gpt.workload, gpt.machine, gpt.options, kFreed);
  const CostTable& ties = shares.costs;
  const TaskId words = make_id<TaskId>(gpt.workload.graph.backward_end - 1);
  CHECK(ties.alternatives_of(words)[0].workspace - ties.held[words.at()].held == Bytes(154389504));
  CHECK(round_costs(shares, 1).alternatives_of(words)[0].workspace == Bytes(231584256));
}

TEST_CASE("gradient_buckets are static, update_copies there while their group is updated") {
  Loaded at = load("alexnet", "p100-pcie3");
  const std::int64_t learnt = trainable_parameters(*at.workload.network);
  const Bytes none = make_case(at.workload, at.machine, at.options).costs.static_bytes;
  const auto with = [&](const std::string& fields) {
    return case_with(at.workload, at.machine, at.options, fields);
  };
  CHECK(with(R"("gradient_buckets": 1000,)").costs.static_bytes == none + Bytes(4000));
  CHECK(with(R"("gradient_buckets": "all",)").costs.static_bytes == none + Bytes(4 * learnt));
  const auto of_updates = [](const Case& which) {
    return which.costs.alternatives.back().workspace;
  };
  CHECK(of_updates(with(R"("update_copies": 6,)")) == Bytes(0));  // no master copies
  at.options.precision = Precision::kFp16;
  at.workload = read_workload(at.workload.path, at.options);
  CHECK(of_updates(with(R"("update_copies": 6,)")) == Bytes(6 * learnt));
  CHECK(of_updates(with(R"("update_copies": 6, "update_group": 1000,)")) == Bytes(6000));
  const std::int64_t norm = 8 * largest_trainable_layer(*at.workload.network);
  CHECK(of_updates(with(R"("norm_copies": 8,)")) == Bytes(norm));
  CHECK(of_updates(with(R"("update_copies": 6, "update_group": 1000, "norm_copies": 8,)")) ==
        Bytes(norm));
  CHECK(of_updates(with(R"("update_copies": 6, "norm_copies": 8,)")) == Bytes(6 * learnt));
  const RunReport report =
      predict(with(R"("gradient_buckets": "all",)"), *find_schedule("in-core"));
  REQUIRE(report.peak_near_by_category);
  CHECK((*report.peak_near_by_category)[MemoryCategory::kGradients] ==
        Bytes(std::int64_t{4} * learnt));
}

TEST_CASE("pieces of updates under a caching allocator lie in the norm's place if they fit") {
  GradientBuffers buffers{.copies = 6, .norms = 8, .keeps_holes = true};
  CHECK(update_copies(buffers, 1000, 0) == 6000);
  CHECK(update_copies({.copies = 6, .norms = 8, .state_shards = 4}, 1001, 300) == 2400);
  CHECK(update_copies({.copies = 6, .state_shards = 4}, 1001, 300) == 251 * 6);
  CHECK(update_copies({.norms = 8, .state_shards = 4, .weight_shards = 4}, 1001, 300) == 75 * 8);
  CHECK(update_copies(buffers, 1000, 200) == 1600 + 6000);  // both pieces are larger
  CHECK(update_copies(buffers, 1000, 300) == 2400 + 4000);
  CHECK(update_copies(buffers, 1000, 800) == 6400);
  buffers.group = 500;
  CHECK(update_copies(buffers, 1000, 300) == 2400 + 2000);
  buffers.keeps_holes = false;
  CHECK(update_copies(buffers, 1000, 300) == 3000);
}

TEST_CASE("inputs: held to the end where forward alone reads them") {
  Loaded at = load("vgg16", "rtx-3090");
  const auto with = [&](const std::string& inputs) {
    return case_with(at.workload, at.machine, at.options,
                     R"("weight_gradients": "freed", "inputs": ")" + inputs + "\",");
  };
  const auto peak = [&](const std::string& inputs) {
    return predict(with(inputs), *find_schedule("in-core")).peak_near;
  };
  CHECK(with("throughout").costs.held_inputs.empty());  // backward reads the images themselves
  at.options.precision = Precision::kAmpFp16;
  at.workload = read_workload(at.workload.path, at.options);
  const Bytes images(at.options.batch.value_or(1) * 3 * 224 * 224 * 4);
  CHECK(peak("throughout") == peak("until_read") + images);
  const RunReport held = predict(with("throughout"), *find_schedule("in-core"));
  REQUIRE(held.peak_near_by_category);
  CHECK((*held.peak_near_by_category)[MemoryCategory::kInputs] == images);
  CHECK(with_nothing_held(with("throughout").costs).static_bytes ==
        with_nothing_held(with("until_read").costs).static_bytes);
}

TEST_CASE("weight_gradients: the batch at once may fit where rounds, which add them up, do not") {
  Loaded at = load("../validation/networks/overfeat", "rtx-3090");
  at.options.precision = Precision::kAmpFp16;
  at.workload = read_workload(at.workload.path, at.options);
  at.options.schedule.sub_batch = {.kind = SubBatch::Kind::kAuto};
  const auto run = [&](Bytes budget) {
    at.options.memory = budget;
    return run_case(
        case_with(at.workload, at.machine, at.options, R"("weight_gradients": "freed",)"),
        *find_schedule("in-core"), Bounds::kNone);
  };
  const CaseRun refused = run(Bytes(1));
  const auto* oom = std::get_if<OutOfMemory>(&refused.plan);
  REQUIRE(oom != nullptr);
  REQUIRE(oom->smallest_budget);
  CHECK(std::holds_alternative<Plan>(run(*oom->smallest_budget).plan));
  CHECK_FALSE(std::holds_alternative<Plan>(run(*oom->smallest_budget - Bytes(1)).plan));
}

TEST_CASE("inputs: what is brought back for a layer that runs again is there beside them") {
  Loaded at = load("alexnet", "rtx-3090");
  at.options.batch = 32;
  at.options.precision = Precision::kAmpFp16;
  at.workload = read_workload(at.workload.path, at.options);
  Case which = case_with(at.workload, at.machine, at.options,
                         R"("weight_gradients": "freed", "inputs": "throughout",)");
  which.budget = Bytes(300'000'000);
  const Schedule& schedule = *find_schedule("checkpoint-offload");
  const RunReport small = predict(which, schedule);
  REQUIRE(small.out_of_memory);
  REQUIRE(small.out_of_memory->smallest_budget);
  which.budget = *small.out_of_memory->smallest_budget;
  CHECK(predict(which, schedule).feasible);
}

TEST_CASE("weight_gradients: plans of all schedules run with those that are freed") {
  Loaded at = load("resnet18", "rtx-3090");
  at.options.precision = Precision::kAmpFp16;
  at.options.schedule.own.change().search = 100;
  at.workload = read_workload(at.workload.path, at.options);
  const Case roomy = case_with(at.workload, at.machine, at.options,
                               R"("weight_gradients": "freed", "inputs": "throughout",)");
  int ran = 0;
  for (const Schedule* schedule : schedules()) {
    Case which = roomy;
    which.budget = Bytes(roomy.in_core_peak.count() / 100 * 85);
    const CaseRun run = run_case(which, *schedule, Bounds::kNone);
    const Plan* plan = std::get_if<Plan>(&run.plan);
    if (plan == nullptr) continue;
    CAPTURE(schedule->name);
    REQUIRE(run.timeline() != nullptr);
    CHECK(run.timeline()->peak_near <= which.budget);
    if (!run.pages) {
      CHECK_FALSE(validate_plan(*plan, *run.about(which).graph, run.about(which).costs));
    }
    ++ran;
  }
  CHECK(ran > 10);
}

TEST_CASE("host_issue, layout and elementwise are those of the kernels") {
  const Loaded at = load("resnet18", "v100-16gb-pcie3");
  const Case ideal = make_case(at.workload, at.machine, at.options);
  CHECK_FALSE(ideal.costs.issued_by_host());
  CaseOptions quick = at.options;
  quick.host_speed = Ratio(2 * kOne.count());
  const Case twice = case_with(at.workload, at.machine, quick, R"("host_issue": "59 us",)");
  CHECK(twice.costs.alternatives.front().issue == Duration(29'500));
  quick.state = {.optimizer = kOne, .gradients = true};
  const Case hooked = case_with(at.workload, at.machine, quick, R"("host_hooks": "1 ms",)");
  CHECK(hooked.moving->options.hooks == Duration(500'000));
  const auto with = [&](const char* fields) {
    return fastest(case_with(at.workload, at.machine, at.options, fields));
  };
  CHECK(with(R"("elementwise": 1.5,)") > fastest(ideal));
  CaseOptions half = at.options;
  half.dtype = Dtype::kFloat16;
  const Workload halves = read_workload(at.workload.path, half);
  CHECK(fastest(case_with(halves, at.machine, half, R"("layout": "channels_first",)")) >
        fastest(case_with(halves, at.machine, half, R"("layout": "channels_last",)")));
}

TEST_CASE(
    "a job that accumulates is judged by its micro-batches, of which the last may be smaller") {
  Loaded at = load("vgg16", "v100-16gb-pcie3");
  at.options.batch = 3;
  at.options.schedule.sub_batch = {.kind = SubBatch::Kind::kCount, .count = 2};
  const RunReport run =
      predict(make_case(at.workload, at.machine, at.options), *find_schedule("in-core"));
  CHECK(run.in_core_peak <= run.peak_near);
  CHECK(run.slowdown >= 1);
  CHECK(run.slowdown < 1.01);
}

TEST_CASE("cudnn: the framework's, else the profile's") {
  const Loaded at = load("alexnet", "titan-x-maxwell");
  REQUIRE(at.machine.profile.cudnn);
  const Case profiles = make_case(at.workload, at.machine, at.options);
  CHECK(fastest(case_with(at.workload, at.machine, at.options, R"("dropout_mask": 1,)")) ==
        fastest(profiles));
  CHECK(fastest(case_with(at.workload, at.machine, at.options, R"("cudnn": "9.0",)")) !=
        fastest(profiles));
}

TEST_CASE("a framework beside define-by-run, which says the same in its own way, is refused") {
  CaseOptions options;
  options.graph.accounting = Accounting::kDefineByRun;
  options.framework = std::make_shared<const Framework>(software_read(R"("dropout_mask": 4,)"));
  CHECK_THROWS_AS((void)graph_options_of(options), SpecError);
  options.framework = std::make_shared<const Framework>(software_read(R"("host_issue": "1 us",)"));
  CHECK_NOTHROW((void)graph_options_of(options));
}

TEST_CASE("the result names the framework, and what of it is assumed") {
  const Loaded at = load("alexnet", "p100-pcie3");
  const Case which = case_with(at.workload, at.machine, at.options, R"("host_issue": "59 us",)");
  const RunReport report = predict(which, *find_schedule("capacity"));
  CHECK(report.inputs.framework == "mine");
  CHECK(std::find(report.assumed.begin(), report.assumed.end(), "framework.*") !=
        report.assumed.end());
  CHECK(predict(make_case(at.workload, at.machine, at.options), *find_schedule("capacity"))
            .inputs.framework == "ideal");
}

TEST_CASE("that the rate of flash attention is an A100's is said elsewhere, where it is used") {
  const auto says = [](const char* network, const char* hardware) {
    const Loaded at = load(network, hardware);
    CaseOptions options = at.options;
    options.memory = Bytes(400'000'000'000);
    const RunReport report =
        predict(make_case(at.workload, at.machine, options), *find_schedule("in-core"));
    return std::find(report.assumed.begin(), report.assumed.end(), "compute.architecture.flash") !=
           report.assumed.end();
  };
  CHECK(says("llama-3-8b", "rtx-4090"));
  CHECK_FALSE(says("llama-3-8b", "a100-80gb-sxm"));
  CHECK_FALSE(says("resnet18", "h100-sxm"));
}

// torchvision's AlexNet and VGG pool to 6x6 and 7x7 what has that size.
TEST_CASE("a pool to the size of its input is a view, but where frameworks keep its input") {
  const Network network =
      read_network_text(R"({"format": "ooc-paleo/network", "version": 1, "name": "n",
    "inputs": [{"name": "data", "shape": [2, 6, 6]}], "layers": [
      {"name": "conv", "type": "conv", "filters": 4, "kernel": [1, 1]},
      {"name": "pool", "type": "adaptive_avg_pool", "output": [6, 6]},
      {"name": "flat", "type": "flatten"},
      {"name": "fc", "type": "linear", "units": 3},
      {"name": "loss", "type": "softmax_cross_entropy"}]})",
                        "test.json");
  const TrainingGraph view = build_training_graph(network, {});
  const TrainingGraph pool =
      build_training_graph(network, {.keeping = {.pools = KeptOfPools::kInputAndIndices}});
  CHECK(pool.tasks.size() == view.tasks.size() + 2);
  // The pool's input beside its output, 4 x 6 x 6 each.
  CHECK(saved_bytes_per_sample(pool) == saved_bytes_per_sample(view) + 576);
}

// Bytes that PyTorch 2 saves for four images, counted with its hooks on a CPU, where dropout's masks are float32.
TEST_CASE("pytorch-2 saves what PyTorch saves") {
  struct Saved {
    const char* network;
    std::int64_t bytes;
  };
  const auto pytorch = std::make_shared<const Framework>(framework_of("pytorch-2"));
  for (const Saved& row : {Saved{"resnet50", 343'866'532}, Saved{"vgg16", 293'437'092},
                           Saved{"inception_v3", 394'973'524}, Saved{"googlenet", 193'560'612},
                           Saved{"resnet152", 710'343'844}, Saved{"densenet121", 521'796'004},
                           Saved{"vgg19", 314'310'308}, Saved{"mobilenetv2_100", 313'973'668}}) {
    CAPTURE(row.network);
    CaseOptions options;
    options.framework = pytorch;
    const Workload workload = read_workload(kRoot + "/networks/" + row.network + ".json", options);
    const std::int64_t saved =
        4 * saved_bytes_per_sample(workload.graph) + saved_bytes_fixed(workload.graph);
    // Labels, masks of one byte, and VGG's pool of 7x7 to 7x7, which its paper does not have.
    CHECK(saved <= row.bytes);
    CHECK(static_cast<double>(saved) > 0.998 * static_cast<double>(row.bytes));
  }
}

}  // namespace
}  // namespace ooc
