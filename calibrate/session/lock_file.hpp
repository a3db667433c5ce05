// Two calibrations at once would measure each other and overwrite each other's samples. A lock beside
// the output refuses the second; the kernel drops it with the process, however that ends.
#pragma once

#include <optional>
#include <string>

namespace ooc {

class LockFile {
 public:
  /// None if somebody else holds it. Throws SpecError where the file cannot be made; `flag` is for
  /// the message.
  [[nodiscard]] static std::optional<LockFile> take(const std::string& path,
                                                    const std::string& flag);
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();  ///< removes the file

 private:
  LockFile(std::string path, int descriptor);
  std::string path_;
  int descriptor_;
};

}  // namespace ooc
