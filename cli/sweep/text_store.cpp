// A text grows in r.csv.part; header and states stand in r.csv.part.run, a line each, and become r.csv.run. A state
// is written behind its rows, so that at whatever moment the process ends the last whole line speaks of rows that
// are all there; what stands behind them is cut off. The two files get their names one after the other: a
// complete run in r.csv.part.run without rows in r.csv.part is a run whose rows have theirs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "cli/output_file.hpp"
#include "cli/sweep/row_store.hpp"
#include "cli/sweep/run_state.hpp"
#include "model/base/errors.hpp"

namespace ooc {
namespace {

void expect(bool done, const std::string& path) {
  if (!done) throw std::system_error(errno, std::generic_category(), path);
}

std::optional<std::int64_t> size_of_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_size;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;  // one without its end is none
}

std::optional<KeptRun> run_of(const std::string& rows, const std::string& log) {
  const std::optional<std::int64_t> bytes = size_of_file(rows);
  if (!bytes) return std::nullopt;
  std::vector<std::string> lines = lines_of(log);
  KeptRun run{.header = {}, .states = {}, .bytes = *bytes};
  if (lines.empty()) return run;
  run.header = std::move(lines.front());
  lines.erase(lines.begin());
  run.states = std::move(lines);
  return run;
}

class TextStore : public RowStore {
 public:
  explicit TextStore(const StoreFiles& files)
      : files_(files), log_(files.part + ".run"), final_log_(files.target + ".run") {
    finish_renaming();
  }
  ~TextStore() override {
    if (log_descriptor_ >= 0) close(log_descriptor_);
  }
  TextStore(const TextStore&) = delete;
  TextStore& operator=(const TextStore&) = delete;

  std::optional<KeptRun> complete() override { return kept_text(files_.target); }
  std::optional<KeptRun> unfinished() override {
    if (size_of_file(files_.part).value_or(0) == 0) return std::nullopt;
    return run_of(files_.part, log_);
  }

  void begin(const std::string& header) override {
    // The rows go first: without them the log of another run says nothing.
    cut(files_.lock, 0, files_.part);
    open_log(O_TRUNC);
    put(log_descriptor_, header + "\n", log_);
  }

  void go_on(const KeptUpTo& up_to) override {
    const std::vector<std::string> lines = lines_of(log_);
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i <= up_to.states; ++i) {
      bytes += static_cast<std::int64_t>(lines[i].size()) + 1;
    }
    open_log(0);
    cut(log_descriptor_, bytes, log_);
    cut(files_.lock, up_to.bytes, files_.part);
  }

  void keep(std::string_view rows, const std::string& state) override {
    put(files_.lock, rows, files_.part);
    put(log_descriptor_, state + "\n", log_);
  }

  void add(std::string_view end) override { put(files_.lock, end, files_.part); }

  void take(const Taken& taken, const std::string& state) override {
    const std::string& file = taken.file;
    std::ifstream from(file, std::ios::binary);
    from.seekg(static_cast<std::streamoff>(taken.head));
    std::string piece(std::size_t{1} << 20, '\0');
    do {
      from.read(piece.data(), std::ssize(piece));
      const auto size = static_cast<std::size_t>(from.gcount());
      put(files_.lock, std::string_view(piece).substr(0, size), files_.part);
    } while (from);
    expect(from.eof(), file);
    put(log_descriptor_, state + "\n", log_);
  }

  void discard() override {
    cut(files_.lock, 0, files_.part);
    expect(unlink(log_.c_str()) == 0 || errno == ENOENT, log_);
  }

  void finish() override {
    struct stat old {};
    if (stat(files_.target.c_str(), &old) == 0) {
      expect(fchmod(files_.lock, old.st_mode & 07777) == 0, files_.part);
    }
    // Network file systems say so late that a write failed.
    expect(fsync(files_.lock) == 0 && fsync(log_descriptor_) == 0, files_.part);
    expect(rename(files_.part.c_str(), files_.target.c_str()) == 0, files_.target);
    // Another process may have found the run complete and have done this.
    expect(rename(log_.c_str(), final_log_.c_str()) == 0 || errno == ENOENT, final_log_);
  }

 private:
  void finish_renaming() const {
    if (size_of_file(files_.part).value_or(0) > 0) return;
    const std::vector<std::string> lines = lines_of(log_);
    if (lines.size() < 2) return;
    try {
      const RunState state = read_states({lines.back()}, INT64_MAX, log_);
      if (!state.complete || size_of_file(files_.target) != state.bytes) return;
    } catch (const SpecError&) {
      return;  // no log of ours
    }
    expect(rename(log_.c_str(), final_log_.c_str()) == 0, final_log_);
  }

  void open_log(int how) {
    log_descriptor_ = open(log_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0666);
    expect(log_descriptor_ >= 0, log_);
  }
  static void cut(int descriptor, std::int64_t bytes, const std::string& path) {
    expect(ftruncate(descriptor, bytes) == 0 && lseek(descriptor, bytes, SEEK_SET) == bytes, path);
  }
  static void put(int descriptor, std::string_view text, const std::string& path) {
    expect(write_fully(descriptor, text), path);
  }

  StoreFiles files_;
  std::string log_;
  std::string final_log_;
  int log_descriptor_ = -1;
};

}  // namespace

std::optional<KeptRun> kept_text(const std::string& path) { return run_of(path, path + ".run"); }

std::unique_ptr<RowStore> open_text_store(const StoreFiles& files) {
  return std::make_unique<TextStore>(files);
}

}  // namespace ooc
