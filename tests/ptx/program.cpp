#include "tests/ptx/program.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <regex>
#include <string_view>
#include <unordered_map>

#include "tests/ptx/instructions.hpp"

namespace warpath::testing::ptx {
namespace {

using std::string_view;

string_view trim(string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r");
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

std::string without_comments(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) i = std::min(text.find('\n', i), text.size() - 1);
    result += text[i];
  }
  return result;
}

// "a, {b, c}, [d+4]" at its outer commas.
std::vector<string_view> operands_of(string_view text) {
  std::vector<string_view> operands;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c != ',' || depth > 0) continue;
    if (const auto operand = trim(text.substr(first, i - first)); !operand.empty()) {
      operands.push_back(operand);
    }
    first = i + 1;
  }
  return operands;
}

std::int64_t integer(string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  if (text.ends_with('U')) text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw SyntaxError("no number: " + std::string(text));
  }
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

// 0f3F800000, 0d3FF0000000000000 or an integer.
std::uint64_t constant_bits(string_view text) {
  const bool is_float = text.starts_with("0f") || text.starts_with("0d");
  return is_float ? static_cast<std::uint64_t>(integer("0x" + std::string(text.substr(2))))
                  : static_cast<std::uint64_t>(integer(text));
}

/// Reads one entry.
class Reader {
 public:
  Reader(Kernel& kernel, const std::set<std::string>& dynamic)
      : kernel_(kernel), dynamic_names_(dynamic) {
    scopes_.push_back({"", {}});
  }

  void read(string_view entry) {
    const auto parameters = entry.find('('), body = entry.find('{', parameters);
    const auto end_of_parameters = entry.find(')', parameters);
    read_parameters(entry.substr(parameters + 1, end_of_parameters - parameters - 1));
    read_limits(entry.substr(end_of_parameters + 1, body - end_of_parameters - 1));
    read_body(entry.substr(body + 1, entry.rfind('}') - body - 1));
    resolve();
  }

 private:
  struct Scope {
    std::string prefix;  // of labels, which other scopes may use too
    std::unordered_map<std::string, int> registers;
  };

  // .param .align 8 .b8 NAME[752], or .param .u64 NAME
  void read_parameters(string_view text) {
    std::uint32_t at = 0;
    for (const string_view parameter : operands_of(text)) {
      const auto [name, align, bytes] = variable(parameter);
      at = (at + align - 1) / align * align;
      symbols_[name] = at;
      kernel_.parameter_offsets.push_back(at);
      kernel_.parameter_bytes.push_back(bytes);
      at += bytes;
    }
  }

  void read_limits(string_view text) {
    const auto at = text.find(".maxntid");
    if (at == string_view::npos) return;
    const string_view numbers = trim(text.substr(at + 8));
    kernel_.most_threads = static_cast<unsigned>(integer(numbers.substr(0, numbers.find(','))));
  }

  struct Variable {
    std::string name;
    std::uint32_t align, bytes;
  };
  static Variable variable(string_view text) {
    static const std::regex form(R"((?:\.align (\d+) )?\.[a-z](\d+)\s+([\w$]+)(?:\[(\d*)\])?\s*$)");
    std::match_results<string_view::const_iterator> m;
    if (!std::regex_search(text.begin(), text.end(), m, form)) {
      throw SyntaxError("no variable: " + std::string(text));
    }
    const auto number = [&](int k, int otherwise) {
      return m[k].length() > 0 ? std::stoi(m[k].str()) : otherwise;
    };
    const int bytes = number(2, 0) / 8;
    return {m[3].str(), static_cast<std::uint32_t>(number(1, bytes)),
            static_cast<std::uint32_t>(bytes * number(4, 1))};
  }

  void read_body(string_view text) {
    std::size_t at = 0;
    while (true) {
      at = text.find_first_not_of(" \t\n\r", at);
      if (at == string_view::npos) return;
      if (text[at] == '{' || text[at] == '}') {
        change_scope(text[at++] == '{');
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_name(text[end])) ++end;
      if (end < text.size() && text[end] == ':') {
        labels_[scopes_.back().prefix + std::string(text.substr(at, end - at))] =
            static_cast<std::uint32_t>(kernel_.code.size());
        at = end + 1;
        continue;
      }
      end = text.find(';', at);
      if (end == string_view::npos) throw SyntaxError("no end: " + std::string(text.substr(at)));
      read_statement(trim(text.substr(at, end - at)));
      at = end + 1;
    }
  }

