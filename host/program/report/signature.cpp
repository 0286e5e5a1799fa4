#include "host/program/report/signature.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "host/core/base/suggest.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

struct PartName {
  std::string_view full, shorter;
  std::string_view command = {};  // whose tables alone have the part; empty: those of several
};

// Parts other than settings. Their names and meanings are promised: see docs/stability.md.
constexpr std::array part_names{PartName{"preset", "p"},
                                PartName{"dataset", "d"},
                                PartName{"format", "f"},
                                PartName{"split", "l"},
                                PartName{"reference", "r"},
                                PartName{"sub_instructions", "n"},
                                PartName{"graphs", "g"},
                                PartName{"objects", "b"},
                                PartName{"task_success", "t"},
                                PartName{"distances", "m"},
                                PartName{"items", "i"},
                                PartName{"statuses", "s"},
                                PartName{"own_metrics", "o"},
                                PartName{"warpath", "v"},
                                PartName{"walks", "w", "random"},
                                PartName{"seed", "z", "random"},
                                PartName{"sample", "x", "random"},
                                PartName{"steps", "k", "random"},
                                PartName{"shard", "h", "random"},
                                PartName{"rules", "u", "aggregate"},
                                PartName{"results", "q", "aggregate"},
                                PartName{"episodes", "e", "aggregate"},
                                PartName{"reward", "a", "rewards"},
                                PartName{"discount", "c", "rewards"},
                                PartName{"timed_out", "y", "rewards"}};

const PartName* find_part_name(std::string_view full) {
  const auto* const known = std::ranges::find(part_names, full, &PartName::full);
  return known == part_names.end() ? nullptr : known;
}

// Returns the first digits of a hash, or of each hash in "hash+hash".
std::string shortened(std::string_view hashes) {
  constexpr std::size_t digits = 8;
  std::string text;
  while (true) {
    const std::size_t end = hashes.find('+');
    text += hashes.substr(0, std::min(end, digits));
    if (end == std::string_view::npos) return text;
    text += '+';
    hashes.remove_prefix(end + 1);
  }
}

// Returns "navmesh=1f0c77aa,0.1.7,goal", "grid=93aa01bc,8,1", "file=77aa0c1f" or "euclidean".
std::string text_of(const PositionDistances& distances) {
  std::string text = distances.source;
  if (!distances.hash.empty()) text += '=' + shortened(distances.hash);
  if (distances.ways) text += fmt::format(",{},{}", distances.habitat, distances.of);
  if (!distances.connect.empty())
    text += fmt::format(",{},{}", distances.connect, distances.max_snap);
  return text;
}

