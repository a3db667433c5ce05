# The budget of the repository (CONTRIBUTING.md): a change that needs more deletes as much. Lower the figures when
# something goes.
#   cmake -DSOURCE=<root> -P cmake/check_size.cmake
function(measure name unit limit)
  list(FILTER ARGN EXCLUDE REGEX "/node_modules/")
  execute_process(COMMAND cat ${ARGN} COMMAND wc ${unit} OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(count GREATER limit)
    message(SEND_ERROR "${name}: found ${count}, expected at most ${limit}; delete as much as was added")
  else()
    message(STATUS "${name}: ${count} of ${limit}")
  endif()
endfunction()

set(product)
foreach(folder calibrate cli examples model reports simulator)
  foreach(kind cpp hpp cu js mjs py)
    file(GLOB_RECURSE files ${SOURCE}/${folder}/*.${kind})
    list(APPEND product ${files})
  endforeach()
endforeach()
file(GLOB scripts ${SOURCE}/scripts/*)
measure("lines of product" -l 72979 ${product} ${scripts})

file(GLOB_RECURSE tests ${SOURCE}/tests/*.cpp ${SOURCE}/tests/*.hpp ${SOURCE}/tests/*.mjs ${SOURCE}/tests/*.py)
measure("lines of tests" -l 33973 ${tests})

file(GLOB words ${SOURCE}/docs/*.md ${SOURCE}/docs/decisions/*.md)
measure("words of README, CONTRIBUTING and docs without the notebook" -w 37990 ${words} ${SOURCE}/README.md
  ${SOURCE}/CONTRIBUTING.md)
