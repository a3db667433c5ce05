// Are the shipped networks the published ones? Each file carries its own totals in `expect`; that
// alone would let a file and its totals be wrong together, so the figures that others published
// (torchvision's parameter counts, multiply-accumulates at the usual input size) stand here again.
#include "model/base/spec_tree.hpp"
#include "model/network/network.hpp"
#include "model/network/network_json.hpp"
#include "tests/support/shipped_families.hpp"
#include "tests/support/test.hpp"

using namespace ooc;

namespace {

/// Paths by name.
const std::map<std::string, std::string>& shipped_files() {
  static const std::map<std::string, std::string> files = [] {
    std::map<std::string, std::string> found;
    for (const char* folder : {"/networks", "/validation/networks"}) {
      for (const auto& entry :
           std::filesystem::directory_iterator(OOC_SOURCE_DIR + std::string(folder))) {
        const std::filesystem::path& path = entry.path();
        if (path.extension() == ".json" && path.stem().extension() != ".schema") {
          CHECK(found.emplace(path.stem().string(), path.string()).second);
        }
      }
    }
    return found;
  }();
  return files;
}

Network shipped(const std::string& name) { return read_network_file(shipped_files().at(name)); }

/// Convolutions and linear layers, as papers count depth: projections beside the path are left out.
int depth(const Network& network) {
  return static_cast<int>(
      std::count_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
        const bool weighted = layer.kind->name == "conv" || layer.kind->name == "linear";
        return weighted && !has(layer.name, "_down_conv");
      }));
}

}  // namespace

TEST_CASE("every shipped network reads, is named after its file and carries its totals") {
  CHECK(shipped_files().size() >= 20);
  for (const auto& shipped : shipped_files()) {
    const auto& [name, path] = shipped;
    CAPTURE(shipped.first);
    const SpecDocument document = read_spec_file(path);
    const Network network = read_network(document);
    CHECK(network.name == name);
    CHECK_FALSE(network.source.empty());
    const SpecView expect = SpecView(document).get("expect");
    CHECK(total_parameters(network) == expect.get("parameters").as_integer(1, INT64_MAX));
    CHECK(total_forward_macs(network) == expect.get("forward_macs").as_integer(1, INT64_MAX));
  }
}

