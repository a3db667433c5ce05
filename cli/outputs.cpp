// POSIX calls rather than streams: streams hide why a write failed, and a full disk must be an error that says so.
#include "cli/outputs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/interrupt.hpp"
#include "cli/locate.hpp"
#include "model/base/errors.hpp"
#include "model/base/text_file.hpp"

namespace ooc {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

std::string system_text(int error) { return std::generic_category().message(error); }

/// Where a link whose target is missing leads: weakly_canonical() takes such a link for a missing file
/// and would name the link itself. A loop of links is left where it is found: opening it will fail.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // where Linux gives up too
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) break;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
}

/// A file beside the target that nobody else writes; -1 where none can be made.
int open_working_file(const std::string& target, std::string& name) {
  constexpr std::size_t kLongestName = 200;  // of the 255 that a file system takes
  const std::size_t file = target.rfind('/') + 1;
  name = target.substr(0, file) + target.substr(file, kLongestName) + ".ooc-paleo-tmp.XXXXXX";
  return mkostemp(name.data(), O_CLOEXEC);
}

mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

std::string output_target(const std::string& path) {
  struct stat status {};
  if (path.empty() || path == "-") return "";
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return "";
  // A link is followed: its target is replaced or made, the link stays.
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(
      behind_links(std::filesystem::absolute(path, ignored)), ignored);
  return ignored || resolved.empty() ? path : resolved.string();
}

bool write_fully(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void open_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one.
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened > STDERR_FILENO) close(opened);
  }
}

