#pragma once

#include <string>

#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Returns the text of instruction k of a dataset's entry; empty where the entry has none. It reads
/// `instructions` (of R2R, R4R, REVERIE; SOON annotates each in parts, of which the longest is the
/// whole), `instruction` (RxR; an object with `instruction_text` in VLN-CE), or NDH's `target` and
/// `dialog_history`, a line for each message. What is no text is passed over, since scores do not
/// need it. Beyond 20,000 bytes the rest is left out.
std::string instruction_text(json::Object entry, std::size_t k);

}  // namespace warpath::formats
