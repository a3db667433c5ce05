# Fails where a program of the preset `portable` needs a shared library beyond the C library's.
#   cmake -DPROGRAM=path -P cmake/check_portable.cmake
cmake_minimum_required(VERSION 3.25)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR unknown)
foreach(library ${libraries} ${unknown})
  get_filename_component(name ${library} NAME)
  if(NOT name MATCHES "^(libc|libm|libpthread|ld-linux-.*)\\.so")
    file(REMOVE ${PROGRAM})
    message(FATAL_ERROR "${PROGRAM} needs ${library}: it would not start on another machine")
  endif()
endforeach()
