#include "ptx/program.hpp"

#include <fstream>
#include <iterator>
#include <string_view>

#include "src/reader/kernel_reader.hpp"
#include "src/reader/lexer.hpp"

namespace ptx {
namespace {

// Adds the names of arrays without a length: ".extern .shared .align 16 .b8 name[];".
void find_dynamic_shared(std::string_view text, std::set<std::string>& names) {
  constexpr std::string_view directive = ".extern .shared";
  for (auto at = text.find(directive); at != std::string_view::npos;
       at = text.find(directive, at + 1)) {
    std::string_view name = split_words(text.substr(at, text.find(';', at) - at)).back();
    if (!name.ends_with("[]")) continue;
    name.remove_suffix(2);
    names.emplace(name);
  }
}

}  // namespace

void Program::add_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw SyntaxError("cannot read " + path);
  add_text({std::istreambuf_iterator<char>(file), {}});
}

void Program::add_text(const std::string& text) {
  const std::string plain = remove_comments(text);
  find_dynamic_shared(plain, dynamic_shared_names_);
  constexpr std::string_view directive = ".entry";
  std::size_t at = plain.find(directive);
  while (at != std::string::npos) {
    const std::size_t next = plain.find(directive, at + 1);
    const auto first = plain.find_first_not_of(" \t", at + directive.size());
    const std::string name = plain.substr(first, plain.find_first_of("( \t\n", first) - first);
    entries_[name] = plain.substr(at, next - at);
    at = next;
  }
}

const Kernel* Program::find(const std::string& name) {
  if (const auto found = kernels_.find(name); found != kernels_.end()) return &found->second;
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return nullptr;
  Kernel kernel;
  kernel.name = name;
  try {
    KernelReader(kernel, dynamic_shared_names_).read(entry->second);
  } catch (const SyntaxError& error) {
    const std::string last = kernel.text.empty() ? "" : ", at \"" + kernel.text.back() + "\"";
    throw SyntaxError(name + last + ": " + error.what());
  }
  return &kernels_.emplace(name, std::move(kernel)).first->second;
}

}  // namespace ptx
