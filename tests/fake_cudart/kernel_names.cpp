#include "tests/fake_cudart/kernel_names.hpp"

#include <cctype>
#include <cstddef>

namespace warpath::testing {
namespace {

// Erases all identifiers whose text begins like that; a mangled identifier is its length and its
// text.
void erase_identifiers(std::string& mangled, const std::string& beginning) {
  for (auto text = mangled.find(beginning); text != std::string::npos;
       text = mangled.find(beginning, text)) {
    std::size_t length = text;
    while (length > 0 && std::isdigit(static_cast<unsigned char>(mangled[length - 1]))) --length;
    if (length == text) {  // otherwise it is a part of another identifier
      ++text;
      continue;
    }
    const auto size = std::stoul(mangled.substr(length, text - length));
    mangled.erase(length, text - length + size);
    text = length;
  }
}

}  // namespace

std::string name_without_build(const std::string& mangled) {
  std::string name = mangled;
  for (const char* beginning : {"_GLOBAL__N_", "CUB_", "THRUST_"}) {
    erase_identifiers(name, beginning);
  }
  return name;
}

}  // namespace warpath::testing
