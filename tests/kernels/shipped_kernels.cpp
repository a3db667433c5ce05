// Columns of machines.csv are named in its header.
#include "tests/kernels/shipped_kernels.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/kernel_table.hpp"

namespace ooc::test {

std::map<std::string, FitMachine> table_machines() {
  std::map<std::string, FitMachine> machines;
  for (const TableRow& row : read_table(OOC_SOURCE_DIR "/tests/data/kernels/machines.csv")) {
    FitMachine entry{.architecture = row.at("architecture"), .machine = {}};
    KernelMachine& machine = entry.machine;
    machine.multiprocessors = static_cast<int>(number_of(row, "multiprocessors"));
    machine.near_rate = BytesPerSecond(std::llround(number_of(row, "near_gb_per_s") * 1e9));
    for (const DtypeInfo& info : kDtypes) {
      const std::string name(info.name);
      const auto i = static_cast<std::size_t>(info.dtype);
      if (row.contains(name)) machine.peak[i] = {number_of(row, name) * 1e12};
      if (row.contains("sustained_" + name)) {
        machine.sustained[i] = number_of(row, "sustained_" + name);
      }
    }
    machines[row.at("name")] = entry;
  }
  return machines;
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
