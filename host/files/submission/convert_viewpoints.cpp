#include <optional>

#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/object_ids.hpp"
#include "host/files/formats/trajectory_details.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/submission/server.hpp"
#include "host/files/submission/submission.hpp"

namespace warpath::submission {
namespace {

// Counts what the entries of a file have that the server's form does not.
struct ViewpointChanges {
  std::uint64_t nested = 0, without_angles = 0, candidates = 0, empty = 0, without_object = 0;

  std::vector<std::string> notes(const Server& server, const SubmissionWriter& writer) const {
    std::vector<std::string> notes;
    const auto add = [&](std::uint64_t count, std::string_view noun, std::string_view what) {
      io::note_counted(notes, count, noun, what);
    };
    add(nested, "path", "with several viewpoints in an inner list: flattened, none is left out");
    add(without_angles, "path", "without headings and elevations: written as 0");
    add(candidates, "id", "with several candidates: the first is written");
    add(empty, "empty path", "written as it is, which the server rejects");
    add(without_object, "entry", server.wants_object);
    add(writer.nulls(), "number", "not finite outside the paths: written as null");
    return notes;
  }
};

bool has_object(const formats::Prediction& prediction) {
  const auto entry = formats::object_in(*prediction.entry);
  return entry && (formats::has_key(*entry, formats::object_keys[0]) ||
                   formats::has_key(*entry, formats::object_keys[1]));
}

}  // namespace

Conversion convert_viewpoints(const Server& server, const formats::Predictions& predictions,
                              const formats::Dataset* dataset, bool) {
  const bool wants_object = !server.wants_object.empty();
  SubmissionWriter writer(predictions, false, wants_object);
  std::optional<evaluation::Matching> matching;
  if (dataset != nullptr) matching.emplace(*dataset, predictions);
  ViewpointChanges changes;
  for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
    const formats::Prediction& p = predictions.entries[e];
    const formats::TrajectoryDetails details =
        formats::read_trajectory_details(trajectory_in(predictions, p));
    if (details.form.malformed) {
      throw InputError({predictions.file, p.id}, details.fault + ", which no form can hold",
                       "repair or remove it; warpath validate --fix leaves it out");
    }
    const std::uint32_t item = matching ? matching->item_of(e) : evaluation::Matching::no_item;
    writer.add(p, item == evaluation::Matching::no_item ? p.id : dataset->items[item].id, details,
               details.places);
    changes.nested += details.form.nested;
    changes.without_angles += !details.form.has_headings && !details.places.empty();
    changes.candidates += details.form.candidates > 1;
    changes.empty += details.places.empty();
    changes.without_object += wants_object && !has_object(p);
  }
  return {writer.text(), writer.entries(), changes.notes(server, writer)};
}

}  // namespace warpath::submission
