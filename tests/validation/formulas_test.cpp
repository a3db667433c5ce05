// Published statements that are no single column of a result: means, trends, bends, sums of several runs. Each case has
// the id that docs/validation.md names it by, the published number and what is allowed; jobs are command lines, seen
// from validation/.
#include "cli/validate/row_runner.hpp"
#include "tests/support/test.hpp"

namespace ooc {
namespace {

using Numbers = std::vector<double>;

/// Relative paths are seen from here.
const SpecView& here() {
  static const SpecDocument document =
      read_spec_text("{}", std::string(OOC_SOURCE_DIR) + "/validation/formulas.json");
  static const SpecView view(document);
  return view;
}

/// Kept over all cases: they share many jobs.
RowRunner& runner() {
  static RowRunner one{ReadLimits{}};
  return one;
}

std::vector<std::string> words_in(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// A column of the result of a command line; NaN where it is not known.
double of(const std::string& line, const std::string& metric) {
  return runner().result(words_in(line), here()).numbers.at(metric);
}
double time_of(const std::string& line) { return of(line, "iteration_time_ns"); }
double most_of(const std::string& line) { return of("max-batch " + line, "max_batch"); }

double mean(const Numbers& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}
double largest(const Numbers& all) { return *std::max_element(all.begin(), all.end()); }
double lowest(const Numbers& all) { return *std::min_element(all.begin(), all.end()); }

bool near(double predicted, double published, double share) {
  INFO("predicted ", predicted, ", published ", published);
  return std::abs(predicted - published) <= share * published;
}
bool within(double value, double low, double high) { return value >= low && value <= high; }
bool rises(const Numbers& all) {
  return std::adjacent_find(all.begin(), all.end(), std::greater_equal<>()) == all.end();
}
bool falls(Numbers all) {
  std::reverse(all.begin(), all.end());
  return rises(all);
}

template <class Each, class Function>
Numbers over(std::initializer_list<Each> points, Function function) {
  Numbers all;
  for (const Each& point : points) all.push_back(function(point));
  return all;
}

/// Exponent of the power law through the points: slope of log y over log x by least squares.
double exponent(const Numbers& x, const Numbers& y) {
  double sx = 0;
  double sy = 0;
  double sxx = 0;
  double sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += std::log(x[i]);
    sy += std::log(y[i]);
    sxx += std::log(x[i]) * std::log(x[i]);
    sxy += std::log(x[i]) * std::log(y[i]);
  }
  const auto n = static_cast<double>(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Largest share that y loses from one point to the next.
double steepest(const Numbers& y) {
  double most = 0;
  for (std::size_t i = 1; i < y.size(); ++i) most = std::max(most, 1 - y[i] / y[i - 1]);
  return most;
}

struct Passes {
  double forward = 0;
  double backward = 0;
  double update = 0;
};
Passes passes_of(const std::string& line) {
  Passes sums;
  runner().predict(words_in(line), here(),
                   [&](const RunReport& report, const Case&, const CaseRun&) {
                     for (const LayerReport& layer : report.layers) {
                       sums.forward += static_cast<double>(layer.forward.count());
                       sums.backward += static_cast<double>(layer.backward.count());
                       sums.update += static_cast<double>(layer.update.count());
                     }
                   });
  return sums;
}

/// Bytes a second of one copy to near memory.
double copy_rate(const std::string& hardware, const std::string& mode, double bytes) {
  const Asked asked{.command = "copy",
                    .job = {{"hardware", hardware},
                            {"mode", mode},
                            {"direction", "to_near"},
                            {"size", fmt::format("{:.0f} B", bytes)}},
                    .metric = "time_ns"};
  return bytes * 1e9 / runner().answer(asked, here()).number;
}

const Numbers kWords{50, 100, 200, 400};

}  // namespace

TEST_CASE("L1: Qwen-1.8B, ZeRO-3 on one GPU; what is reserved counts") {
  const Numbers published{43.5e9, 47.1e9, 48.3e9};
  const Numbers peaks = over({256, 4096, 8192}, [](int seq) {
    const std::string job = fmt::format(
        "predict configs/qwen-1.8b.json --hardware a100-80gb-sxm --precision bf16 --optimizer adam "
        "--batch 1 --seq {} --schedule checkpoint --blocks layer --framework deepspeed-zero-3",
        seq);
    return of(job, "peak_near_bytes") + 80.0 * (1 << 30) - of(job, "budget_near_bytes");
  });
  for (std::size_t i = 0; i < peaks.size(); ++i) CHECK(near(peaks[i], published[i], 0.15));
}

TEST_CASE("L4: time that far updates add, by the rate at another share") {
  const auto job = [](const std::string& more) {
    return time_of(
        "predict configs/qwen3-0.6b.json --hardware h100-sxm --precision bf16 --batch 1 "
        "--seq 1024 --schedule in-core --framework pytorch-1 --allocator ideal" +
        more);
  };
  const double none = job("");
  const double half = job(" --state megatron-hybrid:0.5 --far-compute 0.685Gparam/s") - none;
  const double all = job(" --state megatron-hybrid-overlap --far-compute 0.685Gparam/s") - none;
  CHECK(near(all / half / 2, 0.926 / 0.435 / 2, 0.1));  // NeMo
  const double share =
      15.2e9 / 12 /
      of("inspect configs/qwen3-0.6b.json --precision bf16 --framework ideal", "parameters");
  const auto megatron = [&](const char* of_it) {
    const std::string state = fmt::format(" --state megatron-hybrid:{}", of_it);
    return 996e6 + (job(state + " --far-compute 0.372Gparam/s") - none) * share;
  };
  CHECK(near(megatron("0.75"), 3187e6, 0.15));
  CHECK(near(megatron("1"), 4189e6, 0.15));
}

TEST_CASE("L5: the largest model, on a straight line through two") {
  const std::string rest =
      " --hardware v100-32gb-pcie3 --precision fp16 --optimizer adam --batch 1 --seq 1024 "
      "--schedule "
      "checkpoint --blocks layer --allocator ideal";
  const std::string zero = " --framework deepspeed-zero-2 --state zero-offload --far-memory 1.5TB";
  const double budget = of("predict configs/gpt2-4096x65.json" + rest + zero, "budget_near_bytes");
  const auto line = [&](const std::string& small, const std::string& big, const std::string& with) {
    const auto needs = [&](const std::string& network) {
      return of("predict " + network + rest + with + " --memory 1GB", "smallest_budget_bytes");
    };
    const auto size = [](const std::string& network) {
      return of("inspect " + network + " --precision fp16 --framework ideal", "parameters");
    };
    return size(small) +
           (budget - needs(small)) / (needs(big) - needs(small)) * (size(big) - size(small));
  };
  // Known to fail: 15.2 G.
  CHECK_FALSE(
      near(line("configs/gpt2-4096x20.json", "configs/gpt2-4096x65.json", zero), 13e9, 0.15));
  CHECK(near(
      line("configs/gpt2-2048x20.json", "configs/gpt2-2048x40.json", " --framework pytorch-1-ddp"),
      1.4e9, 0.2));
}

TEST_CASE("L6: tokens a second of transformers, of passes that run again or are shared") {
  const auto passes = [](const std::string& job) {
    return passes_of("predict " + job +
                     " --hardware a100-80gb-sxm --precision bf16 --schedule in-core --framework "
                     "pytorch-2 --allocator ideal");
  };
  const auto selective = [](const Passes& each) {
    return 8192e9 / (1.5 * each.forward + each.backward + each.update / 64);
  };
  CHECK(near(selective(passes("llama-3-8b --batch 1 --seq 8192 --memory 400GB")), 2904, 0.2));
  CHECK(near(selective(passes("configs/llama-2-13b.json --batch 2 --seq 4096 --memory 600GB")),
             1914, 0.2));
  const auto qwen = [&](int seq) {
    const Passes each = passes(fmt::format(
        "configs/qwen-1.8b.json --optimizer adam --batch 1 --seq {} --memory 200GB", seq));
    return 8 * (2 * each.forward + each.backward) + each.update;
  };
  CHECK(near(qwen(4096), 2.8e9, 0.3));
  CHECK(near(qwen(8192), 5.6e9, 0.3));
}

TEST_CASE("L7: memory with adapters as a driver tells it") {
  const auto driver = [](const std::string& job, double card) {
    return of(job, "peak_near_bytes") + card * (1 << 30) - of(job, "budget_near_bytes");
  };
  const auto qwen = [&](const char* network, int seq) {
    return driver(fmt::format("predict configs/{}.json --hardware a100-80gb-sxm --precision bf16 "
                              "--lora 64 --seq {} --schedule checkpoint --blocks layer --framework "
                              "deepspeed-zero-2",
                              network, seq),
                  80);
  };
  CHECK(near(qwen("qwen-7b", 256), 20.1e9, 0.15));
  CHECK(near(qwen("qwen-7b", 2048), 23.8e9, 0.15));
  CHECK(near(qwen("qwen-7b", 8192), 36.6e9, 0.15));
  CHECK(near(qwen("qwen-1.8b", 256), 6.7e9, 0.15));
  CHECK(near(qwen("qwen-1.8b", 2048), 11e9, 0.15));
  CHECK(near(qwen("qwen-1.8b", 8192), 21.8e9, 0.15));
  const auto between = [&](int seq, double published) {  // whole GB: half a GB either way
    const std::string job = fmt::format(
        "predict configs/llama-2-7b-upcast.json --hardware a100-40gb-sxm --precision bf16-pure "
        "--lora "
        "8 --base nf4-double --seq {} --schedule checkpoint --blocks layer --framework pytorch-2",
        seq);
    CAPTURE(seq);
    CHECK(driver(job + " --allocator ideal", 40) - 0.5e9 <= published);
    CHECK(driver(job, 40) + 0.5e9 >= published);
  };
  between(1024, 6e9);
  between(4096, 9e9);
  between(8192, 12e9);
  between(32768, 32e9);
}

TEST_CASE(
    "M8: additive attention grows with the square of the words, the efficient one as the words") {
  const auto saved = [](const char* kind) {
    return over({50, 100, 200, 400}, [&](int words) {
      return of(fmt::format("inspect nmt-{}{} --framework tensorflow-1", words, kind),
                "saved_bytes");
    });
  };
  const auto batches = [](const char* kind) {
    return over({50, 100, 200, 400}, [&](int words) {
      return most_of(fmt::format(
          "nmt-{}{} --hardware m40 --schedule in-core --framework tensorflow-1", words, kind));
    });
  };
  const Numbers plain = saved("");
  const Numbers efficient = saved("-efficient");
  Numbers freed;
  for (std::size_t i = 0; i < plain.size(); ++i) freed.push_back(plain[i] - efficient[i]);
  CHECK(within(exponent(kWords, freed), 1.95, 2.05));
  CHECK(within(exponent(kWords, efficient), 0.95, 1.05));
  CHECK(within(exponent(kWords, plain), 1.5, 2));
  const Numbers without = batches("");
  const Numbers with = batches("-efficient");
  Numbers gain;
  for (std::size_t i = 0; i < with.size(); ++i) gain.push_back(with[i] / without[i]);
  CHECK(lowest(gain) > 1);
  CHECK(falls(without));
  CHECK(rises(gain));
}

TEST_CASE("M9: five networks of the moDNN paper, held over lower bound, mean") {
  const auto ratio = [](const char* network, int batch) {
    return of(fmt::format("inspect {} --batch {} --accounting all-gradients --framework "
                          "cudnn-superneurons-modnn",
                          network, batch),
              "in_core_peak_bytes") /
           of(fmt::format("predict {} --hardware k40m --batch {} --memory 1MiB --schedule modnn "
                          "--framework cudnn-superneurons-modnn",
                          network, batch),
              "smallest_budget_bytes");
  };
  CHECK(within(mean({ratio("vgg16", 256), ratio("vgg19", 256), ratio("vgg101", 128),
                     ratio("resnet34", 256), ratio("fcn", 128)}),
               30, 80));  // published: 50
}

TEST_CASE("M10, M16: vDNN's average memory at batch 128") {
  const auto vdnn = [](const std::string& network) {
    return of("predict " + network +
                  " --hardware titan-x-maxwell --batch 128 --schedule vdnn-all --algorithms "
                  "memory --framework cudnn-vdnn",
              "mean_dynamic_bytes");
  };
  const auto cut = [&](const std::string& network) {
    const std::string whole =
        "inspect " + network + " --batch 128 --accounting all-gradients --framework cudnn-vdnn";
    return 1 - vdnn(network) / of(whole, "in_core_dynamic_bytes");
  };
  const Numbers cuts{cut("alexnet"), cut("overfeat"), cut("googlenet")};  // published: 89, 91, 95 %
  CHECK(within(lowest(cuts), 0.8, 1));
  CHECK(rises(cuts));
  CHECK(near(vdnn("vgg16"), 2e9, 0.25));
}

TEST_CASE("M14: what has to be there with everything away rises with the depth") {
  CHECK(rises(over({101, 200, 1001, 2000}, [](int layers) {
    return of(fmt::format("predict resnet{} --hardware m40 --batch 32 --link 1000GB/s --schedule "
                          "swap-in-out --keep-bytes 0B --framework tensorflow-1",
                          layers),
              "peak_near_bytes");
  })));
}

TEST_CASE("M15: largest batches of language models of 1 to 16 layers") {
  const auto batches = [](const char* schedule) {
    return over({1, 4, 8, 16}, [&](int layers) {
      return most_of(fmt::format(
          "ptb-lstm-{} --hardware m40 --schedule {} --framework tensorflow-1", layers, schedule));
    });
  };
  const Numbers without = batches("in-core");
  const Numbers with = batches("recompute");
  Numbers gain;
  for (std::size_t i = 0; i < with.size(); ++i) gain.push_back(with[i] / without[i]);
  CHECK(falls(without));
  CHECK(falls(with));
  CHECK(lowest(gain) > 1);
  CHECK(rises(gain));
}

TEST_CASE(
    "T2, T14: compute is scaled to the rate measured in core; swapping lies between serial and "
    "overlap") {
  const auto job = [](const std::string& hardware, const std::string& rest) {
    return "predict resnet50_v1 --hardware " + hardware + rest +
           " --algorithms performance --framework tensorflow-1";
  };
  const auto scale = [&](const std::string& hardware, double measured) {
    return measured /
           of(job(hardware, " --batch 191 --memory 64GiB --schedule in-core"), "samples_per_s");
  };
  // The rows have these numbers: whoever changes the in-core rate changes them there.
  CHECK(scale("p100-nvlink1-power8", 245) == doctest::Approx(1.0041227128).epsilon(1e-6));
  CHECK(scale("p100-pcie3", 235) == doctest::Approx(0.9631381123).epsilon(1e-6));
  const std::string link = " --link-to-near 29.5GB/s --link-to-far 21.9GB/s";
  const auto bracket = [&](const std::string& how, int batch, double published) {
    const std::string line =
        job("p100-nvlink1-power8",
            fmt::format("{} --batch {} --compute-scale 1.0041227128 --schedule lms", how, batch));
    const double compute = of(line, "compute_time_ns");
    const double copies = of(line, "to_far_bytes") / 21.9 + of(line, "to_near_bytes") / 29.5;
    CAPTURE(line);
    CHECK(0.95e9 * batch / (compute + of(line, "stall_recompute_ns") + copies) <= published);
    CHECK(published <= 1e9 * batch / compute);
  };
  bracket(link, 256, 191);
  bracket(link, 357, 165);
  bracket(link, 775, 130);
  bracket(link, 1024, 117);
  bracket(link + " --lms-action both", 256, 212);
  bracket(link + " --lms-action both", 357, 190);
  bracket(link + " --lms-action both", 775, 165);
  bracket(" --lms-action compress", 256, 232);
  bracket(" --lms-action compress", 357, 215);
}

TEST_CASE("T4: moDNN and vDNN on five networks in 12 GB, means and bytes") {
  struct Job {
    const char* network;
    int batch;
  };
  Numbers modnn_slow;
  Numbers vdnn_slow;
  Numbers outputs_slow;
  Numbers bytes;
  for (const Job each : {Job{"vgg16", 256}, Job{"vgg19", 256}, Job{"vgg101", 128},
                         Job{"resnet34", 256}, Job{"fcn", 128}}) {
    CAPTURE(each.network);
    const std::string job = fmt::format(
        "predict {} --hardware k40m --batch {} --memory 12GB --framework cudnn-superneurons-modnn",
        each.network, each.batch);
    const std::string modnn = job + " --far-memory 128GiB --schedule modnn";
    const std::string rounds = " --algorithms performance --sub-batch auto";
    const std::string vdnn = job + " --schedule vdnn-all" + rounds;
    const std::string outputs = job + " --far-memory 128GiB --schedule vdnn-like" + rounds;
    const auto moved = [](const std::string& line) {
      return of(line, "to_far_bytes") + of(line, "to_near_bytes");
    };
    modnn_slow.push_back(of(modnn, "slowdown") - 1);
    vdnn_slow.push_back(of(vdnn, "slowdown") - 1);
    outputs_slow.push_back(of(outputs, "slowdown") - 1);
    bytes.push_back(moved(modnn) / moved(outputs));
    CHECK(modnn_slow.back() < vdnn_slow.back());
    CHECK(modnn_slow.back() < outputs_slow.back());
    CHECK(within(bytes.back(), 0, 1));
    // Known to fail: vdnn-all leaves the outputs of convolutions near, half of what is kept where activations run out of
    // place.
    const bool known = std::string(each.network) == "vgg101" || std::string(each.network) == "fcn";
    CHECK(within(moved(modnn) / moved(vdnn), 0, 1) != known);
  }
  CHECK(within(mean(modnn_slow), 0.03, 0.15));     // published: 8 %
  CHECK(within(mean(outputs_slow), 0.2, 0.6));     // published: 40 %
  CHECK_FALSE(within(mean(vdnn_slow), 0.2, 0.6));  // known to fail, for the same reason
  // Known to fail: rounds of eq. 3 are as large as memory allows; VGG-101 in two rounds of 64 has 81 % to move out and
  // back whatever is chosen. Published: 0.2.
  CHECK_FALSE(within(mean(bytes), 0.125, 0.333));
}

TEST_CASE("T5: shrinking budgets, moDNN before vDNN in sub-batches before vDNN") {
  const std::string modnn_stack = " --framework cudnn-superneurons-modnn";
  const std::string rounds = " --algorithms performance --sub-batch auto" + modnn_stack;
  const std::string vgg = "predict vgg16 --hardware k40m --batch 256 --memory ";
  for (const int memory : {13, 12, 11, 10, 9, 8, 6, 4}) {
    CAPTURE(memory);
    const std::string job = vgg + fmt::format("{}GiB --schedule ", memory);
    const double plus = time_of(job + "vdnn-all" + rounds);
    CHECK(time_of(job + "modnn" + modnn_stack) < plus);
    double vdnn = time_of(job + "vdnn-all --algorithms performance --framework cudnn-vdnn");
    if (std::isnan(vdnn)) vdnn = time_of(job + "vdnn-all --framework cudnn-vdnn");
    CHECK((std::isnan(vdnn) || plus < vdnn));
  }
  struct Job {
    const char* network;
    int batch;
  };
  for (const Job each : {Job{"vgg16", 256}, Job{"vgg19", 256}, Job{"vgg101", 128},
                         Job{"resnet34", 256}, Job{"fcn", 128}}) {
    for (const int memory : {12, 10, 8, 6, 4}) {
      const std::string job =
          fmt::format("predict {} --hardware k40m --batch {} --memory {}GiB --schedule ",
                      each.network, each.batch, memory);
      CAPTURE(job);
      const std::string host = " --far-memory 128GiB";
      const double own = time_of(job + "modnn" + host + modnn_stack);
      CHECK(own / time_of(job + "vdnn-all" + rounds) <= 1.002);
      CHECK(own / time_of(job + "vdnn-like" + host + rounds) <= 1.002);
    }
  }
  const auto least = [&](const std::string& schedule) {
    return of(vgg + "1MiB --schedule " + schedule, "smallest_budget_bytes");
  };
  const double vdnn = least("vdnn-all --framework cudnn-vdnn");
  CHECK(least("modnn" + modnn_stack) < vdnn);
  CHECK(least("vdnn-all --sub-batch auto" + modnn_stack) < vdnn);
}

TEST_CASE("T6: two K40m on one bus, mean of VGG-16 and VGG-19") {
  Numbers over_one;
  Numbers over_ideal;
  for (const char* network : {"vgg16", "vgg19"}) {
    const std::string job = fmt::format(
        "predict {} --hardware k40m --batch 256 --memory 12GB --schedule modnn --framework "
        "cudnn-superneurons-modnn",
        network);
    const double two = time_of(job + " --devices 2 --link 5.15GB/s");  // half of the bus each
    over_one.push_back(time_of(job) / two);
    over_ideal.push_back(of(job, "reference_time_ns") / two);
  }
  CHECK(near(mean(over_one), 1.84, 0.15));
  CHECK(near(mean(over_ideal), 1.5, 0.15));
}

TEST_CASE("T7: UM-Chainer over the batch: flat, a knee, a plateau, no sudden drop") {
  const std::string rest =
      " --hardware v100-16gb-pcie3 --algorithms performance --framework chainer-5";
  const auto rate = [&](const char* schedule, int batch) {
    return of(fmt::format("predict resnet200 --batch {} --schedule {}{}", batch, schedule, rest),
              "samples_per_s");
  };
  const auto flatness = [&](std::initializer_list<int> batches) {
    const Numbers rates = over(batches, [&](int batch) { return rate("unified", batch); });
    return lowest(rates) / largest(rates);
  };
  CHECK(flatness({16, 24, 32}) >= 0.9);
  CHECK(flatness({512, 768, 1024}) >= 0.9);
  double knee = 0;  // the first batch whose rate lies 5 % below the best before
  double best = 0;
  for (const int batch : {8, 16, 24, 32, 40, 44, 48, 52, 56, 64, 80, 96, 128, 192, 256}) {
    const double here = rate("unified", batch);
    if (knee == 0 && here < best * 0.95) knee = batch;
    best = std::max(best, here);
  }
  CHECK(within(knee, 32, 64));
  CHECK(within(knee / most_of("resnet200 --schedule in-core" + rest), 1, 1.25));
  for (const int batch : {64, 128, 256, 512}) {
    CHECK(rate("unified", batch) < rate("unified-prefetch", batch));
  }
  for (const char* schedule : {"unified", "unified-prefetch"}) {
    CHECK(steepest(over({32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128},
                        [&](int batch) { return rate(schedule, batch); })) <= 0.5);
  }
}

TEST_CASE("T8: time over the link's rate, and where it bends") {
  const auto job = [](double link) {
    return fmt::format(
        "predict vgg16 --hardware v100-16gb-pcie3 --batch 256 --schedule vdnn-like "
        "--far-throughput inf --link {}GB/s --framework ideal",
        link);
  };
  const Numbers links{4,  5.6568,  8,   11.3137,  16,  22.6274,  32, 45.2548,
                      64, 90.5097, 128, 181.0193, 256, 362.0387, 512};
  Numbers slow;
  for (const double link : links) slow.push_back(of(job(link), "slowdown"));
  CHECK(std::is_sorted(slow.rbegin(), slow.rend()));
  std::size_t bend = slow.size() - 1;  // from here on within 1 % of the last
  while (bend > 0 && std::abs(slow[bend - 1] / slow.back() - 1) <= 0.01) --bend;
  double hides = 0;  // the slowest link at which every section hides the copies of the layer before
  runner().predict(
      words_in(job(512)), here(), [&](const RunReport& report, const Case&, const CaseRun&) {
        for (std::size_t i = 1; i < report.layers.size(); ++i) {
          const auto bytes = static_cast<double>(report.layers[i - 1].saved.count());
          const Duration shorter = std::min(report.layers[i].forward, report.layers[i].backward);
          if (bytes > 0 && shorter.count() > 0) {
            hides = std::max(hides, bytes * 1e9 / static_cast<double>(shorter.count()));
          }
        }
      });
  CHECK(within(links[bend] * 1e9 / hides, 0.4, 1.42));
}

TEST_CASE("T9, T15: IBM's out-of-core flag on ResNet-50") {
  const auto job = [](const char* schedule, int batch) {
    return fmt::format(
        "predict resnet50 --hardware v100-16gb-pcie3 --batch {} --schedule {} "
        "--algorithms performance --framework chainer-5",
        batch, schedule);
  };
  const Numbers added = over({2, 4, 8, 16, 32}, [&](int batch) {
    return time_of(job("vdnn-like", batch)) - time_of(job("in-core", batch));
  });
  CHECK(lowest(added) > 0);
  CHECK(rises(added));
  CHECK(within(of(job("vdnn-like", 2), "backward_layers_delayed"), 0.5, 1));  // "most layers"
  CHECK(rises(over({2, 8, 32}, [&](int batch) {
    const std::string line = job("vdnn-like", batch);
    return (of(line, "stall_swap_in_ns") + of(line, "stall_swap_out_ns")) / time_of(line);
  })));
}

TEST_CASE("T10: copies to a V100 on PCIe 3, and U1: kernels that walk through far memory") {
  const auto rate = [](const char* mode, double bytes) {
    return copy_rate("v100-16gb-pcie3", mode, bytes);
  };
  for (const double bytes : {4.0 * (1 << 20), 64.0 * (1 << 20)}) {
    CHECK(rate("pageable", bytes) < rate("unified_prefetch", bytes));
    CHECK(rate("unified_prefetch", bytes) < rate("pinned", bytes));
  }
  CHECK(rate("pinned", 4096) > rate("pageable", 4096));
  CHECK(rate("pageable", 4096) > rate("unified_prefetch", 4096));
  const double huge = 4.0 * (1 << 30);
  CHECK(within(rate("unified_prefetch", huge) / rate("pinned", huge), 0.9, 1));
  const double gib = 1 << 30;
  CHECK(within(rate("unified_fault", gib), 3.7e9, 8.2e9));                    // published: 8.2 GB/s
  CHECK(within(copy_rate("rtx-5090", "unified_fault", gib), 6.5e9, 34.7e9));  // 21.8
}

TEST_CASE("T11: unified memory without prefetch at twice the largest batch in core") {
  Numbers slow;
  for (const char* network : {"resnet50", "vgg16", "inception_v3", "alexnet"}) {
    const std::string rest = " --hardware p100-pcie3 --framework ideal";
    const int batch =
        static_cast<int>(2 * most_of(std::string(network) + " --schedule in-core" + rest));
    slow.push_back(
        of(fmt::format("predict {} --batch {} --schedule unified{}", network, batch, rest),
           "slowdown"));
  }
  CHECK(lowest(slow) >= 1.5);
  CHECK(within(largest(slow), 3, 15));  // published: up to ten times
}

TEST_CASE("T16: unified memory runs where swapping does not") {
  const std::string rest =
      " --hardware v100-16gb-pcie3 --algorithms performance --framework chainer-5";
  const int batch = static_cast<int>(1.5 * most_of("resnet200 --schedule vdnn-like" + rest));
  const auto fits = [&](const char* schedule) {
    return of(fmt::format("predict resnet200 --batch {} --schedule {}{}", batch, schedule, rest),
              "feasible");
  };
  CHECK(fits("unified") == 1);
  CHECK(fits("vdnn-like") == 0);
}

TEST_CASE("T17: far memory below the link's rate costs time") {
  CHECK(rises(over({11, 8, 6, 4}, [](int rate) {
    return time_of(
        fmt::format("predict vgg16 --hardware v100-16gb-pcie3 --batch 256 --schedule "
                    "vdnn-like --far-throughput {}GB/s --framework ideal",
                    rate));
  })));
}

TEST_CASE("T20: what DTR computes again, mean of twelve budgets") {
  struct Job {
    const char* network;
    int batch;
    std::vector<int> budgets;
  };
  Numbers again;
  for (const Job& each : {Job{"densenet121", 84, {10, 8, 6, 4}},
                          Job{"inception_v4", 64, {10, 8, 6, 4}}, Job{"unet", 6, {8, 7, 6, 4}}}) {
    const auto time = [&](const std::string& how) {
      return time_of(fmt::format(
          "predict {} --hardware titan-v --batch {} {} --framework configs/pytorch-1-dtr.json",
          each.network, each.batch, how));
    };
    const double core = time("--memory 16GB --schedule in-core --algorithms performance");
    for (const int budget : each.budgets) {
      double drop =
          time(fmt::format("--memory {}GB --schedule recompute --algorithms performance", budget));
      if (std::isnan(drop)) {
        drop = time(fmt::format("--memory {}GB --link 1MB/s --schedule best --search 300", budget));
      }
      again.push_back(drop / core - 1);
    }
  }
  CHECK(near(mean(again), 0.111, 0.25));
}

}  // namespace ooc
