#include "host/program/cli/text_output.hpp"

#include <fmt/format.h>

#include "warpath/error.hpp"

namespace warpath::cli {

Option& TextOutput::add_to(Command& command, const std::string& help,
                           const std::string& may_replace) {
  Option& out = command.add_option(std::string(option_), file_, help);
  out.name_value("FILE").check(not_empty());
  command.add_option("--force", force_, fmt::format("let {} replace {}", option_, may_replace));
  return out;
}

void TextOutput::check() const {
  if (file_.ends_with(".gz")) {
    throw UsageError(
        fmt::format("{} {} would not be compressed; name a file without .gz", option_, file_));
  }
  check_new(option(), force_);
}

void TextOutput::write(const std::string& text, Io& io) const {
  if (is_stdout()) {
    io.out << text;
    return;
  }
  io::OutputFiles files;
  add_to(files, text);
  files.commit();
}

void TextOutput::add_to(io::OutputFiles& files, const std::string& text) const {
  files.add(file_, text, force_ ? io::OutputFiles::Old::replaced : io::OutputFiles::Old::kept);
}

}  // namespace warpath::cli
