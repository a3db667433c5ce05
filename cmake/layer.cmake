# ooc_layer(<name> SOURCES ... [LINK ooc_<other> ...] [PRIVATE_LINK ...])
# One static library per second-level folder, linked exactly along the edges of docs/architecture.md.
function(ooc_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(ooc_${name} STATIC ${arg_SOURCES})
  target_include_directories(ooc_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(ooc_${name} PUBLIC ${arg_LINK} PRIVATE ooc_warnings ${arg_PRIVATE_LINK})
endfunction()
