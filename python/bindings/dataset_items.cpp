// The items of a dataset, as lists.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "host/files/evaluation/refusals.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/formats/string_table.hpp"
#include "python/bindings/bindings.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

formats::Dataset read_items(const std::string& file, const InputTexts& texts,
                            std::uint64_t max_bytes, formats::StringTable& viewpoints) {
  const formats::DatasetChoice choice(formats::ReferenceChoice::path, false, true);
  formats::Dataset dataset =
      formats::read_dataset(file, nullptr, choice, viewpoints, {max_bytes, &texts});
  if (dataset.has_positions()) {
    throw InputError({dataset.file}, "has paths of positions, not of viewpoints",
                     "give a dataset whose paths are on graphs");
  }
  evaluation::refuse_test_split(dataset);
  return dataset;
}

// Returns id, scan, reference and text ("" if there is none) of each item, and the file's hash.
nb::tuple dataset_items(const std::string& file, const InputTexts& texts, std::uint64_t max_bytes) {
  formats::StringTable viewpoints;
  formats::Dataset dataset;
  {
    const nb::gil_scoped_release release;
    dataset = read_items(file, texts, max_bytes, viewpoints);
  }
  nb::list items;
  for (std::size_t k = 0; k < dataset.items.size(); ++k) {
    const formats::Item& item = dataset.items[k];
    nb::list reference;
    for (const auto viewpoint : dataset.references[item.reference]) {
      reference.append(to_str(viewpoints[viewpoint]));
    }
    const bool has_text = k < dataset.instructions.size();
    items.append(nb::make_tuple(to_str(item.id), to_str(dataset.scans[item.scan]), reference,
                                to_str(has_text ? dataset.instructions[k] : "")));
  }
  return nb::make_tuple(items, to_str(dataset.hash));
}

}  // namespace

void bind_dataset_items(nb::module_& m) {
  m.def("dataset_items", &dataset_items, "file"_a, "texts"_a, "max_bytes"_a,
        nb::sig("def dataset_items(file: str, texts: collections.abc.Mapping[str, str], "
                "max_bytes: int) -> tuple[list[tuple[str, str, list[str], str]], str]"));
}

}  // namespace warpath::python
