#include "host/files/io/file_kind.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace warpath::io {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view begins;
  FileKind kind;
};

constexpr std::string_view unpack = "unpack it first; only gzip is read packed";
constexpr std::string_view save_as_json = "save its content as JSON, e.g. by Python's json.dump";

constexpr Signature signatures[] = {
    {"version https://git-lfs"sv,
     {"a Git LFS pointer, not the file", "run git lfs pull in the repository it comes from"}},
    {"404: Not Found"sv,
     {"the answer 404: Not Found, not the file", "check the link and download the file again"}},
    {"PK\x03\x04"sv, {"a zip archive (as .npz and .pt are)", unpack}},
    {"BZh"sv, {"compressed by bzip2", unpack}},
    {"\xFD"
     "7zXZ\0"sv,
     {"compressed by xz", unpack}},
    {"\x28\xB5\x2F\xFD"sv, {"compressed by zstd", unpack}},
    {"7z\xBC\xAF\x27\x1C"sv, {"a 7-Zip archive", unpack}},
    {"Rar!\x1A\x07"sv, {"a RAR archive", unpack}},
    {"\x93NUMPY"sv, {"a NumPy array", save_as_json}},
    {"\x89HDF\r\n"sv, {"an HDF5 file", save_as_json}},
    {"PAR1"sv, {"a Parquet file", save_as_json}},
    {"\x80\x02"sv, {"a Python pickle", save_as_json}},
    {"\x80\x03"sv, {"a Python pickle", save_as_json}},
    {"\x80\x04"sv, {"a Python pickle", save_as_json}},
    {"\x80\x05"sv, {"a Python pickle", save_as_json}},
};

// Returns the start of a text, without leading spaces, in small letters.
std::string small_letters(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  std::string start(text.substr(first, 16));
  for (char& c : start) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return start;
}

}  // namespace

std::optional<FileKind> file_kind(std::string_view content) {
  for (const Signature& s : signatures) {
    if (content.starts_with(s.begins)) return s.kind;
  }
  constexpr std::size_t tar_magic = 257;
  if (content.size() > tar_magic && content.substr(tar_magic).starts_with("ustar")) {
    return FileKind{"a tar archive", unpack};
  }
  const std::string start = small_letters(content);
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) {
    return FileKind{"a web page (HTML), not the file",
                    "download the file itself; on GitHub that is the link Raw"};
  }
  if (start.starts_with("<?xml")) return FileKind{"XML", save_as_json};
  return std::nullopt;
}

void refuse_foreign(const InputError::Where& where, std::string_view content) {
  const auto kind = file_kind(content);
  if (kind) throw InputError(where, std::string(kind->what), std::string(kind->remedy));
}

}  // namespace warpath::io
