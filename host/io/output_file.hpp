#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// Result files, written so that none is ever there in part: each regular file is written beside
/// its place and moved there by `commit`; devices, pipes and whatever file the program's own output
/// goes to are written directly. A link stays a link: what it leads to is written. What is not
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
  void write_beside(const std::string& path, std::string_view content, mode_t mode);

  std::vector<Pending> pending_;
};

}  // namespace warpath
