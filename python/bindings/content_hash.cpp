// The hash by which reports name the content of a file.
#include "host/files/io/input_file.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {

void bind_content_hash(nb::module_& m) {
  m.def(
      "content_hash",
      [](const nb::bytes& content) {
        return to_str(io::content_hash({content.c_str(), content.size()}));
      },
      "content"_a, "Returns the hash of a file's bytes, as reports of evaluations have it.");
}

}  // namespace warpath::python
