#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpath::io {

/// Thrown when standard output has no reader any more: the program ends silently (exit code 141).
struct ReaderGone {};

/// Writes the whole content. Returns 0 or the errno of the failed call.
int write_all(int descriptor, std::string_view content);

/// Reports a failed write. @throws InputError with a remedy for that errno
[[noreturn]] void fail_to_write(const std::string& path, int error);

/// Writes result files so that no file is ever incomplete: a regular file is written without a
/// name, or beside its place where the file system wants a name, and gets its place by `commit`.
/// Devices, pipes and the file of the program's own standard output are written directly. If the
/// path is a link, its target is written and the link is kept. Files that are not committed are
/// removed; those without a name vanish however the program ends.
class OutputFiles {
 public:
  /// Says what becomes of a file that is at the place by the time of `commit`.
  enum class Old {
    replaced,
    kept  ///< refused instead, unless it is empty
  };

  OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;
  ~OutputFiles();

  /// @throws InputError if the content cannot be written completely; nothing of it remains then.
  /// @throws ReaderGone
  void add(const std::string& path, std::string content, Old old = Old::replaced);
  /// Makes the next part of a content; returns false, without a part, at its end.
  using NextPart = std::function<bool(std::string& part)>;
  /// Writes a content that is too large for memory in parts. @throws as the function above
  void add(const std::string& path, const NextPart& next, Old old = Old::replaced);
  /// Gives all files their places, first those that may not replace another. @throws InputError if
  /// such a place was taken meanwhile, or a file cannot be moved there. If a signal ends the
  /// program meanwhile, either all or none of the files are moved.
  void commit();

  /// Removes the temporary files of all objects and stops, permanently, every thread that makes or
  /// moves one. Only for ending the program.
  /// @return what the program has written until now: "no file was written"
  static std::string abandon_all();

 private:
  struct Pending {
    std::string path;
    Old old;
    int descriptor = -1;      // of a file without a name
    std::string temporary{};  // name of any other
  };
  int begin(const std::string& path, Old old);
  void write_beside(const std::string& path, const NextPart& next, mode_t mode, Old old);
  static void place(Pending& pending);
  static void discard(const Pending& pending);

  std::vector<Pending> pending_;
};

}  // namespace warpath::io
