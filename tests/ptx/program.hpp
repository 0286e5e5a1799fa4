#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

// What nvcc makes of a kernel, PTX, read into instructions that machine.hpp executes on the host.
// What the toolkit's assembler makes of PTX is not executed by anybody here.

namespace warpath::testing::ptx {

struct Thread;
struct Instruction;
using Execute = void (*)(Thread&, const Instruction&);
using Meet = void (*)(std::span<Thread* const> lanes);

/// An instruction's operands are slots of its thread: special registers, registers, constants.
struct Instruction {
  static constexpr int none = -1;

  Execute execute = nullptr;
  Meet meet = nullptr;      ///< what the lanes of a warp that wait for each other do then
  int mask = none;          ///< which lanes those are
  int guard = none;         ///< the predicate without which it does nothing, and
  bool guard_value = true;  ///< the value it must have
  std::array<int, 4> to{none, none, none, none};
  std::array<int, 5> from{none, none, none, none, none};
  int vector = 1;           ///< elements of a load or store
  std::int64_t offset = 0;  ///< of an address, from the first operand
  bool is_move = false;     ///< between registers, which machine code may do without
  std::uint32_t target = 0;
};

/// The slots of every thread that are not in a kernel's own text, in this order.
enum class Special : int { tid, ntid, ctaid, nctaid, laneid, lanemask_le, lanemask_ge, count };

struct Kernel {
  std::string name;
  std::vector<std::uint32_t> parameter_offsets, parameter_bytes;
  std::uint32_t static_shared = 0;  ///< bytes; dynamic shared memory lies behind them
  unsigned most_threads = 1024;
  std::vector<Instruction> code;
  std::vector<std::string> text;  ///< of each instruction
  int first_constant = 0;         ///< slots in front of the constants
  std::vector<std::uint64_t> constants;
};

struct SyntaxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Kernels by the name of their entry. Each is read when it is first asked for.
class Program {
 public:
  /// @throws SyntaxError for a file that cannot be read.
  void add_file(const std::string& path);
  void add_text(const std::string& text);

  /// Null for an unknown name.
  /// @throws SyntaxError for what this reader or instructions.cpp does not know.
  const Kernel* find(const std::string& name);

  /// A name without what differs from one run of the compiler to the next: hashes of files in names
  /// of internal linkage, and lists of architectures in those of the toolkit's templates.
  static std::string plain_name(const std::string& name);

 private:
  std::map<std::string, std::string> entries_;  // texts
  std::set<std::string> dynamic_;               // names of the dynamic shared memory
  std::map<std::string, Kernel> kernels_;
};

}  // namespace warpath::testing::ptx
