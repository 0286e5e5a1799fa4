#include "host/files/io/standard_output.hpp"

#include <unistd.h>

#include <cerrno>

#include "host/files/io/output_file.hpp"

namespace warpath::io {

StandardOutput::StandardOutput() : std::ostream(nullptr) {
  rdbuf(&buffer_);
  exceptions(badbit);
}

StandardOutput::Buffer::Buffer() : bytes_(std::size_t{1} << 16) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

// If a run failed for another reason, its output so far is still shown if possible.
StandardOutput::Buffer::~Buffer() {
  write();
}

// Writes the buffer. Returns 0 or the errno of the failed call; what was not written is lost then.
int StandardOutput::Buffer::write() {
  const std::string_view bytes(pbase(), pptr());
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return write_all(STDOUT_FILENO, bytes);
}

int StandardOutput::Buffer::sync() {
  const int error = write();
  if (error == EPIPE) throw ReaderGone();
  if (error != 0) fail_to_write("standard output", error);
  return 0;
}

StandardOutput::Buffer::int_type StandardOutput::Buffer::overflow(int_type c) {
  sync();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return sputc(traits_type::to_char_type(c));
}

}  // namespace warpath::io
