// The parent's part: it reads the child's lines, passes them on and knows by them which request is open. See run.hpp.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "calibrate/bench/run.hpp"

namespace ooc::bench {
namespace {

constexpr double kStartLimitS = 90;  // until the device is open: a driver that sleeps takes long
constexpr int kGraceMs = 5000;       // for a killed child: in the driver it may take a while

volatile pid_t measuring = -1;
volatile pid_t sampling = -1;

extern "C" void end_all(int) {
  if (measuring > 0) kill(measuring, SIGKILL);
  if (sampling > 0) kill(sampling, SIGKILL);
  _exit(130);
}

struct Process {
  pid_t id = -1;
  int output = -1;
};

// Runs `work` in a child whose output comes through a pipe, and that dies with its parent.
Process start(const std::function<int(Output&)>& work) {
  int ends[2];
  if (pipe(ends) != 0) _exit(1);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) _exit(1);
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died before the line above
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    close(ends[0]);
    Output output(ends[1]);
    _exit(work(output));
  }
  close(ends[1]);
  return {id, ends[0]};
}

std::string today() {
  const time_t now = time(nullptr);
  char text[16] = {};
  tm parts{};
  strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

template <typename Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Two lines a second of clocks, power and reasons for throttling, until it is killed, by NVML: every driver brings it and
// nvidia-smi uses it; its header comes with the toolkit only where somebody chose it. Signatures and numbers are those
// of NVIDIA's NVML API reference.
int sample_clocks(const std::string& bus_id, Output& output) {
  using Device = void*;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return 0;
  const auto init = find<int (*)()>(library, "nvmlInit_v2");
  const auto by_bus =
      find<int (*)(const char*, Device*)>(library, "nvmlDeviceGetHandleByPciBusId_v2");
  const auto clock = find<int (*)(Device, int, unsigned*)>(library, "nvmlDeviceGetClockInfo");
  const auto power = find<int (*)(Device, unsigned*)>(library, "nvmlDeviceGetPowerUsage");
  const auto reasons = find<int (*)(Device, unsigned long long*)>(
      library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  Device device = nullptr;
  if (init == nullptr || by_bus == nullptr || clock == nullptr || power == nullptr ||
      reasons == nullptr || init() != 0 || by_bus(bus_id.c_str(), &device) != 0) {
    return 0;
  }
  for (;; usleep(500'000)) {
    Record record("clocks");
    record.number("at_s", now_s());
    unsigned value = 0;
    unsigned long long bits = 0;
    if (clock(device, 0, &value) == 0) record.integer("sm_mhz", value);
    if (clock(device, 2, &value) == 0) record.integer("memory_mhz", value);
    if (power(device, &value) == 0) record.integer("power_mw", value);
    if (reasons(device, &bits) == 0) {
      record.integer("throttle_reasons", static_cast<std::int64_t>(bits));
    }
    output.send(record);
  }
}

// Takes what there is to read, line by line; half a line stays. False at the end.
template <typename Take>
bool read_lines(int descriptor, std::string& pending, const Take& take) {
  char bytes[65536];
  const ssize_t count = ::read(descriptor, bytes, sizeof bytes);
  if (count <= 0) return false;
  pending.append(bytes, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
    take(pending.substr(begin, end + 1 - begin));
  }
  pending.erase(0, begin);
  return true;
}

class Supervisor {
 public:
  Supervisor(Options options, Output output, History history)
      : options_(std::move(options)),
        output_(output),
        history_(std::move(history)),
        deadline_s_(now_s() + options_.within_s) {}

  int run() {
    output_.send(Record("hello")
                     .text("format", "ooc-paleo/bench")
                     .integer("version", 1)
                     .text("program", kProgram)
                     .text("backend", backend_name())
                     .text("effort", options_.full ? "full" : "quick")
                     .text("date", today()));
    std::set<std::string> safe = options_.groups;
    const bool unified = safe.erase("unified") > 0;
    int code = safe.empty() ? kExitDone : run_groups(safe);
    if (code == kExitDone && unified) code = run_groups({"unified"});
    stop_sampling();
    return code;
  }

 private:
  // One child after another until one has answered everything.
  int run_groups(const std::set<std::string>& groups) {
    for (int fruitless = 0; fruitless < 3;) {
      const std::size_t before = history_.answered.size();
      const int code = run_child(groups);
      if (code == kExitDone || code == kExitNoDevice) return code == 0 || !opened_ ? code : 4;
      fruitless = history_.answered.size() > before ? 0 : fruitless + 1;
    }
    return kExitDeviceFailed;
  }

  int run_child(const std::set<std::string>& groups) {
    const Process child = start([&](Output& output) {
      return answer_requests(options_, groups, history_, deadline_s_, output);
    });
    measuring = child.id;
    open_.clear();
    limit_s_ = kStartLimitS;
    std::string pending;
    double heard_s = now_s();
    bool silent = false;
    for (;;) {
      pollfd wait[2] = {{child.output, POLLIN, 0}, {sampler_.output, POLLIN, 0}};
      poll(wait, sampler_.output >= 0 ? 2 : 1, 200);
      if (sampler_.output >= 0 && wait[1].revents != 0) take_clocks();
      if (wait[0].revents != 0) {
        if (!read_lines(child.output, pending, [this](const auto& line) { take(line); })) break;
        heard_s = now_s();
      }
      if (now_s() - heard_s > limit_s_) {
        silent = true;
        kill(child.id, SIGKILL);
        break;
      }
    }
    close(child.output);
    return ended(child.id, silent);
  }

  void take(const std::string& line) {
    output_.send_line(line);
    history_.read(line);
    const std::string kind = text_in(line, "record");
    if (kind == "begin") {
      open_ = text_in(line, "request");
      const std::size_t at = line.find("\"limit_s\":");
      limit_s_ = at == std::string::npos ? 60 : std::atof(line.c_str() + at + 10);
    } else if (kind == "done" || kind == "error") {
      open_.clear();
    } else if (kind == "machine") {
      opened_ = true;
      if (sampler_.id < 0) start_sampling(text_in(line, "pci_bus_id"));
    }
  }

  int ended(pid_t id, bool silent) {
    int status = 0;
    pid_t gone = 0;
    for (int ms = 0; ms < kGraceMs && gone != id; ms += 10) {
      gone = waitpid(id, &status, WNOHANG);
      if (gone != id) usleep(10'000);
    }
    measuring = -1;
    std::string how = "did not answer for " + std::to_string(static_cast<int>(limit_s_)) + " s";
    if (!silent && gone == id && WIFSIGNALED(status)) {
      how = "ended the program by signal " + std::to_string(WTERMSIG(status));
    } else if (!silent && gone == id) {
      how = "ended the program with exit code " + std::to_string(WEXITSTATUS(status));
    }
    if (!open_.empty()) {
      const std::string line = Record("error").text("request", open_).text("text", how).line();
      output_.send_line(line);
      history_.read(line);
    }
    if (gone != id) return kExitDeviceFailed;  // what cannot even be killed is stuck in the driver
    return !silent && WIFEXITED(status) ? WEXITSTATUS(status) : kExitDeviceFailed;
  }

  void start_sampling(const std::string& bus_id) {
    sampler_ = start([&](Output& output) { return sample_clocks(bus_id, output); });
    sampling = sampler_.id;
  }

  void take_clocks() {
    const auto send = [this](const auto& line) { output_.send_line(line); };
    if (!read_lines(sampler_.output, clocks_, send)) stop_sampling();
  }

  void stop_sampling() {
    if (sampling <= 0) return;
    kill(sampling, SIGKILL);
    waitpid(sampling, nullptr, 0);
    sampling = -1;
    close(sampler_.output);
    sampler_.output = -1;
  }

  Options options_;
  Output output_;
  History history_;
  double deadline_s_;
  bool opened_ = false;
  std::string open_;
  double limit_s_ = 0;
  Process sampler_;
  std::string clocks_;  // half a line of them
};

History history_of(const std::string& path) {
  History history;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) history.read(line);
  return history;
}

// For appending, half a line at its end taken away. -1 and a reason on standard error where that cannot be.
int open_output(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0) return -1;
  const off_t size = lseek(file, 0, SEEK_END);
  off_t end = size;
  for (char byte = 0; end > 0; --end) {
    if (pread(file, &byte, 1, end - 1) != 1 || byte == '\n') break;
  }
  if (end < size && ftruncate(file, end) != 0) return -1;
  lseek(file, end, SEEK_SET);
  return file;
}

}  // namespace

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void History::read(const std::string& line) {
  const std::string kind = text_in(line, "record");
  if (kind == "begin") ++begun[text_in(line, "request")];
  if (kind == "done" || kind == "error") answered.insert(text_in(line, "request"));
}

int supervise(Options options) {
  // The first makes every call wait for the device, which behind a gate is for ever; the second serialises streams.
  for (const char* name : {"CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS"}) {
    if (std::getenv(name) != nullptr) fprintf(stderr, "ooc-paleo-gpu: %s is ignored\n", name);
    unsetenv(name);
  }
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);  // numbers as nvidia-smi has them
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, &end_all);
  signal(SIGTERM, &end_all);
  int descriptor = STDOUT_FILENO;
  if (!options.output.empty()) {
    descriptor = open_output(options.output);
    if (descriptor < 0) {
      fprintf(stderr, "ooc-paleo-gpu: %s cannot be written, or another program writes it\n",
              options.output.c_str());
      return kExitUsage;
    }
    options.resume = options.output;
  }
  History history = options.resume.empty() ? History{} : history_of(options.resume);
  return Supervisor(std::move(options), Output(descriptor), std::move(history)).run();
}

}  // namespace ooc::bench
