# lanescope_library(<folder> SOURCES ... [USES targets...]): one static library a folder of src/, named lanescope_<folder>.
function(lanescope_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wno-missing-field-initializers
    $<$<BOOL:${LANESCOPE_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false alarms on std::string in g++ 12 (its bug 105651)
  endif()
  if(LANESCOPE_SANITIZE)
    # Instrumented code raises false alarms of g++; the release build is the one that takes warnings for errors.
    target_compile_options(${target} PRIVATE -fsanitize=${LANESCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
      -Wno-error)
    target_link_options(${target} PUBLIC -fsanitize=${LANESCOPE_SANITIZE})
  endif()
endfunction()

function(lanescope_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  set(target lanescope_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  lanescope_options(${target})
  target_link_libraries(${target} PUBLIC ${arg_USES})
endfunction()

# lanescope_test(<name> SOURCES ... USES targets...): a GoogleTest program, one CTest entry a test case.
function(lanescope_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  lanescope_options(${name})
  target_compile_definitions(${name} PRIVATE
    LANESCOPE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests" LANESCOPE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()
