#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// Standard output has no reader any more: nobody wants to hear of it (exit code 141).
struct ReaderGone {};

/// Returns 0 or the errno of what failed.
int write_all(int descriptor, std::string_view content);

/// @throws InputError with what helps against that errno
[[noreturn]] void fail_to_write(const std::string& path, int error);

/// Result files, written so that none is ever there in part: each regular file is written beside
/// its place and moved there by `commit`; devices, pipes and whatever file the program's own output
/// goes to are written directly. A link stays a link: what it leads to is written. What is not
/// committed is removed.
class OutputFiles {
 public:
  OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// @throws InputError where the content can't be written whole; nothing of it is left then.
  /// @throws ReaderGone
  void add(const std::string& path, std::string_view content);
  /// A signal that ends the program meanwhile finds either all or none of the files moved.
  void commit();

  /// Removes the temporary files of all objects and stops every thread that makes or moves one, for
  /// good: for whoever ends the program at once.
  /// @return what the program has written until now: "no file was written"
  static std::string abandon_all();

 private:
  struct Pending {
    std::string temporary, path;
  };
  int make_temporary(const std::string& path);
  void write_beside(const std::string& path, std::string_view content, mode_t mode);

  std::vector<Pending> pending_;
};

}  // namespace warpath
