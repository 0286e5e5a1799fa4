#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "warpath/error.hpp"

// Takes the place of selftest.cpp and bench.cpp where WARPATH_CHECKS leaves them out.

namespace warpath {
namespace {

void add_omitted(Command& program, const std::string& name, const char* help) {
  Command& command = program.add_command(name, fmt::format("{} (left out of this build)", help));
  command.takes_any_words = true;
  command.run = [name] {
    throw InputError({}, fmt::format("this build leaves out {}, as scripts/demo's does", name),
                     "in the checkout: cmake -B build -DWARPATH_CHECKS=ON && cmake --build build");
  };
}

}  // namespace

void add_selftest(Command& program, Io&) {
  add_omitted(program, "selftest", "Test this machine's back ends against the reference");
}

void add_bench(Command& program, Io&) {
  add_omitted(program, "bench", "Time this machine's back ends: pairs/s by shape");
}

}  // namespace warpath
