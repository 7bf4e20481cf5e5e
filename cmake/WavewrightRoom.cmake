# wavewright_room(NAME [LINKS lib...]): the static library wavewright_<NAME> made of every source in
# the calling folder. Sources are globbed with a dependency on the folder, so a new file needs no edit.
function(wavewright_room NAME)
  cmake_parse_arguments(ROOM "" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(sources)
    add_library(wavewright_${NAME} STATIC ${sources})
    set(visibility PUBLIC)
  else()
    add_library(wavewright_${NAME} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_link_libraries(wavewright_${NAME} ${visibility} wavewright_options ${ROOM_LINKS})
endfunction()
