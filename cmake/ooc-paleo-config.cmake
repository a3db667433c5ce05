# find_package(ooc-paleo): the target ooc-paleo::ooc-paleo.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/ooc-paleo-targets.cmake)
if(NOT TARGET ooc-paleo::ooc-paleo)
  add_library(ooc-paleo::ooc-paleo INTERFACE IMPORTED)
  set_target_properties(ooc-paleo::ooc-paleo PROPERTIES
    INTERFACE_LINK_LIBRARIES ooc-paleo::ooc_predict INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()
