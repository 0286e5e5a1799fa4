#pragma once

#include <ostream>
#include <streambuf>
#include <vector>

namespace warpath::io {

/// Standard output as a stream that throws with the reason when a write fails; std::cout would hide
/// the reason.
class StandardOutput : public std::ostream {
 public:
  StandardOutput();

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer();
    ~Buffer() override;

   protected:
    /// @throws InputError, ReaderGone
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    int write();

    std::vector<char> bytes_;
  };

  Buffer buffer_;
};

}  // namespace warpath::io
