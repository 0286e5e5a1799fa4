#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// Result files, written so that none is ever there in part: each regular file is written beside
/// its place and moved there by `commit`; devices and pipes are written directly. What is not
/// committed is removed.
class OutputFiles {
 public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// @throws InputError where the content can't be written whole; nothing of it is left then.
  void add(const std::string& path, std::string_view content);
  void commit();

 private:
  struct Pending {
    std::string temporary, path;
  };
  std::vector<Pending> pending_;
};

}  // namespace warpath
