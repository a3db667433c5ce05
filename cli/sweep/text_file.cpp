// A line that a kill cut off is known by its missing end; a power cut may leave zeros there, which end no line either.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cli/outputs.hpp"
#include "cli/sweep/row_file.hpp"
#include "model/base/errors.hpp"
#include "model/base/option_text.hpp"

namespace ooc {
namespace {

[[noreturn]] void cannot_write(const LockedFile& file) {
  bad_value("--output", in_quotes(file.name()) + ": " + std::generic_category().message(errno),
            "a place that can be written");
}

class TextFile : public RowFile {
 public:
  TextFile(const LockedFile& file, std::string head) : file_(file), head_(std::move(head)) {
    const std::size_t before = head_.empty() ? 0 : 1;
    std::size_t lines = 0;
    std::string piece;
    for (std::size_t at = 0; !(piece = read(at, std::size_t{1} << 20)).empty();
         at += piece.size()) {
      for (std::size_t end = 0; (end = piece.find('\n', end)) != std::string::npos;) {
        ++end;
        last_ = end_;
        end_ = at + end;
        if (++lines > before) ++rows_;
      }
    }
  }

  std::size_t rows() override { return rows_; }

  void check(std::size_t index, std::string_view row) override {
    const bool is_first = index == 0;
    const std::string expected = (is_first ? head_ : "") + std::string(row);
    const std::string found = is_first ? read(0, expected.size()) : read(last_, end_ - last_);
    if (is_first ? expected.starts_with(found) : expected == found) return;
    // The field that differs: of CSV its column stands in the head.
    const auto same = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    const auto at = static_cast<std::size_t>(same.second - expected.begin());
    const std::string before = expected.substr(0, at);
    const std::size_t begin = before.find_last_of(",\n") + 1;  // of none 0
    const auto field = [&](const std::string& text) {
      const std::string rest = text.substr(std::min(begin, text.size()));
      return in_quotes(trimmed(rest.substr(0, rest.find_first_of(",\n"))));
    };
    const bool in_head = is_first && at < head_.size();
    std::string column;
    if (!head_.empty() && !in_head) {
      auto commas = std::count(before.begin() + static_cast<std::ptrdiff_t>(before.rfind('\n') + 1),
                               before.end(), ',');
      std::size_t name = 0;
      while (commas-- > 0) name = head_.find(',', name) + 1;
      column = head_.substr(name, head_.find_first_of(",\n", name) - name) + " ";
    }
    refuse_rows(file_,
                in_head ? "that begins with " + field(found)
                        : "with " + column + field(found) + " in row " + std::to_string(index),
                field(expected));
  }

  void go_on() override {
    const auto end = static_cast<off_t>(rows_ == 0 ? 0 : end_);
    if (ftruncate(file_.descriptor(), end) != 0 ||
        lseek(file_.descriptor(), end, SEEK_SET) != end) {
      cannot_write(file_);
    }
    if (rows_ == 0) write(head_);
  }

  void write(std::string_view rows) override {
    if (!write_fully(file_.descriptor(), rows)) cannot_write(file_);
  }

 private:
  [[nodiscard]] std::string read(std::size_t at, std::size_t bytes) const {
    std::string text(bytes, '\0');
    const ssize_t got = pread(file_.descriptor(), text.data(), bytes, static_cast<off_t>(at));
    if (got < 0) cannot_write(file_);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }

  const LockedFile& file_;
  std::string head_;
  std::size_t rows_ = 0;
  std::size_t last_ = 0;  ///< where its last whole line begins
  std::size_t end_ = 0;   ///< of its whole lines
};

}  // namespace

LockedFile::LockedFile(std::string name) : name_(std::move(name)), path_(output_target(name_)) {
  struct stat status {};
  made_ = stat(path_.c_str(), &status) != 0;
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  descriptor_ = open(path_.c_str(), kFlags, 0666);
  if (descriptor_ < 0) cannot_write(*this);
  // File systems without locks refuse in other ways.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  bad_value("--output", in_quotes(name_) + ", which another process is writing",
            "a file of its own, or the end of that process");
}

LockedFile::~LockedFile() {
  struct stat status {};
  if (made_ && fstat(descriptor_, &status) == 0 && status.st_size == 0) unlink(path_.c_str());
  close(descriptor_);
}

void LockedFile::empty() const {
  if (ftruncate(descriptor_, 0) != 0) cannot_write(*this);
}

void LockedFile::sync() const {
  if (fsync(descriptor_) != 0) cannot_write(*this);
}

void refuse_rows(const LockedFile& file, const std::string& found, const std::string& expected) {
  bad_value("--output", in_quotes(file.name()) + " " + found,
            expected + ", as this sweep writes it",
            "--overwrite begins anew; give another sweep another file");
}

std::unique_ptr<RowFile> open_text_file(const LockedFile& file, std::string head) {
  return std::make_unique<TextFile>(file, std::move(head));
}

}  // namespace ooc