  void change_scope(bool opens) {
    if (opens) {
      scopes_.push_back({"scope " + std::to_string(++scope_count_) + " ", {}});
    } else {
      scopes_.pop_back();
    }
  }

  void read_statement(string_view text) {
    if (text.empty() || text.starts_with(".pragma")) return;
    if (text.starts_with(".reg")) return declare(trim(text.substr(4)));
    if (text.starts_with(".shared")) return place_shared(text);
    if (text[0] == '.') throw SyntaxError("unknown directive: " + std::string(text));
    read_instruction(text);
  }

  // .pred %p<107>, or .u32 a, b
  void declare(string_view text) {
    const auto names = text.find_first_of(" \t");
    for (const string_view name : operands_of(text.substr(names))) {
      const auto open = name.find('<');
      auto& registers = scopes_.back().registers;
      if (open == string_view::npos) {
        registers[std::string(name)] = slots_++;
        continue;
      }
      const std::string stem(name.substr(0, open));
      const auto count = integer(name.substr(open + 1, name.size() - open - 2));
      for (int k = 0; k < count; ++k) registers[stem + std::to_string(k)] = slots_++;
    }
  }

  void place_shared(string_view text) {
    const auto [name, align, bytes] = variable(text);
    kernel_.static_shared = (kernel_.static_shared + align - 1) / align * align;
    symbols_[name] = kernel_.static_shared;
    kernel_.static_shared += bytes;
  }

  void read_instruction(string_view text) {
    Instruction instruction;
    kernel_.text.emplace_back(text);
    if (text[0] == '@') {
      const auto end = text.find_first_of(" \t");
      instruction.guard_value = text[1] != '!';
      instruction.guard = slot(
          text.substr(instruction.guard_value ? 1 : 2, end - (instruction.guard_value ? 1 : 2)));
      text = trim(text.substr(end));
    }
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    const Form form = form_of(text.substr(0, end));
    instruction.execute = form.execute;
    instruction.meet = form.meet;
    instruction.is_move = text.starts_with("mov.") || text.starts_with("cvta.");
    Count count;
    for (const string_view operand : operands_of(text.substr(end))) {
      if (form.jumps) {
        jumps_.emplace_back(kernel_.code.size(), scopes_.back().prefix, operand);
        ++count.operands;
      } else {
        read_operand(operand, form, instruction, count);
      }
    }
    if (count.operands != form.operands || count.to > form.results ||
        (count.to == 0) != (form.results == 0)) {
      throw SyntaxError("operands that are not known of this instruction");
    }
    if (form.meet != nullptr) instruction.mask = instruction.from.at(count.from - 1);
    kernel_.code.push_back(instruction);
  }

  // Slots so far, and operands behind the result.
  struct Count {
    int to = 0, from = 0, operands = 0;
  };

  // The first operand is what is written, for those that write.
  void read_operand(string_view text, const Form& form, Instruction& instruction, Count& count) {
    const bool is_result = form.results > 0 && count.to == 0;
    count.operands += !is_result;
    if (text[0] == '[') {
      text = trim(text.substr(1, text.size() - 2));
      const auto plus = text.find('+');
      if (plus != string_view::npos) {
        if (count.from > 0) throw SyntaxError("an offset of the second address");
        instruction.offset = integer(trim(text.substr(plus + 1)));
      }
      instruction.from.at(count.from++) = slot(trim(text.substr(0, plus)));
      return;
    }
    std::vector<string_view> parts{text};
    if (text[0] == '{') {
      parts = operands_of(text.substr(1, text.size() - 2));
      instruction.vector = static_cast<int>(parts.size());
      if (form.results == 2 && parts.size() > 2) throw SyntaxError("more than two halves");
    } else if (const auto bar = text.find('|'); bar != string_view::npos) {
      parts = {text.substr(0, bar), text.substr(bar + 1)};
    }
    for (const string_view part : parts) {
      (is_result ? instruction.to.at(count.to++) : instruction.from.at(count.from++)) = slot(part);
    }
  }

