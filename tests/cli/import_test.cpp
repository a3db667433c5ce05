// Configs of checkpoints from outside: `import`, a config or its folder in place of a network, sequence
// lengths, and what a user is told of all that nobody asked for.
#include "tests/cli/run_program.hpp"
#include "tests/support/test.hpp"

namespace ooc::test {
namespace {

/// Two blocks, 8 heads of 16.
const std::string kConfig = R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"],
  "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 8,
  "num_key_value_heads": 2, "vocab_size": 1000, "max_position_embeddings": 2048,
  "torch_dtype": "bfloat16"})";

Ran run(const Words& words) { return run_ooc_paleo(words); }

Words import_predict(const std::string& network, const Words& more = {}) {
  return Words{"predict", network, "--hardware", "a100-40gb-pcie", "--schedule", "in-core"} + more;
}

TEST_CASE("a config, its folder and the file that import writes give one answer") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "tiny-llama");
  const std::string config = folder.file("tiny-llama/config.json", kConfig);
  const std::string file = (folder.path() / "net.json").string();
  const Ran import = run({"import", config, "-o", file});
  CHECK(import.exit_code == 0);
  CHECK(import.out.empty());
  const Words quiet{"--quiet"};
  const Ran of_config = run(import_predict(config, quiet));
  CHECK(of_config.exit_code == 0);
  CHECK(has(of_config.out, "tiny-llama in bf16 on a100-40gb-pcie, batch 1, seq 2,048, schedule"));
  CHECK(has(of_config.out, "tokens/s"));
  CHECK(has(of_config.out, "MFU"));
  CHECK(run(import_predict((folder.path() / "tiny-llama").string(), quiet)).out == of_config.out);
  CHECK(run(import_predict(file, quiet)).out == of_config.out);
}

/// The indented text of a section.
std::string example_of(const std::string& file, const std::string& heading) {
  std::ifstream in(file);
  std::string text;
  std::string line;
  while (std::getline(in, line) && !line.starts_with(heading)) continue;
  while (std::getline(in, line) && !line.starts_with('#')) {
    if (line.starts_with("    ")) text += line + '\n';
  }
  return text;
}

TEST_CASE("a family of one's own is a file of the data folder: the example of docs/formats.md") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "networks/families");
  (void)folder.file("networks/families/mine.json",
                    example_of(OOC_SOURCE_DIR "/docs/formats.md", "### 2.2"));
  const std::string config = folder.file(
      "config.json", R"({"model_type": "tiny", "n_embd": 8, "num_layers": 3, "vocab_size": 10})");
  const Surroundings there{.folder = folder.path(),
                           .environment = {{"OOC_PALEO_DATA", folder.path().string()}}};
  const Ran own = run_ooc_paleo({"import", config}, there);
  CAPTURE(own.err);
  CHECK(own.exit_code == 0);
  // 3 (2 x 8 x 32 + 40) and tables of 80.
  CHECK(has(own.out, "\"expect\": { \"parameters\": 1816, \"forward_macs\": 3309568 }"));
  CHECK(run_ooc_paleo(import_predict(config, {"--quiet"}), there).exit_code == 0);
  check_refused(run({"import", config}), {"/model_type: found \"tiny\", expected one of arcee"});
}

// Here, since two million steps take long where they are sanitized.
TEST_CASE("a family whose values double at every level is refused") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.path() / "networks/families");
  std::string values = R"("a": 1)";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    values += ", \"" + std::string(1, c) + "\": \"=" + before + " + 0 * " + before + "\"";
  }
  (void)folder.file("networks/families/own.json",
                    R"({"format": "ooc-paleo/family", "version": 1, "model_types": ["own"],
      "inputs": [{"name": "data", "shape": [4]}], "values": {)" +
                        values + R"(}, "layers": [{"name": "x", "type": "linear", "units": "=z"}]})");
  check_refused(run_ooc_paleo({"import", folder.file("config.json", R"({"model_type": "own"})")},
                              {.folder = folder.path(),
                               .environment = {{"OOC_PALEO_DATA", folder.path().string()}}}),
                {"expected at most 2000000"});
}

TEST_CASE("--lora and --base are written by import, and asked of any network") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "adapted");
  const std::string config = folder.file("adapted/config.json", kConfig);
  const std::string file = (folder.path() / "config_lora.json").string();
  const Words flags{"--lora",         "4:q,v", "--base",       "nf4",
                    "--lora-dropout", "0.1",   "--lora-dtype", "float32"};
  const auto with = [&](Words words) {
    words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  };
  CHECK(with({"import", config, "-o", file}).exit_code == 0);
  const Ran of_config = with(import_predict(config, {"--quiet"}));
  CHECK(of_config.exit_code == 0);
  // Two blocks, q 128 x 128 and v 128 x 32, rank 4.
  CHECK(has(of_config.out, "learns            3.328 k  of"));
  CHECK(has(of_config.out, "learnt: weight 4 B, gradient 4 B; and"));
  CHECK(run(import_predict(file, {"--quiet"})).out == of_config.out);
  CHECK(has(run({"inspect", file, "--quiet"}).out, "learnt parameters"));
}