// Returns "not_scored=1,unreachable=2": what is to be said of items, other than that they are ok.
std::string text_of(const ItemStatistics& counts) {
  std::vector<std::string> words;
  for (int s = 1; s < status_count; ++s) {
    if (counts.statuses[s] > 0)
      words.push_back(fmt::format("{}={}", info(static_cast<Status>(s)).name, counts.statuses[s]));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

[[noreturn]] void refuse(std::string_view part, std::string_view problem) {
  throw UsageError(fmt::format(
      "signature: '{}' {}; give a line such as preset:r2r|dataset:208a43d2|items:1020|warpath:{}",
      part, problem, WARPATH_VERSION));
}

// Returns the full name of a part. @throws UsageError
std::string_view full_name(std::string_view part, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings()) names.push_back(setting.name);
  for (const RewardSetting& setting : reward_settings()) names.push_back(setting.name);
  if (std::ranges::find(names, name) != names.end()) return name;
  for (const PartName& known : part_names) {
    if (name == known.full || name == known.shorter) return known.full;
    names.push_back(known.full);
  }
  const std::string meant = base::did_you_mean(name, names);
  refuse(part, "is no part of a signature of this version" + (meant.empty() ? "" : ", " + meant));
}

const Setting* find_setting(std::string_view name) {
  const auto found = std::ranges::find(settings(), name, &Setting::name);
  return found == settings().end() ? nullptr : &*found;
}

// Returns the first part that one command other than eval alone has; null: there is none.
const SignaturePart* find_part_of_other(const Signature& signature) {
  const auto found = std::ranges::find_if(signature.parts, [](const SignaturePart& part) {
    const PartName* const known = find_part_name(part.name);
    return known != nullptr && !known->command.empty();
  });
  return found == signature.parts.end() ? nullptr : &*found;
}

// Splits "name:value|name:value" into parts, with the full names.
Signature split(std::string_view text) {
  Signature signature;
  while (true) {
    const std::size_t end = std::min(text.find('|'), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon + 1 == part.size())
      refuse(part, "is no name:value");
    const std::string_view name = full_name(part, part.substr(0, colon));
    if (!signature.value_of(name).empty()) refuse(part, "is there twice");
    signature.add(name, std::string(part.substr(colon + 1)));
    if (end == text.size()) return signature;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void Signature::add(std::string_view name, std::string value) {
  if (!value.empty()) parts.push_back({std::string(name), std::move(value)});
}

void Signature::add_hash(std::string_view name, std::string_view hash, std::string_view before) {
  if (!hash.empty()) add(name, std::string(before) + shortened(hash));
}

void Signature::add_settings(const Convention& convention, const Convention& from,
                             std::initializer_list<std::string_view> without) {
  for (const Setting& setting : settings()) {
    const std::string value = setting.get(convention);
    if (value == setting.get(from) || std::ranges::find(without, setting.name) != without.end())
      continue;
    add(setting.name, value);
  }
}

void Signature::add_convention(const Convention& convention,
                               std::initializer_list<std::string_view> without) {
  add("preset", convention.preset);
  add_settings(convention, find_preset(convention.preset).convention, without);
}

void Signature::add_dataset(const InputDescription& inputs, const std::string& reference) {
  add_hash("dataset", inputs.dataset_hash);
  add("format", inputs.format);
  add("split", inputs.split);
  add("reference", reference);
  if (inputs.sub_instructions) add("sub_instructions", "yes");
}

void Signature::add_graphs(const InputDescription& inputs) {
  if (!inputs.graphs_path.empty()) add_hash("graphs", inputs.graphs_hash);
}

void Signature::add_distances(const std::optional<PositionDistances>& distances) {
  if (distances) add("distances", text_of(*distances));
}

void Signature::add_counts(const ItemStatistics& counts) {
  add("items", fmt::format("{}", counts.items));
  add_statuses(counts);
}

void Signature::add_statuses(const ItemStatistics& counts) {
  add("statuses", text_of(counts));
}

void Signature::add_version() {
  add("warpath", WARPATH_VERSION);
}

std::string Signature::value_of(std::string_view name) const {
  const auto found = std::ranges::find(parts, name, &SignaturePart::name);
  return found == parts.end() ? "" : found->value;
}

std::string Signature::text(SignatureForm form) const {
  std::string line;
  for (const SignaturePart& part : parts) {
    std::string_view name = part.name;
    const PartName* const known = find_part_name(name);
    if (form == SignatureForm::shorter && known != nullptr) name = known->shorter;
    line += fmt::format("{}{}:{}", line.empty() ? "" : "|", name, part.value);
  }
  return line;
}

Signature parse_signature(std::string_view text) {
  const Signature given = split(text);
  if (find_part_of_other(given) != nullptr || given.value_of("preset").empty()) return given;
  Signature signature;
  signature.add_convention(convention_of(given));
  for (const SignaturePart& part : given.parts) {
    if (part.name != "preset" && find_setting(part.name) == nullptr)
      signature.parts.push_back(part);
  }
  return signature;
}

Convention convention_of(const Signature& signature) {
  if (const SignaturePart* part = find_part_of_other(signature)) {
    throw UsageError(
        fmt::format("signature: '{}:{}' is of warpath {}, which check does not run: run it on the "
                    "files, and compare the line below its table",
                    part->name, part->value, find_part_name(part->name)->command));
  }
  const std::string preset = signature.value_of("preset");
  if (preset.empty()) refuse(signature.text(), "has no preset");
  Convention convention = find_preset(preset).convention;
  for (const SignaturePart& part : signature.parts) {
    if (const Setting* setting = find_setting(part.name)) setting->set(convention, part.value);
  }
  return convention;
}

std::vector<SignatureDifference> differences(const Signature& first, const Signature& second) {
  // Functions of a caller change no other number, and files do not tell them.
  const auto is_compared = [](const SignaturePart& part) {
    return part.name != "warpath" && part.name != "own_metrics";
  };
  std::vector<SignatureDifference> found;
  for (const SignaturePart& part : first.parts) {
    const std::string other = second.value_of(part.name);
    if (is_compared(part) && other != part.value) found.push_back({part.name, part.value, other});
  }
  for (const SignaturePart& part : second.parts) {
    if (is_compared(part) && first.value_of(part.name).empty())
      found.push_back({part.name, "", part.value});
  }
  return found;
}

std::vector<std::string> signature_notes(const std::vector<AgentSignature>& signatures,
                                         SignatureForm form) {
  std::vector<std::pair<std::string, std::vector<std::string>>> agents_of;  // by signature
  for (const AgentSignature& each : signatures) {
    const std::string text = each.signature.text(form);
    const auto found =
        std::ranges::find(agents_of, text, [](const auto& other) { return other.first; });
    if (found == agents_of.end())
      agents_of.push_back({text, {each.agent}});
    else
      found->second.push_back(each.agent);
  }
  std::vector<std::string> notes;
  for (const auto& [text, agents] : agents_of) {
    const std::string whose =
        agents_of.size() == 1 ? "" : fmt::format(" ({})", fmt::join(agents, ", "));
    notes.push_back(fmt::format("signature{}: {}", whose, text));
  }
  return notes;
}

}  // namespace warpath::report
