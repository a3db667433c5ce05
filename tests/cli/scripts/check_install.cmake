# Installs into a folder of its own and uses the installed program from another one: its networks and
# profiles must be the installed ones.
#   cmake -DBUILD=<build folder> -DBINDIR=bin -P check_install.cmake
cmake_minimum_required(VERSION 3.25)

string(RANDOM LENGTH 12 unique)
set(root ${BUILD}/install-test-${unique})
set(prefix ${root}/prefix)
file(MAKE_DIRECTORY ${root}/elsewhere)

function(run out)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${root}/elsewhere
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${root})
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}\n${errors}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

unset(ENV{OOC_PALEO_DATA})
unset(ENV{DESTDIR})
run(ignored ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
# A network that only this installation has shows where names are looked up.
file(COPY_FILE ${prefix}/share/ooc-paleo/networks/vgg16.json
  ${prefix}/share/ooc-paleo/networks/only_here.json)
set(program ${prefix}/${BINDIR}/ooc-paleo)
run(networks ${program} list networks)
run(schema ${program} schema network)
run(row_schema ${program} schema row)
run(rows ${program} validate M1)
# Architectures and links are installed too.
run(sheet ${program} hardware new mine --architecture pascal --multiprocessors 28 --peak float32=10.97TFLOP/s
  --memory 12GiB --memory-rate 480GB/s --link pcie3x16)
run(network ${program} import ${prefix}/share/ooc-paleo/networks/configs/llama-3-8b)
run(prediction ${program} predict only_here --hardware v100-16gb-pcie3 --batch 64)
# Without charts --report says where they come from.
file(REMOVE_RECURSE ${prefix}/share/ooc-paleo/pages)
execute_process(COMMAND ${program} predict only_here --hardware v100-16gb-pcie3 --report ${root}/out.html
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT status EQUAL 2 OR NOT errors MATCHES "scripts/build-pages makes it" OR EXISTS ${root}/out.html)
  message(SEND_ERROR "--report without charts: ${status} ${errors}")
endif()
foreach(file share/bash-completion/completions/ooc-paleo
    share/zsh/site-functions/_ooc-paleo)
  if(NOT EXISTS ${prefix}/${file})
    message(SEND_ERROR "${file} is not installed")
  endif()
endforeach()
# Programs of one's own against the installed library give what the program gives.
run(ignored ${CMAKE_COMMAND} -G ${GENERATOR} -S ${EXAMPLES} -B ${root}/examples -DCMAKE_PREFIX_PATH=${prefix}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS})
run(ignored ${CMAKE_COMMAND} --build ${root}/examples)
set(data ${prefix}/share/ooc-paleo)
set(job ${data}/networks/vgg16.json ${data}/hwprofiles/v100-16gb-pcie3.json 64)
run(one_case ${root}/examples/predict_one_case ${job})
run(own_schedule ${root}/examples/own_schedule ${job})
run(json ${program} predict only_here --hardware v100-16gb-pcie3 --batch 64 --format json)
string(JSON expected GET "${json}" iteration_time_ns)
if(NOT one_case STREQUAL "${expected} ns\n")
  message(SEND_ERROR "examples/predict_one_case says ${one_case}, the program ${expected} ns")
endif()
if(NOT own_schedule MATCHES "^first-half: fits, ")
  message(SEND_ERROR "examples/own_schedule says ${own_schedule}")
endif()
foreach(file LICENSE model.md)
  file(GLOB_RECURSE found ${prefix}/share/doc/*${file})
  if(NOT found)
    message(SEND_ERROR "${file} is not installed")
  endif()
endforeach()
file(REMOVE_RECURSE ${root})

if(NOT rows MATCHES "[0-9]+ rows: [0-9]+ hold")
  message(FATAL_ERROR "the installed rows are not found:\n${rows}")
endif()
if(NOT networks MATCHES "(^|\n)only_here +[0-9]+ layers")
  message(FATAL_ERROR "the installed networks are not found:\n${networks}")
endif()
if(networks MATCHES "schema")
  message(FATAL_ERROR "a schema is listed as a network:\n${networks}")
endif()
if(NOT schema MATCHES "json-schema.org")
  message(FATAL_ERROR "no schema:\n${schema}")
endif()
