#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace warpath::io {

/// Decompresses gzip data of one or more members piece by piece.
class Inflater {
 public:
  /// Returns the next packed bytes, which stay until it is called again; none at the end.
  using Source = std::function<std::string_view()>;

  /// @param name of the file, for errors; it must outlive this.
  Inflater(const std::string& name, Source more);
  ~Inflater();

  /// Tells whether the content has been returned to its end.
  bool at_end() const { return is_ended_; }
  /// Fills the room, or less if the content ends before. Returns the number of bytes.
  /// @throws InputError if the data are damaged.
  std::size_t fill(char* to, std::size_t room);

 private:
  struct Stream;

  std::size_t step(char* to, std::size_t room);
  void start_next_member();

  const std::string& name_;
  Source more_;
  std::unique_ptr<Stream> stream_;
  std::string_view packed_;  // what of it is not used yet
  bool is_ended_ = false;
};

/// Decompresses gzip data of one or more members; allocates memory for the content only.
/// @param name of the file, for errors.
/// @throws InputError if the data are damaged or hold more than `max_bytes`.
std::string gunzip(const std::string& packed, const std::string& name, std::uint64_t max_bytes);

/// Reports an input of more than `max_bytes`. @throws InputError that says how it can still be
/// read.
[[noreturn]] void fail_too_large(const std::string& name, std::uint64_t max_bytes,
                                 bool is_packed = false);

}  // namespace warpath::io
