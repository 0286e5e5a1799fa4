#include "host/cli/commands.hpp"
namespace warpath {
void add_validate(CLI::App&, Io&) {}
}
