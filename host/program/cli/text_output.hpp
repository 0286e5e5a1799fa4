#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "host/files/io/output_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"

namespace warpath::cli {

/// Holds the options of a command that writes one plain text to a file or to standard output: the
/// option that names it, and --force.
class TextOutput {
 public:
  /// @param option the name of the option; it must outlive the object
  explicit TextOutput(std::string_view option = "--out") : option_(option) {}

  /// Adds the options. @param help of the option; @param may_replace what --force lets be replaced
  /// @return the option that names the file
  Option& add_to(Command& command, const std::string& help,
                 const std::string& may_replace = "a file that is there");

  bool is_wanted() const { return !file_.empty(); }
  bool is_stdout() const { return file_ == "-"; }
  bool is_forced() const { return force_; }
  /// Returns the name of the file as it was given.
  const std::string& file() const { return file_; }
  /// Returns the name of the output for messages and reports: "-" is standard output.
  std::string name() const { return is_stdout() ? "standard output" : file_; }
  /// Returns the option with its file.
  OutputOption option() const { return {option_, file_}; }

  /// Refuses --force without a file, a file that is there without --force, and a name for a
  /// compressed file. @throws UsageError
  void check() const;

  /// Writes the text: the file whole or not at all.
  void write(const std::string& text, Io& io) const;
  /// Adds the file to others that are written along with it.
  void add_to(io::OutputFiles& files, const std::string& text) const;
  /// Returns where text for people goes: beside the output, which is kept free of it.
  std::ostream& beside(Io& io) const { return is_stdout() ? io.err : io.out; }

 private:
  std::string_view option_;
  std::string file_;
  bool force_ = false;
};

}  // namespace warpath::cli
