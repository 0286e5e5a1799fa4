#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "host/files/io/input_file.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Says of a file that was read in chunks what JsonFile says of one that was read whole.
struct ChunkedFile {
  std::string name, hash;
  bool is_lines = false;
};

/// Uses the chunks of a file's entries. What was read of a chunk stays in its slot, whose JSON
/// lives until the slot is used again.
class ChunkReader {
 public:
  /// Number of chunks that are in memory at most.
  static constexpr std::size_t max_slots = 64;

  virtual ~ChunkReader() = default;
  /// Reads the entries of a chunk, of which there is at least one: a list, or an object of them by
  /// key, as the file is. Other slots are read at the same time, but the first chunk of the file is
  /// read and taken before all others.
  /// @returns false if the file has to be read whole
  virtual bool read(std::size_t slot, const json::Value& entries) = 0;
  /// Reads the entries of a chunk from its text, a list, without a document of its JSON. The first
  /// chunk is never asked for.
  /// @returns false if the chunk is to be parsed and given to read(), whatever was read of it
  virtual bool read_text(std::size_t, std::string_view) { return false; }
  /// Takes what was read into a slot, in the order of the file.
  /// @returns as read
  virtual bool take(std::size_t slot) = 0;
  /// Tells whether a file that is an object may be read as the list that one of its keys has. Then
  /// the chunks are lists. Asked of the first chunk before it is read, and of the last one.
  /// @param key has the list, and is there once
  /// @param object what stands in front of the list, or behind it, and the list's entries of the
  /// chunk
  virtual bool takes_list_in(std::string_view key, const json::Object& object);
  /// Tells whether JSON Lines may have blank lines, which are no entries.
  virtual bool takes_blank_lines() const { return true; }

  /// The part of the file that was read with the chunk that is taken, above 0 to 1; see make_room.
  double part_read = 1.0;
};

/// Reads a file that is one list, one object, an object with such a list, or JSON Lines (then it is
/// a list) in chunks of whole entries. They are parsed in parallel, and only few are in memory.
///
/// A list is cut where its text looks as in front of its second entry, an object likewise. Each
/// part, put in brackets, is parsed; if each is a list (an object) with an entry, then the file has
/// the entries of all of them, whatever a cut looked like. Parts of a list in an object become
/// objects with this list: the first one may have other keys in front of it, the last one behind
/// it. Otherwise, and at any error, the file has to be read whole, which finds the error and says
/// what it is.
/// @returns nothing if it has to be read whole: it is small, can be read only once, or as said
/// above.
std::optional<ChunkedFile> read_in_chunks(const std::string& path, const io::Reading& reading,
                                          ChunkReader& reader);

}  // namespace warpath::formats
