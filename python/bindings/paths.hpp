#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/bindings/arrays.hpp"
#include "warpath/paths.hpp"

namespace warpath::python {

/// Paths one after the other: path p is values[offsets[p]:offsets[p + 1]].
struct CsrPaths {
  nb::object values, offsets;
};

/// Paths in rows of equal length: path p is values[p, :lengths[p]].
struct PaddedPaths {
  nb::object values, lengths;  // without lengths (None) a row ends before its first negative value
};

/// Names the scan of each pair.
struct ScanOfPair {
  std::vector<const Scan*> scans;
  std::vector<std::uint32_t> index;  ///< one for all pairs, or one for each

  std::uint32_t operator[](std::size_t pair) const {
    return index.size() == 1 ? index.front() : index[pair];
  }
  const Scan& scan(std::size_t pair) const { return *scans[(*this)[pair]]; }
};

/// Reads the paths that a call was given, in any of the accepted forms: a sequence of paths, a
/// padded array, PaddedPaths or CsrPaths. The elements are viewpoints (ids or indices) or points.
///
///     PathArgument queries(object, "queries");           // with the GIL
///     queries.read_ids(scans);                           // with the GIL
///     release; PathView<Node> view = queries.pack();     // without
///
/// The view is of the caller's memory where that is CSR of 32-bit viewpoints (64-bit points), and
/// of a copy otherwise. Lengths and offsets are always copied, so another thread that changes them
/// cannot lead beyond an array's end.
class PathArgument {
 public:
  /// @param name of the argument, for messages @throws InputError if it has no accepted form
  /// @param kind what the paths are numbered as in messages
  PathArgument(nb::handle object, std::string name, const char* kind = "pair");
  /// Reads padded rows, as PaddedPaths holds them. @throws InputError if they are none
  PathArgument(const Array& rows, std::optional<Array> lengths, std::string name);

  /// Has viewpoints copied to memory of earlier calls, which `give_back` returns.
  void use_memory(PathSet memory) { nodes_ = std::move(memory); }
  PathSet give_back() { return std::move(nodes_); }

  std::size_t size() const { return size_; }
  bool has_points() const { return has_points_; }

  /// Reads viewpoints out of Python's objects; does nothing for arrays.
  /// @throws InputError that names the pair whose path cannot be read
  void read_ids(const ScanOfPair& scans);
  /// Reads points out of Python's objects; does nothing for arrays.
  void read_points();

  /// Adds where the arrays lie that were given; those inside of sequences are copied.
  void add_extents(std::vector<Extent>& to) const;

  /// @throws InputError that names the pair with a negative viewpoint, a length or an offset out of
  ///   range
  PathView<Node> pack();
  PathView<std::array<double, 3>> pack_points();

 private:
  enum class Form { sequence, csr, padded };

  void set_objects(nb::handle values, nb::handle bounds, Form form);
  void set_arrays(Form form);
  static const char* accepted(Form form);
  void look_at_sequence(nb::handle object);
  std::string pair(std::size_t p) const;
  std::vector<std::uint64_t> read_lengths() const;
  std::span<const std::uint64_t> read_offsets(std::vector<std::uint64_t>& copy) const;

  std::string name_;
  const char* kind_ = "pair";
  Form form_ = Form::sequence;
  bool has_points_ = false;
  std::size_t size_ = 0;
  nb::object sequence_;
  std::optional<Array> values_, bounds_;  // of csr: offsets; of padded: lengths
  PathSet nodes_;
  PointSet points_;
};

}  // namespace warpath::python