  int slot(string_view text) {
    static const std::unordered_map<string_view, Special> specials{
        {"%tid.x", Special::tid},
        {"%ntid.x", Special::ntid},
        {"%ctaid.x", Special::ctaid},
        {"%nctaid.x", Special::nctaid},
        {"%laneid", Special::laneid},
        {"%lanemask_le", Special::lanemask_le},
        {"%lanemask_ge", Special::lanemask_ge}};
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->registers.find(std::string(text));
      if (found != scope->registers.end()) return found->second;
    }
    if (const auto found = specials.find(text); found != specials.end()) {
      return static_cast<int>(found->second);
    }
    if (const auto found = symbols_.find(std::string(text)); found != symbols_.end()) {
      return constant(found->second);
    }
    if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-') {
      return constant(constant_bits(text));
    }
    if (!dynamic_names_.contains(std::string(text))) {
      throw SyntaxError("unknown operand: " + std::string(text));
    }
    // The dynamic shared memory, whose place is not yet known.
    dynamic_.push_back(constant_count_);
    return constant_slot(0);
  }

  // Constants are numbered from −2 down until the registers in front of them are counted.
  int constant(std::uint64_t bits) {
    const auto [place, is_new] = constants_.try_emplace(bits, -2 - constant_count_);
    return is_new ? constant_slot(bits) : place->second;
  }
  int constant_slot(std::uint64_t bits) {
    kernel_.constants.push_back(bits);
    return -2 - constant_count_++;
  }

  void resolve() {
    kernel_.first_constant = slots_;
    const auto settle = [&](int& slot) {
      if (slot < Instruction::none) slot = slots_ - 2 - slot;
    };
    for (Instruction& instruction : kernel_.code) {
      for (int& slot : instruction.from) settle(slot);
      settle(instruction.mask);
    }
    for (const auto& [at, prefix, label] : jumps_) {
      auto found = labels_.find(prefix + std::string(label));
      if (found == labels_.end()) found = labels_.find(std::string(label));
      if (found == labels_.end()) throw SyntaxError("unknown label: " + std::string(label));
      kernel_.code[at].target = found->second;
    }
    kernel_.static_shared = (kernel_.static_shared + 15) / 16 * 16;
    for (const int k : dynamic_) kernel_.constants[k] = kernel_.static_shared;
  }

  struct Jump {
    std::size_t at;
    std::string prefix;
    string_view label;
  };

  Kernel& kernel_;
  const std::set<std::string>& dynamic_names_;
  std::vector<Scope> scopes_;
  int scope_count_ = 0, slots_ = static_cast<int>(Special::count), constant_count_ = 0;
  std::unordered_map<std::string, std::uint32_t>
      symbols_;  // places of parameters and shared arrays
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::unordered_map<std::uint64_t, int> constants_;
  std::vector<int> dynamic_;  // constants
  std::vector<Jump> jumps_;
};

}  // namespace

void Program::add_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw SyntaxError("cannot read " + path);
  add_text({std::istreambuf_iterator<char>(file), {}});
}

void Program::add_text(const std::string& text) {
  const std::string plain = without_comments(text);
  static const std::regex dynamic(R"(\.extern \.shared [^;]*?([\w$]+)\[\];)");
  for (std::sregex_iterator m(plain.begin(), plain.end(), dynamic), end; m != end; ++m) {
    dynamic_.insert((*m)[1]);
  }
  std::size_t at = plain.find(".entry");
  while (at != std::string::npos) {
    const std::size_t next = plain.find(".entry", at + 1);
    const auto first = plain.find_first_not_of(" \t", at + 6);
    const std::string name = plain.substr(first, plain.find_first_of("( \t\n", first) - first);
    entries_[plain_name(name)] = plain.substr(at, next - at);
    at = next;
  }
}

const Kernel* Program::find(const std::string& name) {
  const std::string plain = plain_name(name);
  if (const auto found = kernels_.find(plain); found != kernels_.end()) return &found->second;
  const auto entry = entries_.find(plain);
  if (entry == entries_.end()) return nullptr;
  Kernel kernel;
  kernel.name = name;
  try {
    Reader(kernel, dynamic_).read(entry->second);
  } catch (const SyntaxError& error) {
    const std::string last = kernel.text.empty() ? "" : ", at \"" + kernel.text.back() + "\"";
    throw SyntaxError(name + last + ": " + error.what());
  }
  return &kernels_.emplace(plain, std::move(kernel)).first->second;
}

std::string Program::plain_name(const std::string& name) {
  static const std::regex hashes("[0-9a-f]{8}_[0-9]+_[a-z_]+_cu_[0-9a-f]{8}");
  static const std::regex toolkit("([0-9]+)(?=(CUB|THRUST)_)");
  std::string plain = std::regex_replace(name, hashes, "");
  std::smatch m;
  while (std::regex_search(plain, m, toolkit)) {
    plain.erase(m.position(0), m.length(0) + std::stoi(m[0]));
  }
  return plain;
}

}  // namespace warpath::testing::ptx
