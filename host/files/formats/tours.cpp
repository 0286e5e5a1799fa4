#include "host/files/formats/tours.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/item_finder.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::formats {
namespace {

constexpr std::string_view choose_split = "choose one by --split";

std::string names_of_splits(json::Object splits) {
  std::vector<std::string_view> names;
  for (const auto field : splits) names.push_back(field.key);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Reads one split.
class TourReader {
 public:
  TourReader(const JsonFile& document, const Dataset& dataset)
      : document_(document),
        dataset_(dataset),
        items_(dataset),
        tour_of_(dataset.items.size(), IdTable::none) {}

  // Returns the number of ids that the dataset has, as long as the split has the form of tours.
  std::size_t count_known(json::Value split) const {
    std::size_t known = 0;
    const auto scans = object_in(split);
    if (!scans) return 0;
    for (const auto scan : *scans) {
      json::Array tours, ids;
      if (!scan.value.get(tours)) continue;
      for (const json::Value tour : tours) {
        if (!tour.get(ids)) continue;
        for (const json::Value id : ids) {
          const bool is_id =
              id.is_string() || id.is_integer() || id.kind() == json::Kind::large_integer;
          if (is_id) known += number_of(id, {}, 0) != IdTable::none;
        }
      }
    }
    return known;
  }

  std::vector<Tour> read(std::string_view split, json::Value value) {
    split_ = split;
    const json::Object scans = as_object(value, {document_.path(), {}, split_});
    for (const auto scan : scans) {
      const std::string at = fmt::format("{}.{}", split_, scan.key);
      std::size_t position = 0;
      for (const json::Value tour : as_array(scan.value, {document_.path(), {}, at})) {
        read_tour(scan.key, tour, fmt::format("{}[{}]", at, position++));
      }
    }
    if (tours_.empty()) {
      throw InputError({document_.path(), {}, split_}, "has no tour", "name the file of its tours");
    }
    return std::move(tours_);
  }

 private:
  void read_tour(std::string_view scan, json::Value value, const std::string& at) {
    const auto number = static_cast<std::uint32_t>(tours_.size());
    Tour& tour = tours_.emplace_back();
    tour.name = std::to_string(number);
    places_.push_back(at);
    const json::Array ids = as_array(value, {document_.path(), {}, at});
    tour.items.reserve(ids.size());
    for (const json::Value id : ids) {
      const std::uint32_t item = item_of(id, scan, tour.items.size());
      tour_of_[item] = number;
      tour.items.push_back(item);
    }
    if (!tour.items.empty()) return;
    throw InputError({document_.path(), {}, at}, "is a tour without episodes",
                     "name its episodes, or remove it");
  }

  // Returns the item that has the id at a position of a tour; IdTable::none if there is none.
  std::uint32_t number_of(json::Value id, std::string_view tour, std::size_t position) const {
    std::string_view text;
    if (id.get(text)) return items_.find_next(text, next_);
    const InputError::Where where{document_.path(), {}, fmt::format("{}[{}]", tour, position)};
    return items_.find_next(id_text(id, where), next_);
  }

  // Returns the item of an id of the last tour. @param position of the id in the tour
  std::uint32_t item_of(json::Value id, std::string_view scan, std::size_t position) const {
    const std::uint32_t item = number_of(id, places_.back(), position);
    if (item == IdTable::none) {
      refuse(id, fmt::format("is no item of {}", dataset_.file),
             fmt::format("name the dataset of split {}, or another --split", split_));
    }
    const std::string& own = dataset_.scans[dataset_.items[item].scan];
    if (own != scan) {
      refuse(id, fmt::format("is on scan {} in {}", own, dataset_.file),
             "a tour has episodes of one scan: move it there");
    }
    if (tour_of_[item] != IdTable::none) {
      refuse(id, fmt::format("is in the tours twice, first in {}", places_[tour_of_[item]]),
             "keep an episode in one tour, once");
    }
    return item;
  }

  // Refuses an id of the last tour.
  [[noreturn]] void refuse(json::Value id, const std::string& problem,
                           const std::string& remedy) const {
    const std::string& at = places_.back();
    throw InputError({document_.path(), id_text(id, {document_.path(), {}, at}), at}, problem,
                     remedy);
  }

  const JsonFile& document_;
  const Dataset& dataset_;
  ItemFinder items_;
  mutable std::uint32_t next_ = 0;  // the likely item
  std::string split_;
  std::vector<std::uint32_t> tour_of_;  // by item
  std::vector<Tour> tours_;
  std::vector<std::string> places_;  // of tours in the file
};

// Returns the split of which the dataset has the most ids.
std::string_view best_split(json::Object splits, const TourReader& reader,
                            const InputError::Where& where) {
  std::string_view best, other;
  std::size_t most = 0;
  for (const auto field : splits) {
    const std::size_t known = reader.count_known(field.value);
    if (best.empty() || known > most) {
      best = field.key;
      other = {};
      most = known;
    } else if (known == most) {
      other = field.key;
    }
  }
  if (other.empty() || most == 0) return best;
  throw InputError(
      where,
      fmt::format("has {} episodes of the dataset in split {} and in split {}", most, best, other),
      choose_split);
}

void note_others(Dataset& dataset) {
  std::size_t others = dataset.items.size();
  for (const Tour& tour : dataset.tours->tours) others -= tour.items.size();
  if (others == 0) return;
  dataset.notes.push_back(
      fmt::format("in no tour: {}, scored only where predicted", io::counted(others, "item")));
}

}  // namespace

json::Value split_in(json::Object splits, const std::string& split,
                     const InputError::Where& where) {
  if (split.empty() && splits.size() == 1) return (*splits.begin()).value;
  if (const KeyValue found = find_key(splits, split); !split.empty() && found.count > 0) {
    return found.value;
  }
  const std::string problem =
      splits.size() == 0 ? "has no split"
      : split.empty()    ? fmt::format("has the splits {}", names_of_splits(splits))
                         : fmt::format("has no split {}, only {}", split, names_of_splits(splits));
  throw InputError(where, problem, choose_split);
}

void read_tours(const std::string& file, const std::string& split, Dataset& dataset,
                const io::Reading& reading) {
  const JsonFile document(file, reading);
  const InputError::Where where{document.path()};
  const json::Object splits = as_object(document.root(), where);
  TourReader reader(document, dataset);
  const bool is_chosen = !split.empty() || splits.size() < 2;
  const std::string name(is_chosen ? split : best_split(splits, reader, where));
  const json::Value value = split_in(splits, name, where);
  const std::string shown(name.empty() ? (*splits.begin()).key : name);
  dataset.tours = {document.path(), shown, reader.read(shown, value)};
  dataset.hash += "+" + io::content_hash(document.hash() + shown);  // of this split alone
  note_others(dataset);
}

}  // namespace warpath::formats
