// The program: run the command line, turn what it throws into one line on stderr and an exit code.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/outputs.hpp"
#include "cli/program.hpp"
#include "model/base/errors.hpp"
#include "model/base/spec_errors.hpp"

int main(int argc, char** argv) {
  ooc::open_closed_descriptors();
  ooc::catch_interrupts();
  try {
    return ooc::run_command_line(std::vector<std::string>(argv, argv + argc));
  } catch (const ooc::ReaderGone&) {
    return ooc::kExitOk;  // `ooc-paleo list networks | head -1`: the reader has what it wanted
  } catch (const ooc::Interrupted&) {
    std::fputs("ooc-paleo: interrupted\n", stderr);
    return ooc::kExitInterrupted;
  } catch (const ooc::SpecErrors& errors) {
    std::fprintf(stderr, "ooc-paleo: error: %s\n", errors.what());
    for (const std::string& other : errors.others()) {
      std::fprintf(stderr, "ooc-paleo: error: %s\n", other.c_str());
    }
    return ooc::kExitBadInput;
  } catch (const ooc::SpecError& error) {
    std::fprintf(stderr, "ooc-paleo: error: %s\n", error.what());
    return ooc::kExitBadInput;
  } catch (const std::bad_alloc&) {
    std::fputs("ooc-paleo: error: out of memory on this machine; try a smaller input\n", stderr);
    return ooc::kExitInternal;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ooc-paleo: internal error: %s\n", error.what());
    return ooc::kExitInternal;
  }
}
