#include "src/reader/kernel_reader.hpp"

#include <algorithm>
#include <cctype>

#include "ptx/program.hpp"
#include "src/reader/lexer.hpp"

namespace ptx {
namespace {

using std::string_view;

std::uint32_t round_up(std::uint32_t n, std::uint32_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

int slot_of_special_register(string_view name) {
  static const std::unordered_map<string_view, SpecialRegister> specials{
      {"%tid.x", SpecialRegister::tid},
      {"%ntid.x", SpecialRegister::ntid},
      {"%ctaid.x", SpecialRegister::ctaid},
      {"%nctaid.x", SpecialRegister::nctaid},
      {"%laneid", SpecialRegister::laneid},
      {"%lanemask_le", SpecialRegister::lanemask_le},
      {"%lanemask_ge", SpecialRegister::lanemask_ge}};
  const auto found = specials.find(name);
  return found == specials.end() ? Instruction::no_slot : static_cast<int>(found->second);
}

// Constants have the slots −2, −3, … in their order until all registers are counted.
int provisional_slot(std::size_t constant) {
  return -2 - static_cast<int>(constant);
}
bool is_provisional(int slot) {
  return slot < Instruction::no_slot;
}

}  // namespace

KernelReader::KernelReader(Kernel& kernel, const std::set<std::string>& dynamic_shared_names)
    : kernel_(kernel), dynamic_shared_names_(dynamic_shared_names), scopes_(1) {}

void KernelReader::read(string_view entry) {
  const auto parameters = entry.find('('), body = entry.find('{', parameters);
  const auto end_of_parameters = entry.find(')', parameters);
  if (parameters == string_view::npos || body == string_view::npos || end_of_parameters > body) {
    throw SyntaxError("no entry");
  }
  read_parameters(entry.substr(parameters + 1, end_of_parameters - parameters - 1));
  read_thread_limit(entry.substr(end_of_parameters + 1, body - end_of_parameters - 1));
  read_body(entry.substr(body + 1, entry.rfind('}') - body - 1));
  number_constants();
  resolve_jumps();
  place_dynamic_shared();
}

// ---------------------------------------------------------------- declarations

void KernelReader::read_parameters(string_view text) {
  std::uint32_t offset = 0;
  for (const string_view parameter : split_operands(text)) {
    const auto [name, align, bytes] = parse_variable(parameter);
    offset = round_up(offset, align);
    offsets_[name] = offset;
    kernel_.parameter_offsets.push_back(offset);
    kernel_.parameter_bytes.push_back(bytes);
    offset += bytes;
  }
}

// Reads ".maxntid 512, 1, 1", if it is there.
void KernelReader::read_thread_limit(string_view text) {
  constexpr string_view directive = ".maxntid";
  const auto at = text.find(directive);
  if (at == string_view::npos) return;
  const string_view numbers = trim(text.substr(at + directive.size()));
  kernel_.max_threads = static_cast<unsigned>(parse_integer(numbers.substr(0, numbers.find(','))));
}

// Reads ".pred %p<107>" or ".u32 a, b".
void KernelReader::declare_registers(string_view text) {
  auto& registers = scopes_.back().registers;
  for (const string_view name : split_operands(text.substr(text.find_first_of(" \t")))) {
    const auto bracket = name.find('<');
    if (bracket == string_view::npos) {
      registers[std::string(name)] = slot_count_++;
      continue;
    }
    const std::string stem(name.substr(0, bracket));
    const auto count = parse_integer(name.substr(bracket + 1, name.size() - bracket - 2));
    for (int k = 0; k < count; ++k) registers[stem + std::to_string(k)] = slot_count_++;
  }
}

void KernelReader::place_shared_array(string_view text) {
  const auto [name, align, bytes] = parse_variable(text);
  const std::uint32_t offset = round_up(kernel_.static_shared, align);
  offsets_[name] = offset;
  kernel_.static_shared = offset + bytes;
}

// ---------------------------------------------------------------- statements

void KernelReader::read_body(string_view text) {
  for (text = trim(text); !text.empty(); text = trim(text)) {
    if (text[0] == '{' || text[0] == '}') {
      change_scope(text[0] == '{');
      text.remove_prefix(1);
      continue;
    }
    const auto end_of_name =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin());
    if (end_of_name < text.size() && text[end_of_name] == ':') {
      labels_[scopes_.back().label_prefix + std::string(text.substr(0, end_of_name))] =
          static_cast<std::uint32_t>(kernel_.code.size());
      text.remove_prefix(end_of_name + 1);
      continue;
    }
    const auto end = text.find(';');
    if (end == string_view::npos) throw SyntaxError("no end: " + std::string(text));
    read_statement(trim(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
}

void KernelReader::change_scope(bool opens) {
  if (opens) {
    scopes_.push_back({"scope " + std::to_string(++scope_count_) + " ", {}});
  } else if (scopes_.size() > 1) {
    scopes_.pop_back();
  } else {
    throw SyntaxError("a brace too many");
  }
}

void KernelReader::read_statement(string_view text) {
  if (text.empty() || text.starts_with(".pragma")) return;
  if (text.starts_with(".reg")) return declare_registers(trim(text.substr(4)));
  if (text.starts_with(".shared")) return place_shared_array(text);
  if (text[0] == '.') throw SyntaxError("unknown directive: " + std::string(text));
  read_instruction(text);
}

void KernelReader::read_instruction(string_view text) {
  Instruction instruction;
  kernel_.text.emplace_back(text);
  text = read_guard(text, instruction);
  const auto end = std::min(text.find_first_of(" \t"), text.size());
  const Opcode opcode = find_opcode(text.substr(0, end));
  instruction.execute = opcode.execute;
  instruction.collective = opcode.collective;
  instruction.is_move = text.starts_with("mov.") || text.starts_with("cvta.");
  OperandCount count;
  for (const string_view operand : split_operands(text.substr(end))) {
    if (opcode.is_branch) {
      jumps_.push_back({kernel_.code.size(), scopes_.back().label_prefix, operand});
      ++count.operands;
    } else {
      read_operand(operand, opcode, instruction, count);
    }
  }
  if (count.operands != opcode.operands || count.result_slots > opcode.max_results ||
      (count.result_slots == 0) != (opcode.max_results == 0)) {
    throw SyntaxError("operands that are not known of this instruction");
  }
  if (opcode.collective != nullptr) {
    instruction.mask = instruction.operands.at(count.operand_slots - 1);
  }
  kernel_.code.push_back(instruction);
}

// Reads "@%p1" or "@!%p1", if it is there. Returns the rest of the text.
string_view KernelReader::read_guard(string_view text, Instruction& instruction) {
  if (text[0] != '@') return text;
  instruction.guard_value = !text.starts_with("@!");
  const std::size_t first = instruction.guard_value ? 1 : 2;
  const auto end = std::min(text.find_first_of(" \t"), text.size());
  instruction.guard = slot_of(text.substr(first, end - first));
  return trim(text.substr(end));
}

// Reads an operand. The first one is the result, if the opcode has one: "a", "a|b" or "{a, b}".
void KernelReader::read_operand(string_view text, const Opcode& opcode, Instruction& instruction,
                                OperandCount& count) {
  const bool is_result = opcode.max_results > 0 && count.result_slots == 0;
  count.operands += !is_result;
  if (text[0] == '[') return read_address(text, instruction, count);
  std::vector<string_view> parts{text};
  if (text[0] == '{') {
    parts = split_operands(text.substr(1, text.size() - 2));
    instruction.vector_size = static_cast<int>(parts.size());
    if (opcode.max_results == 2 && parts.size() > 2) throw SyntaxError("more than two halves");
  } else if (const auto bar = text.find('|'); bar != string_view::npos) {
    parts = {text.substr(0, bar), text.substr(bar + 1)};
  }
  for (const string_view part : parts) {
    int& slot = is_result ? instruction.results.at(count.result_slots++)
                          : instruction.operands.at(count.operand_slots++);
    slot = slot_of(part);
  }
}

// Reads "[%rd1]" or "[%rd1+8]".
void KernelReader::read_address(string_view text, Instruction& instruction, OperandCount& count) {
  text = trim(text.substr(1, text.size() - 2));
  const auto plus = text.find('+');
  if (plus != string_view::npos) {
    if (count.operand_slots > 0) throw SyntaxError("an offset of the second address");
    instruction.offset = parse_integer(trim(text.substr(plus + 1)));
  }
  instruction.operands.at(count.operand_slots++) = slot_of(trim(text.substr(0, plus)));
}

// ---------------------------------------------------------------- slots

int KernelReader::find_register(string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->registers.find(std::string(name));
    if (found != scope->registers.end()) return found->second;
  }
  return slot_of_special_register(name);
}

int KernelReader::slot_of(string_view operand) {
  if (const int slot = find_register(operand); slot != Instruction::no_slot) return slot;
  if (const auto found = offsets_.find(std::string(operand)); found != offsets_.end()) {
    return slot_of_constant(found->second);
  }
  if (!operand.empty() &&
      (std::isdigit(static_cast<unsigned char>(operand[0])) || operand[0] == '-')) {
    return slot_of_constant(parse_constant(operand));
  }
  if (!dynamic_shared_names_.contains(std::string(operand))) {
    throw SyntaxError("unknown operand: " + std::string(operand));
  }
  // Dynamic shared memory begins behind the static arrays, and more of them may follow.
  dynamic_shared_constants_.push_back(kernel_.constants.size());
  return add_constant(0);
}

int KernelReader::slot_of_constant(std::uint64_t bits) {
  const auto found = constant_slots_.find(bits);
  if (found != constant_slots_.end()) return found->second;
  return constant_slots_[bits] = add_constant(bits);
}

int KernelReader::add_constant(std::uint64_t bits) {
  kernel_.constants.push_back(bits);
  return provisional_slot(kernel_.constants.size() - 1);
}

void KernelReader::number_constants() {
  kernel_.first_constant = slot_count_;
  const auto number = [&](int& slot) {
    if (is_provisional(slot)) slot = slot_count_ + provisional_slot(0) - slot;
  };
  for (Instruction& instruction : kernel_.code) {
    for (int& slot : instruction.operands) number(slot);
    number(instruction.mask);
  }
}

// A label of the scope takes precedence over one of the kernel.
void KernelReader::resolve_jumps() {
  for (const Jump& jump : jumps_) {
    auto found = labels_.find(jump.label_prefix + std::string(jump.label));
    if (found == labels_.end()) found = labels_.find(std::string(jump.label));
    if (found == labels_.end()) throw SyntaxError("unknown label: " + std::string(jump.label));
    kernel_.code[jump.instruction].jump_target = found->second;
  }
}

void KernelReader::place_dynamic_shared() {
  kernel_.static_shared = round_up(kernel_.static_shared, 16);
  for (const std::size_t k : dynamic_shared_constants_) {
    kernel_.constants[k] = kernel_.static_shared;
  }
}

}  // namespace ptx
