#include <fmt/format.h>

#include "host/program/cli/commands.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {

void add_omitted_checks(Command& program, Io&) {
  for (const char* name : {"selftest", "bench"}) {
    Command& command = program.add_command(name, "Left out of this build");
    command.takes_any_words = true;
    command.run = [name] {
      throw InputError(
          {}, fmt::format("this build leaves out {}, as scripts/demo's does", name),
          "in the checkout: cmake -B build -DWARPATH_CHECKS=ON && cmake --build build");
    };
  }
}

}  // namespace warpath::cli
