// Which arguments name inputs is data of the commands (Completes), so that no command can forget the check.
#include "cli/input_names.hpp"

#include <optional>
#include <span>
#include <string>

#include "cli/locate.hpp"
#include "cli/options.hpp"
#include "cli/remarks.hpp"
#include "model/base/standard_input.hpp"

namespace ooc {
namespace {

std::optional<DataKind> kind_of(Completes completes) {
  switch (completes) {
    case Completes::kNetworks:
      return DataKind::kNetwork;
    case Completes::kHardware:
      return DataKind::kHardware;
    case Completes::kFrameworks:
      return DataKind::kFramework;
    case Completes::kRows:
      return DataKind::kRow;
    case Completes::kNothing:
    case Completes::kFiles:
    case Completes::kInputs:
    case Completes::kSchedules:
    case Completes::kChoices:
      return std::nullopt;
  }
  return std::nullopt;
}

class NamesOfInputs {
 public:
  explicit NamesOfInputs(Remarks remarks) : remarks_(remarks) {}

  void check(std::string_view place, Completes completes, std::span<const std::string> names) {
    const std::optional<DataKind> kind = kind_of(completes);
    if (!kind && completes != Completes::kInputs) return;
    for (const std::string& name : names) {
      if (name == kStandardInput) take_standard_input(place);
      if (!kind) continue;
      const std::string text = remark_on_name(*kind, name);
      if (!text.empty()) remark(remarks_, "remark: " + text);
    }
  }

 private:
  void take_standard_input(std::string_view place) {
    if (taken_) {
      bad_value(place, "standard input, which is read already", "one input from there",
                "give the other as a file");
    }
    taken_ = true;
  }

  Remarks remarks_;
  bool taken_ = false;
};

}  // namespace

void check_inputs(const Command& command, const Arguments& arguments) {
  NamesOfInputs names(arguments.has("--quiet") ? Remarks::kQuiet : Remarks::kShown);
  const Positionals& positionals = command.positionals;
  names.check(positionals.name, positionals.completes, arguments.positionals());
  for (const Flag& flag : command.flags) {
    names.check(flag.name, flag.completes, arguments.values(flag));
  }
}

}  // namespace ooc
