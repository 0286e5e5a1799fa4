// Reads the scans of a batch, and lets a scorer grow by those that are new.
#include "python/bindings/bindings.hpp"
#include "python/bindings/scorer.hpp"

namespace warpath::python {

PathSet PathMemory::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  PathSet set = std::move(free_.back());
  free_.pop_back();
  return set;
}

void PathMemory::give_back(PathSet set) {
  if (set.elements.capacity() == 0 || set.elements.capacity() > max_elements) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(set));
}

GrowingScorer::GrowingScorer(std::shared_ptr<const GraphStore> graphs,
                             const std::vector<std::string>& scans, const Convention& convention,
                             const ScorerOptions& options)
    : graphs_(std::move(graphs)), convention_(convention), options_(options) {
  options_.graphs = graphs_;
  standing_ = make(scans);
}

std::shared_ptr<const StandingScorer> GrowingScorer::make(std::vector<std::string> names) const {
  auto made = std::make_shared<StandingScorer>();
  for (std::string& name : names) {
    if (!made->number.emplace(name, static_cast<std::uint32_t>(made->scans.size())).second)
      continue;
    made->scans.push_back(&graphs_->scan(name));
    made->names.push_back(std::move(name));
  }
  made->scorer = std::make_unique<Scorer>(made->scans, convention_, options_);
  return made;
}

std::shared_ptr<const StandingScorer> GrowingScorer::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

std::shared_ptr<const StandingScorer> GrowingScorer::with(const std::vector<std::string>& scans) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names = standing_->names;
  for (const std::string& scan : scans) {
    if (!standing_->number.contains(scan)) names.push_back(scan);
  }
  if (names.size() > standing_->names.size()) standing_ = make(std::move(names));
  return standing_;
}

namespace {

InputError::Where where(std::string_view item, std::size_t number) {
  return {"scans", fmt::format("{} {}", item, number)};
}

std::string remedy_for(std::string_view item) {
  return fmt::format("name the scan of each {}, or one for all", item);
}

void check_count(std::size_t found, std::size_t count, std::string_view item) {
  if (found == count) return;
  throw InputError({"scans"}, fmt::format("has {} elements for {} {}s", found, count, item),
                   fmt::format("give one for each {}, or one for all", item));
}

// Numbers names by their first occurrence. Equal names are mostly one object, so the last one is
// remembered.
class NameNumbers {
 public:
  NameNumbers(std::vector<std::string>& names, std::string_view item)
      : names_(names), item_(item) {}

  std::uint32_t add(nb::handle scan, std::size_t number) {
    if (scan.ptr() == last_.ptr()) return last_number_;
    if (!PyUnicode_Check(scan.ptr())) {
      throw InputError(where(item_, number), "is " + short_repr(scan), remedy_for(item_));
    }
    std::string name = utf8_of(scan, where(item_, number));
    const auto [found, is_new] = number_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(std::move(name));
    last_ = nb::borrow(scan);
    return last_number_ = found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::string_view item_;
  std::unordered_map<std::string, std::uint32_t> number_;
  nb::object last_;
  std::uint32_t last_number_ = 0;
};

std::vector<std::uint32_t> read_numbers(const Array& array, std::size_t scans) {
  std::vector<std::uint32_t> numbers(array.shape(0));
  visit_integers(array, "scans", [&](const auto& number) {
    for (std::size_t p = 0; p < numbers.size(); ++p) {
      const auto n = number(p);
      if (std::cmp_less(n, 0) || std::cmp_greater_equal(n, scans)) {
        throw InputError(where("pair", p), fmt::format("is {} of {} scans", n, scans),
                         "number scans from 0, in the order of the scorer's scans");
      }
      numbers[p] = static_cast<std::uint32_t>(n);
    }
  });
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> read_names(nb::handle scans, std::size_t count, std::string_view item,
                                      std::vector<std::string>& names) {
  NameNumbers known(names, item);
  if (PyUnicode_Check(scans.ptr())) return {known.add(scans, 0)};
  PyObject* const iterator = PyObject_GetIter(scans.ptr());
  if (iterator == nullptr) {
    PyErr_Clear();
    throw InputError({"scans"}, fmt::format("is of type {}", nb::type_name(scans.type()).c_str()),
                     remedy_for(item));
  }
  const nb::object all = nb::steal(iterator);
  std::vector<std::uint32_t> numbers;
  for (nb::handle scan : all) numbers.push_back(known.add(scan, numbers.size()));
  check_count(numbers.size(), count, item);
  return numbers;
}

ScanOfPair read_scans(nb::handle scans, std::size_t pairs, GrowingScorer& scorer,
                      std::shared_ptr<const StandingScorer>& standing) {
  standing = scorer.standing();
  if (scans.is_none()) {
    if (standing->scans.size() == 1) return {{standing->scans.front()}, {0}};
    throw InputError({"scans"}, fmt::format("is not given for {} scans", standing->scans.size()),
                     "name the scan of each pair, or one for all");
  }
  if (const auto array = find_array(scans, "scans"); array && is_integer(*array)) {
    check_count(array_of(scans, 1, "scans").shape(0), pairs, "pair");
    return {standing->scans, read_numbers(*array, standing->scans.size())};
  }
  std::vector<std::string> names;
  std::vector<std::uint32_t> numbers = read_names(scans, pairs, "pair", names);
  {
    const nb::gil_scoped_release release;
    standing = scorer.with(names);
  }
  for (std::uint32_t& n : numbers) n = standing->number.at(names[n]);
  return {standing->scans, std::move(numbers)};
}

}  // namespace warpath::python
