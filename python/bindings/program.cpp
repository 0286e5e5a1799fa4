// The command, and the command as one of several processes.
#include "host/program/cli/program.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "host/files/io/interrupt.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

// Calls a function of Python that takes bytes and returns a list of them.
std::vector<std::string> call_exchange(nb::handle function, const std::string& own) {
  const nb::gil_scoped_acquire acquire;
  try {
    std::vector<std::string> all;
    for (const nb::handle one : function(nb::bytes(own.data(), own.size()))) {
      const auto bytes = nb::cast<nb::bytes>(one);
      all.emplace_back(bytes.c_str(), bytes.size());
    }
    return all;
  } catch (const std::exception& e) {  // is destroyed with the GIL, unlike one that leaves
    throw std::runtime_error(e.what());
  }
}

nb::tuple share_run(const std::vector<std::string>& arguments, std::uint64_t number,
                    std::uint64_t of, const nb::callable& exchange, int threads) {
  cli::SharedRun run;
  {
    const nb::gil_scoped_release release;
    run = cli::run_shared(
        arguments, number, of, [&](const std::string& own) { return call_exchange(exchange, own); },
        threads);
  }
  return nb::make_tuple(run.code, to_str(run.errors));
}

}  // namespace

void bind_program(nb::module_& m) {
  m.def(
      "run_program",
      [](const std::vector<std::string>& arguments) {
        std::vector<const char*> argv;
        for (const std::string& argument : arguments) argv.push_back(argument.c_str());
        const int argc = static_cast<int>(argv.size());
        argv.push_back(nullptr);
        const nb::gil_scoped_release release;
        return cli::run_program(argc, argv.data());
      },
      "arguments"_a);
  m.def("run_shared", &share_run, "arguments"_a, "number"_a, "of"_a, "exchange"_a, "threads"_a,
        nb::sig("def run_shared(arguments: collections.abc.Sequence[str], number: int, of: int, "
                "exchange: collections.abc.Callable[[bytes], list[bytes]], threads: int) -> "
                "tuple[int, str]"));
  m.def(
      "end_cleanly_on_signals", [] { io::end_cleanly_on_signals(); },
      "Lets signals end the process as they end the command; call it before threads start.");
}

}  // namespace warpath::python
