#include <array>

#include "host/core/definitions/enum_names.hpp"
#include "host/files/navmesh/navmesh.hpp"

namespace warpath::navmesh {
namespace {

constexpr std::array<definitions::EnumName<Habitat>, 2> habitat_names{
    {{Habitat::v0_1_7, "0.1.7"}, {Habitat::v0_3_4, "0.3.4"}}};

}  // namespace

Habitat find_habitat(std::string_view version) {
  return definitions::find_in(habitat_names, "version of habitat-sim", version);
}

std::string_view name(Habitat habitat) {
  return definitions::name_in(habitat_names, habitat);
}

}  // namespace warpath::navmesh
