#include "host/core/scorer/break_even.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "warpath/error.hpp"

namespace warpath::scorer {
namespace {

constexpr std::size_t unmeasured = 1'000'000;

std::filesystem::path file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder = cache != nullptr && *cache != '\0' ? std::filesystem::path(cache)
                                 : home != nullptr ? std::filesystem::path(home) / ".cache"
                                                   : std::filesystem::path(".");
  return folder / "warpath" / "cuda_from_pairs";
}

}  // namespace

std::size_t break_even() {
  std::size_t pairs = 0;
  std::ifstream in(file());
  return in >> pairs ? pairs : unmeasured;
}

std::string save_break_even(std::size_t pairs) {
  const std::filesystem::path path = file();
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream out(path);
  out << pairs << '\n';
  if (!out.flush()) {
    throw InputError({path.string()}, "cannot be written", "name a folder in XDG_CACHE_HOME");
  }
  return path.string();
}

}  // namespace warpath::scorer