OutputFile::OutputFile(std::string flag, std::string path)
    : flag_(std::move(flag)), path_(std::move(path)) {
  if (path_.empty()) fail("an empty path");
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    const int opened = fcntl(descriptor_, F_GETFL);
    if (opened < 0 || (opened & O_ACCMODE) == O_RDONLY) fail("standard output, which is closed");
    return;
  }
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(in_quotes(path_) + ": " + system_text(errno));
    open_temporary();
  } else if (S_ISDIR(status.st_mode)) {
    fail(in_quotes(path_) + ", which is a directory");
  } else if (S_ISREG(status.st_mode)) {
    if (access(path_.c_str(), W_OK) != 0) fail(in_quotes(path_) + ": " + system_text(errno));
    open_temporary();
  } else {
    open_in_place();
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : flag_(std::move(other.flag_)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      interrupt_slot_(std::exchange(other.interrupt_slot_, std::nullopt)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  remove_unfinished();
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

void OutputFile::open_temporary() {
  target_ = output_target(path_);
  descriptor_ = open_working_file(target_, temporary_);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
  interrupt_slot_ = remove_on_interrupt(temporary_);
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  if (fchmod(descriptor_, replaces ? old.st_mode & 07777 : default_mode()) != 0) {
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
}

void OutputFile::open_in_place() {
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(in_quotes(path_) + ": " + system_text(errno));
}

void OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() >= kBufferBytes) {
    write_fully(text);
  } else {
    buffer_ += text;
  }
}

void OutputFile::flush() {
  const std::string pending = std::exchange(buffer_, {});
  write_fully(pending);
}

void OutputFile::write_fully(std::string_view text) {
  if (ooc::write_fully(descriptor_, text)) return;
  if (errno == EPIPE) throw ReaderGone();
  fail((is_stdout() ? "standard output" : path_) + ": " + system_text(errno));
}

void OutputFile::commit() {
  try {
    flush();
  } catch (const ReaderGone&) {
    return;
  }
  if (is_stdout()) return;
  // Network file systems say that a write failed when its file is closed.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    fail(in_quotes(path_) + ": " + system_text(errno));
  }
  if (!temporary_.empty()) {
    if (rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail(in_quotes(path_) + ": " + system_text(errno));
    }
    forget();
  }
}

void OutputFile::finish(std::string_view text) {
  try {
    write(text);
  } catch (const ReaderGone&) {
    return;
  }
  commit();
}

void OutputFile::remove_unfinished() noexcept {
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget();
}

/// The working file has another name now, or none.
void OutputFile::forget() {
  temporary_.clear();
  if (interrupt_slot_) forget_on_interrupt(*std::exchange(interrupt_slot_, std::nullopt));
}

void OutputFile::fail(const std::string& found) {
  // A constructor that throws runs no destructor.
  remove_unfinished();
  bad_value(flag_, found, "a place that can be written");
}

// Two outputs in one place would overwrite each other, and an output in the place of an input would
// destroy what the user cannot get back: refused. Inputs are compared by device and inode, so that
// another spelling, a symbolic or a hard link is no way around.

namespace {

/// An output as the user named it.
struct Named {
  std::string flag;
  std::string path;
};

bool same_place(const Named& a, const Named& b) {
  if (a.path == "-" || b.path == "-") return a.path == b.path;
  const std::string target = output_target(a.path);
  return !target.empty() && target == output_target(b.path);
}

void check_apart(const Named& first, const Named& second) {
  if (!same_place(first, second)) return;
  bad_value(second.flag, in_quotes(second.path) + ", where another output goes",
            "a place of its own",
            second.path == "-" ? "give that one a file, or use -o FILE for the result" : "");
}

/// The files that are there; what is wrong with the others is for their readers to say.
std::vector<std::string> input_files(const Arguments& arguments, const Inputs& inputs) {
  std::vector<std::string> files;
  for (const std::string& name : inputs.networks) {
    if (auto path = find_data(DataKind::kNetwork, name)) files.push_back(*std::move(path));
  }
  for (const std::string& name : inputs.profiles) {
    if (auto path = find_data(DataKind::kHardware, name)) files.push_back(*std::move(path));
  }
  files.insert(files.end(), inputs.others.begin(), inputs.others.end());
  if (!arguments.job.empty()) files.push_back(arguments.job);
  for (const GivenFlag& given : arguments.flags) {
    if (given.flag->completes == Completes::kInputs) files.push_back(given.values.front());
  }
  return files;
}

void check_no_input(const Named& output, const std::vector<std::string>& inputs) {
  struct stat to {};
  const std::string target = output_target(output.path);
  // Only files are replaced: devices and pipes may well be both.
  if (target.empty() || stat(target.c_str(), &to) != 0) return;
  for (const std::string& input : inputs) {
    struct stat from {};
    if (stat(input.c_str(), &from) != 0) continue;
    if (from.st_dev != to.st_dev || from.st_ino != to.st_ino) continue;
    const std::string also = input == output.path ? "" : " (" + in_quotes(input) + ")";
    bad_value(output.flag, in_quotes(output.path) + ", which is an input" + also,
              "a place of its own", "the input would be lost");
  }
}

}  // namespace

void check_outputs(const Arguments& arguments, const Inputs& inputs) {
  std::vector<Named> named{{"--output", arguments.output()}};
  for (const char* flag :
       {"--trace", "--memory-snapshot", "--export-plan", "--export-policy", "--report"}) {
    if (auto path = arguments.value(flag)) named.push_back({flag, *std::move(path)});
  }
  const std::vector<std::string> files = input_files(arguments, inputs);
  for (std::size_t i = 0; i < named.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) check_apart(named[before], named[i]);
    check_no_input(named[i], files);
  }
}

Outputs open_outputs(const Arguments& arguments, const Inputs& inputs) {
  // Everything is checked before the first file is made.
  check_outputs(arguments, inputs);
  const auto open = [&](const char* flag) -> std::optional<OutputFile> {
    auto path = arguments.value(flag);
    return path ? std::optional<OutputFile>(std::in_place, flag, *std::move(path)) : std::nullopt;
  };
  return {.result = OutputFile("--output", arguments.output()),
          .trace = open("--trace"),
          .plan = open("--export-plan"),
          .policy = open("--export-policy"),
          .snapshot = open("--memory-snapshot"),
          .pictures = Pictures(arguments)};
}

Pictures::Pictures(const Arguments& arguments, std::string_view flag) {
  auto path = arguments.value(flag);
  if (!path) return;
  auto script = find_page_script();
  if (!script) {
    bad_value(flag, "no charts: pages/report.js is not there",
              "it beside the program's data, or in the build folder of its sources",
              "scripts/build-pages makes it; it needs npm");
  }
  script_ = *std::move(script);
  page_.emplace(std::string(flag), *std::move(path));
}

void Pictures::finish(std::string_view title, std::span<const PageDocument> documents) {
  if (!page_) return;
  const std::string script = read_text_file(script_);
  page_->finish(page_html({.title = title, .documents = documents, .script = script}));
}

}  // namespace ooc
