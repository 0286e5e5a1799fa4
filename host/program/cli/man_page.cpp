#include <fmt/format.h>

#include "host/program/cli/help.hpp"
#include "warpath/version.hpp"

namespace warpath::cli {
namespace {

// Returns the code point that begins at `at` in valid UTF-8, and moves `at` behind it.
char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  char32_t code = first & (first >= 0xF0 ? 0x07 : first >= 0xE0 ? 0x0F : 0x1F);
  while (at < text.size() && (text[at] & 0xC0) == 0x80) code = code << 6 | (text[at++] & 0x3F);
  return code;
}

// Escapes text so that troff prints it unchanged in any locale.
std::string troff(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c == U'\\')
      out += "\\e";
    else if (c == U'-')
      out += "\\-";
    else if (c >= 0x80)
      out += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
    else
      out += static_cast<char>(c);
  }
  // troff would read such a line as a request.
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string tagged(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, troff(text));
}

std::string tagged(const Option& option) {
  std::string tag;
  for (const std::string& name : option.names) {
    tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", troff(name));
  }
  if (!option.is_flag()) tag += fmt::format(" \\fI{}\\fR", troff(option.value_word));
  std::string text = option.help;
  if (!option.default_text.empty()) text += fmt::format(" (default {})", option.default_text);
  return tagged(tag, text);
}

std::string man_section(std::string_view title, const std::vector<Explained>& rows) {
  std::string text = fmt::format(".SH {}\n", title);
  for (const Explained& row : rows) {
    text += tagged(fmt::format("\\fB{}\\fR", troff(row.name)), row.meaning);
  }
  return text;
}

std::string command_page(const Command& command) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}\n", troff(command.name), troff(command.help),
                                 troff(usage_line(command)));
  for (const Option* argument : positional_arguments(command)) {
    text += tagged(fmt::format("\\fI{}\\fR", troff(argument->names.front())), argument->help);
  }
  for (const OptionGroup& group : option_groups(command)) {
    for (const Option* option : group.options) text += tagged(*option);
  }
  return text;
}

}  // namespace

std::string man_page(const Command& program) {
  std::string text = fmt::format(
      ".TH WARPATH 1 \"\" \"warpath {}\"\n.SH NAME\nwarpath \\- {}\n.SH SYNOPSIS\n{}\n"
      ".SH COMMANDS\n",
      WARPATH_VERSION, troff(program.help), troff(usage_line(program)));
  for (const Command& command : program.commands) text += command_page(command);
  return text + man_section("\"EXIT STATUS\"", exit_codes()) +
         man_section("ENVIRONMENT", environment_variables());
}

}  // namespace warpath::cli
