#pragma once

#include "warpath/convention.hpp"

/// The conventions of presets: a function for each, since some begin as others. A preset's name is
/// in presets.cpp.
namespace warpath::definitions::conventions {

Convention r2r();
Convention envdrop();
Convention duet();
Convention r4r();
Convention r4r_hops();
Convention valan();
Convention ndh();
Convention ndh_hamt();
Convention reverie();
Convention duet_reverie();
Convention scalevln_reverie();
Convention soon();
Convention duet_soon();
Convention rxr();
Convention rxr_published();
Convention vlnce();
Convention vlnce_fastdtw();
Convention dcvln();
Convention etpnav();
Convention vlnpe();
Convention touchdown();
Convention velma();
Convention aerialvln();
Convention openuav();
Convention citynav();
Convention citynav_vlnce();
Convention openfly();
Convention indooruav();
Convention ivln();
Convention over_nav();
Convention ivlnce();

}  // namespace warpath::definitions::conventions