TEST_CASE("the totals are the published ones") {
  struct Truth {
    const char* name;
    std::int64_t parameters;
    std::int64_t forward_macs;
  };
  for (const Truth& truth :
       {Truth{"alexnet", 61'100'840, 714'188'480}, Truth{"vgg16", 138'357'544, 15'470'264'320},
        Truth{"resnet50", 25'557'032, 4'089'184'256},
        Truth{"inception_v3", 23'834'568, 5'713'216'096},
        Truth{"googlenet", 6'624'904, 1'498'376'192},
        // torchvision 0.14's own figures, whose GFLOPS have three digits.
        Truth{"efficientnet_b0", 5'288'548, 385'814'752},
        Truth{"efficientnet_b4", 19'341'616, 4'393'771'024},
        Truth{"efficientnet_v2_s", 21'458'488, 8'365'617'152},
        Truth{"mobilenet_v3_large", 5'483'032, 216'589'760},
        Truth{"regnet_y_16gf", 83'590'140, 15'911'510'272},
        Truth{"resnext50_32x4d", 25'028'904, 4'230'479'872},
        Truth{"resnext101_32x8d", 88'791'336, 16'414'015'488},
        Truth{"convnext_tiny", 28'589'128, 4'455'531'264},
        Truth{"convnext_base", 88'591'464, 15'354'729'472},
        Truth{"swin_t", 28'288'354, 4'490'566'656}, Truth{"swin_b", 87'768'224, 15'430'946'816},
        // Table 1 of the paper: 118.64 G, with the layers of one token.
        Truth{"dit-xl-2", 675'129'632, 118'621'421'568}}) {
    CAPTURE(truth.name);
    const Network network = shipped(truth.name);
    CHECK(total_parameters(network) == truth.parameters);
    CHECK(total_forward_macs(network) == truth.forward_macs);
  }
}

TEST_CASE("the parameters are the published ones where no count of multiplications is") {
  struct Truth {
    const char* name;
    std::int64_t parameters;
  };
  for (const Truth& truth :
       {Truth{"resnet34", 21'797'672}, Truth{"resnet101", 44'549'160},
        Truth{"resnet152", 60'192'808}, Truth{"vgg19", 143'667'240}, Truth{"vgg_a", 132'863'336},
        Truth{"googlenet_v1", 6'998'552}, Truth{"paleo_alexnet_v2", 50'303'912},
        Truth{"paleo_vgg16", 138'357'544}, Truth{"inception_v4", 42'681'353},
        Truth{"unet", 17'267'393},
        // Learned of yolov8.yaml's 11,166,560; U-Nets as diffusers counts them.
        Truth{"yolov8s", 11'166'544}, Truth{"sd15-unet", 859'520'964},
        Truth{"sdxl-unet", 2'567'463'684}}) {
    CAPTURE(truth.name);
    CHECK(total_parameters(shipped(truth.name)) == truth.parameters);
  }
}

TEST_CASE("imported checkpoints have the published parameters, and products of the closed forms") {
  const std::vector<Checkpoint> all = checkpoints();
  CHECK(all.size() >= 129);
  for (const Checkpoint& each : all) {
    for (const ImportKernels kernels :
         {ImportKernels::kEager, ImportKernels::kSdpa, ImportKernels::kFused}) {
      CAPTURE(each.name);
      CAPTURE(kernels_name(kernels));
      const Network network =
          read_network_text(import_by_family(each.config, {.kernels = kernels}), "imported.json");
      CHECK(total_parameters(network) == each.parameters);
      CHECK(active_parameters(network) == each.active);
      // Attention of separate products multiplies what a causal mask then drops.
      if (kernels == ImportKernels::kEager || each.forward_macs == 0) continue;
      CHECK(total_forward_macs(network) == each.forward_macs);
    }
  }
}

TEST_CASE("the language models are Zaremba's large model with another number of layers") {
  // Embedding 10,000 x 1500, each lstm 4 x 1500 x (1500 + 1500 + 1), output 1500 x 10,000 + 10,000:
  // 15,000,000 + 18,006,000 a layer + 15,010,000; two layers 66,022,000, known as 66 million.
  // MACs of 35 steps: 4 x 1500 x 3000 = 18,000,000 a layer and 15,000,000 of the output.
  for (const std::int64_t layers : {1, 4, 8, 16}) {
    CAPTURE(layers);
    const Network network = shipped("ptb-lstm-" + std::to_string(layers));
    CHECK(total_parameters(network) == 30'010'000 + layers * 18'006'000);
    CHECK(total_forward_macs(network) == 35 * (layers * 18'000'000 + 15'000'000));
    // Table, dropout; each layer 35 x 3, gathered, and dropout; output and loss.
    CHECK(std::ssize(network.layers) == 2 + layers * (35 * 3 + 2) + 2);
  }
}

TEST_CASE("the translation models have RNNsearch's sizes at every length") {
  // Tables 2 x 30,000 x 620 = 37,200,000; three GRUs of 3 x 1000 x (620 + 1000 + 1) = 4,863,000;
  // keys 2000 x 1000, query 1000 x 1000, v 1000; readout (1000 + 2000 + 620) x 500 + 500; output
  // 500 x 30,000 + 30,000: 37,200,000 + 14,589,000 + 3,001,000 + 1,810,500 + 15,030,000.
  // MACs a word: GRUs 3 x 3 x 1000 x 1620 = 14,580,000; keys and query 3,000,000; 3000 for each
  // word attended to; readout 1,810,000; output 15,000,000: 34,390,000 + 3000 T.
  for (const std::int64_t words : {50, 100, 200, 400}) {
    for (const std::string form : {"", "-efficient"}) {
      CAPTURE(words);
      CAPTURE(form);
      const Network network = shipped("nmt-" + std::to_string(words) + form);
      CHECK(total_parameters(network) == 71'630'500);
      CHECK(total_forward_macs(network) == words * (34'390'000 + 3'000 * words));
    }
  }
}

TEST_CASE("the 3D U-Net has the published parameters but for what is stated") {
  // Published 19,069,955; a fourth channel 27 x 32; batch norm 2 x (32 + 64 + 64 + 128 + 128 + 256 +
  // 256 + 512 + 256 + 256 + 128 + 128 + 64 + 64) = 2 x 2,336.
  CHECK(total_parameters(shipped("unet3d-brats")) == 19'069'955 + 864 + 4'672);
}

TEST_CASE("Isensee's 3D U-Net has the parameters of its figure, at either size") {
  // With f filters, biases and norms (3 f a convolution): going down 27 f (c + 2 f) + 9 f with c the filters
  // above (4 channels at the top), f = 16 .. 256; going up, f = 128 .. 16: 27 x 2f x f + 27 x 2f x f + f x f + 9 f;
  // labels of three levels 4 f + 4.
  std::int64_t expected = 0;
  for (std::int64_t f = 16; f <= 256; f *= 2) {
    expected += 27 * f * ((f == 16 ? 4 : f / 2) + 2 * f) + 9 * f;
  }
  for (std::int64_t f = 16; f <= 128; f *= 2) expected += 109 * f * f + 9 * f;
  for (std::int64_t f = 16; f <= 64; f *= 2) expected += 4 * f + 4;
  CHECK(expected == 8'269'676);
  const Network patches = shipped("isensee_unet3d");
  const Network volumes = shipped("isensee_unet3d_192");
  CHECK(total_parameters(patches) == expected);
  CHECK(total_parameters(volumes) == expected);
  // Maps shrink by the same steps: 1.5 x 1.5 x 1.5 times the voxels.
  CHECK(8 * total_forward_macs(volumes) == 27 * total_forward_macs(patches));
}

TEST_CASE("a network named after its depth has that many weighted layers") {
  // VGG-101: 98 convolutions and 3 linear layers. ResNet-2000: 3 x 666 blocks, conv1 and fc.
  CHECK(depth(shipped("vgg_a")) == 11);
  CHECK(depth(shipped("vgg16")) == 16);
  CHECK(depth(shipped("vgg19")) == 19);
  CHECK(depth(shipped("vgg101")) == 101);
  for (const int layers : {34, 50, 101, 152, 200, 1001, 2000}) {
    CAPTURE(layers);
    CHECK(depth(shipped("resnet" + std::to_string(layers))) == layers);
  }
}

TEST_CASE("the example of ten layers has a skip past conv2") {
  // conv1 3x16x9 + 16, conv2 16x16x9 + 16, fc 16x10 + 10: 448 + 2,320 + 170 = 2,938.
  // 432 x 32x32 + 2,304 x 16x16 + 160 = 442,368 + 589,824 + 160 = 1,032,352.
  const Network network = shipped("example_skip");
  CHECK(total_parameters(network) == 2'938);
  CHECK(total_forward_macs(network) == 1'032'352);
  REQUIRE(network.layers.size() == 10);
  const Layer& sum = network.layers[4];
  REQUIRE(sum.name == "sum");
  REQUIRE(sum.inputs.size() == 2);
  CHECK(network.layers[std::get<LayerId>(sum.inputs[0]).at()].name == "pool1");
  CHECK(network.layers[std::get<LayerId>(sum.inputs[1]).at()].name == "conv2");
}

TEST_CASE("every network ends in its loss, PALEO's in the softmax that PALEO has") {
  const std::set<std::string> of_regression{"dit-xl-2", "sd15-unet", "sdxl-unet", "yolov8s"};
  for (const auto& shipped : shipped_files()) {
    const auto& [name, path] = shipped;
    CAPTURE(shipped.first);
    if (of_regression.contains(name)) continue;
    const Network network = read_network_file(path);
    REQUIRE(network.outputs.size() == 1);
    const Layer& last = network.layers[network.outputs.front().at()];
    const bool paleo = name.starts_with("paleo_");
    CHECK(last.name == (paleo ? "softmax" : "loss"));
    CHECK(last.model->is_loss == !paleo);
  }
}
