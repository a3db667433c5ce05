// `hardware new`: a hardware profile from what a data sheet says.
#include <fmt/format.h>

#include <array>
#include <string>

#include "cli/command.hpp"
#include "cli/flags.hpp"
#include "cli/locate.hpp"
#include "cli/outputs.hpp"
#include "cli/remarks.hpp"
#include "model/hardware/data_sheet.hpp"

namespace ooc {
namespace {

constexpr Flag kArchitecture{"--architecture", "NAME",
                             "generation, a file of hwprofiles/architectures: pascal, ..."};
constexpr Flag kMultiprocessors{"--multiprocessors", "N", "how many the device has (no cores)"};
constexpr Flag kPeak{.name = "--peak",
                     .value = "DTYPE=RATE",
                     .help =
                         "dense peak rate, e.g. float32=10.97TFLOP/s; 16-bit products with float32 "
                         "sums. Once for each type, or several between commas",
                     .many = true};
constexpr Flag kMemory{"--memory", "SIZE", "of the device, in GiB whatever the sheet prints"};
constexpr Flag kMemoryRate{"--memory-rate", "RATE", "of the device's memory, e.g. 480GB/s"};
constexpr Flag kLinkKind{
    "--link", "LINK",
    "to the host: pcie3x16 to pcie7x16 (also x1 to x8), nvlink1x2, nvlink2x3, "
    "nvlink-c2c, or the rate that pinned copies reach, e.g. 12GB/s"};
constexpr Flag kPeers{"--peers", "RATE",
                      "of collectives over the devices' own links, e.g. 368GB/s; default: none"};
constexpr Flag kFarMemory{"--far-memory", "SIZE",
                          "of the host; default: what such a host usually has"};
constexpr Flag kCudnn{"--cudnn", "VERSION",
                      "of the software that it runs, e.g. 5.1; default: the newest"};
constexpr Flag kSustained{.name = "--sustained",
                          .value = "DTYPE=SHARE",
                          .help =
                              "share of the peak that the best matrix product reaches, e.g. "
                              "float32=0.94; default: the architecture's",
                          .many = true};
constexpr Flag kPeaksSource{"--source", "TEXT",
                            "which data sheet, of which date, for the profile's provenance"};
constexpr std::array kHardwareFlags{
    kArchitecture, kMultiprocessors, kPeak,      kMemory,      kMemoryRate,    kLinkKind,    kPeers,
    kFarMemory,    kCudnn,           kSustained, kPeaksSource, flags::kOutput, flags::kQuiet};

std::string name_in(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positionals;
  if (words.empty()) bad_value("hardware", "nothing to do", "new NAME");
  if (words[0] != "new") unknown_word("hardware", words[0], {"new"});
  if (words.size() > 2) bad_value("hardware", in_quotes(words[2]), "one NAME behind new");
  return words.size() == 2 ? words[1] : "";
}

DataSheet data_sheet(const Arguments& arguments) {
  const auto all = [&](std::string_view flag) {
    const auto values = arguments.values(flag);
    return std::vector<std::string>(values.begin(), values.end());
  };
  return {.name = name_in(arguments),
          .architecture = arguments.value("--architecture"),
          .multiprocessors = arguments.value("--multiprocessors"),
          .peaks = all("--peak"),
          .memory = arguments.value("--memory"),
          .memory_rate = arguments.value("--memory-rate"),
          .link = arguments.value("--link"),
          .peers = arguments.value("--peers"),
          .far_memory = arguments.value("--far-memory"),
          .cudnn = arguments.value("--cudnn"),
          .sustained = all("--sustained"),
          .source = arguments.value("--source")};
}

std::vector<std::string> link_folders() {
  std::vector<std::string> folders = data_folders();
  for (std::string& folder : folders) folder += "/hwprofiles/links";
  return folders;
}

int run_hardware(const Arguments& arguments) {
  const std::string output = arguments.output();
  const DataSheetSources sources{.profiles = {.architecture_folders = architecture_folders()},
                                 .link_folders = link_folders(),
                                 .file = output};
  const HardwareProfile profile = profile_of(data_sheet(arguments), sources);
  OutputFile out("--output", output);
  const std::string text = write_profile(profile);
  // What the next `predict` will read, and name as assumed.
  const HardwareProfile read_back = read_profile_text(text, output, sources.profiles);
  out.write(text);
  out.commit();
  const Remarks remarks = arguments.remarks();
  remark(remarks, fmt::format("remark: {}: assumed, not from a data sheet: {}", read_back.name,
                              fmt::join(read_back.assumed, ", ")));
  return kExitOk;
}

}  // namespace

extern const Command hardware_command{
    .name = "hardware",
    .summary = "a hardware profile from a data sheet",
    .examples =
        "  ooc-paleo hardware new titan-x --architecture pascal --multiprocessors 28 "
        "--peak float32=10.97TFLOP/s \\\n"
        "    --memory 12GiB --memory-rate 480GB/s --link pcie3x16 -o titan-x.json\n"
        "  ooc-paleo hardware new a100 --architecture ampere --multiprocessors 108 \\\n"
        "    --peak float32=19.5TFLOP/s,tf32=156TFLOP/s,float16=312TFLOP/s,bfloat16=312TFLOP/s \\\n"
        "    --memory 80GiB --memory-rate 2039GB/s --link pcie4x16 --far-memory 1TiB -o "
        "a100.json\n",
    .positionals = {.name = "ACTION",
                    .help = "new NAME: a profile of that name",
                    .completes = Completes::kChoices,
                    .choices = "new",
                    .many = true},
    .flags = kHardwareFlags,
    .run = &run_hardware,
};

}  // namespace ooc