TEST_CASE(
    "--kernels and --loss are those of import, of configs and of shipped networks that have one") {
  const ScratchFolder folder;
  const std::string config = folder.file("config.json", kConfig);
  const std::string file = (folder.path() / "config_eager.json").string();
  const Words flags{"--kernels", "eager", "--loss", "in_place"};
  const auto with = [&](Words words, bool given) {
    words.insert(words.end(), {"--quiet", "--batch", "4"});
    if (given) words.insert(words.end(), flags.begin(), flags.end());
    return run(words);
  };
  CHECK(
      run({"import", config, "--name", "n", "--kernels", "eager", "--loss", "in_place", "-o", file})
          .exit_code == 0);
  const auto numbers = [](const Ran& ran) { return ran.out.substr(ran.out.find('\n')); };
  const Ran of_config = with(import_predict(config), true);
  CHECK(of_config.exit_code == 0);
  CHECK(numbers(of_config) == numbers(with(import_predict(file), false)));
  CHECK(numbers(of_config) != numbers(with(import_predict(config), false)));
  CHECK_FALSE(has(run(import_predict(config, flags)).err, "kernels"));
  CHECK(with({"inspect", config}, true).exit_code == 0);
  check_refused(with(import_predict(file), true), {"--kernels cannot be combined with " + file});
  check_refused(run(import_predict("resnet50", {"--loss", "in_place"})),
                {"--loss cannot be combined with "});
  CHECK(run(import_predict("gpt2", {"--loss", "in_place"})).out !=
        run(import_predict("gpt2")).out);  // of its config
  check_refused(run(import_predict(config, {"--kernels", "flash"})),
                {"--kernels: found \"flash\""});
}

TEST_CASE("what nobody asked for is said in one remark") {
  const ScratchFolder folder;
  const std::string config = folder.file("config.json", kConfig);
  const Ran all = run(import_predict(config));
  CHECK(has(all.err,
            ": where no flag says other: batch 1, seq 2048, precision bf16, optimizer adam, "
            "kernels sdpa"));
  const Ran some =
      run(import_predict(config, {"--seq", "512", "--batch", "2", "--precision", "bf16-pure"}));
  CHECK(has(some.err, "where no flag says other: optimizer adam, kernels sdpa"));
  CHECK(has(some.out, "in bf16-pure on a100-40gb-pcie, batch 2, seq 512, schedule in-core"));
}

TEST_CASE("lengths go to the network's symbol, and to the importer's limits") {
  const ScratchFolder folder;
  const std::string config = folder.file("config.json", kConfig);
  const Ran json =
      run(import_predict(config, {"--symbol", "seq=1024", "--format", "json", "--quiet"}));
  CHECK(json.exit_code == 0);
  CHECK(has(json.out, "\"symbols\": {\n      \"seq\": 1024\n    }"));
  CHECK(has(json.out, "\"tokens\": 1024"));
  check_refused(run(import_predict(config, {"--seq", "4096", "--quiet"})),
                {"/max_position_embeddings: found 2048 positions, expected at least 4096"});
  const std::string file = (folder.path() / "long.json").string();
  CHECK(run({"import", config, "--seq", "4096", "--allow-long", "-o", file}).exit_code == 0);
  CHECK(run(import_predict(file, {"--quiet"})).exit_code == 0);
}

TEST_CASE("the longest sequence fits, and the next one is seen not to") {
  const ScratchFolder folder;
  const std::string config = folder.file("config.json", kConfig);
  const Words job{"--hardware", "a100-40gb-pcie", "--memory", "200MB", "--quiet"};
  Words words = Words{"max", "--of", "seq", config, "--schedule", "in-core,capacity"} + job;
  const Ran table = run(words);
  CHECK(table.exit_code == 0);
  CHECK(has(table.out, ": longest sequence"));
  CHECK(has(table.out, "tokens/s"));
  words[5] = "in-core";
  words.insert(words.end(), {"--format", "json"});
  const Ran json = run(words);
  const std::size_t place = json.out.find("\"value\": ");
  REQUIRE(place != std::string::npos);
  const int longest = std::stoi(json.out.substr(place + 9));
  CHECK(longest % 128 == 0);
  for (const int seq : {longest, longest + 128}) {
    // Rotary positions of the config end earlier or later: the file has none.
    const std::string file = (folder.path() / "net.json").string();
    CHECK(run({"import", config, "-o", file}).exit_code == 0);
    Words there =
        Words{"predict", file, "--schedule", "in-core", "--seq", std::to_string(seq)} + job;
    CHECK(run(there).exit_code == (seq == longest ? 0 : 3));
  }
}

TEST_CASE("learned positions end the search, and say so") {
  const ScratchFolder folder;
  const std::string config =
      folder.file("config.json", R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 1,
                         "n_positions": 300, "vocab_size": 100})");
  const Ran ran = run({"max", "--of", "seq", config, "--hardware", "a100-40gb-pcie", "--schedule",
                       "in-core", "--step", "100", "--quiet", "--format", "json"});
  CHECK(ran.exit_code == 0);
  CHECK(has(ran.out, "\"value\": 300,"));
  CHECK(has(ran.out, "\"reason\": \"network\""));
  CHECK(has(ran.out, "\"beyond\": 400,"));
}

}  // namespace
}  // namespace ooc::test
