# Some sources differ by a name alone: each compiles the same templates for another set. Here they
# are written from one file, so that each compiles by itself, and all of them side by side.

# Writes a source for each of these sets from a file STEM_SET.EXTENSION.in, in which @SET@ stands
# for the set, and adds their names to a variable.
function(write_units variable file)
  string(REGEX REPLACE "\\.in$" "" pattern ${PROJECT_BINARY_DIR}/${file})
  set(units)
  foreach(SET ${ARGN})
    string(REPLACE _SET. _${SET}. unit ${pattern})
    configure_file(${PROJECT_SOURCE_DIR}/${file} ${unit} @ONLY)
    list(APPEND units ${unit})
  endforeach()
  set(${variable} ${${variable}} ${units} PARENT_SCOPE)
endfunction()
