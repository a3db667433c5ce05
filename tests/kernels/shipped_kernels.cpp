#include "tests/kernels/shipped_kernels.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "calibrate/fit/fit_machines.hpp"

namespace ooc::test {

FitMachines table_machines() {
  const std::string path = OOC_SOURCE_DIR "/tests/data/kernels/machines.csv";
  return read_machines(text_of_file(path), path);
}

std::map<std::string, Architecture> read_architectures(const std::string& folder) {
  std::map<std::string, Architecture> architectures;
  for (const char* name :
       {"kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper", "blackwell"}) {
    architectures[name] = read_architecture_file(folder + "/" + name + ".json");
  }
  return architectures;
}

std::string shipped_architectures() { return OOC_SOURCE_DIR "/hwprofiles/architectures"; }

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ooc::test
