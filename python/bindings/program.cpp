#include "host/cli/program.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace warpath::python {

void bind_program(nb::module_& m) {
  m.def(
      "run_program",
      [](const std::vector<std::string>& arguments) {
        std::vector<const char*> argv;
        for (const std::string& argument : arguments) argv.push_back(argument.c_str());
        const int argc = static_cast<int>(argv.size());
        argv.push_back(nullptr);
        const nb::gil_scoped_release release;
        return run_program(argc, argv.data());
      },
      "arguments"_a);
}

}  // namespace warpath::python
