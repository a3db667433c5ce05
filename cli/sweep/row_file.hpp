// The file that a sweep's rows are appended to, by this run and by those that go on with it. It is never anything else
// than its rows, so that nothing but the rows can say whose they are: who goes on compares the first and the last.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ooc {

/// A file that this process alone writes. One that it made and left empty is removed.
class LockedFile {
 public:
  /// `name` as -o has it. Throws SpecError where it cannot be written, and where another process writes it.
  explicit LockedFile(std::string name);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& path() const { return path_; }  ///< links resolved
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void empty() const;
  /// Network file systems say late that a write failed.
  void sync() const;

 private:
  std::string name_;
  std::string path_;
  bool made_ = false;
  int descriptor_ = -1;
};

/// Functions throw SpecError about --output.
class RowFile {
 public:
  virtual ~RowFile() = default;

  /// Whole rows that are there.
  [[nodiscard]] virtual std::size_t rows() = 0;
  /// Refuses a file whose row `index`, its first or its last, is not `row`. Of a file without rows the first is
  /// checked as far as it goes.
  virtual void check(std::size_t index, std::string_view row) = 0;
  /// Cuts off what stands behind the whole rows. The next ones go there.
  virtual void go_on() = 0;
  /// Whole rows: once it returns, no end of this process takes them away.
  virtual void write(std::string_view rows) = 0;
};

/// Refuses the file as one of another sweep.
[[noreturn]] void refuse_rows(const LockedFile& file, const std::string& found,
                              const std::string& expected);

/// Rows are lines, `head` a line before them or nothing.
[[nodiscard]] std::unique_ptr<RowFile> open_text_file(const LockedFile& file, std::string head);
/// A table `points` with the columns of `head`, a header in CSV, behind `point`, the number of the row; rows are lines
/// of CSV and `first` is the number of the first one.
[[nodiscard]] std::unique_ptr<RowFile> open_sqlite_file(const LockedFile& file,
                                                        std::string_view head, std::size_t first);

}  // namespace ooc
