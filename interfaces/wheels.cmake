# The ROS 2 wheels of PyPI export include folders that they do not carry; CMake refuses such targets.
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS imported)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(folders)
    set(existing "")
    foreach(folder IN LISTS folders)
      if(folder MATCHES "\\$<" OR EXISTS "${folder}")
        list(APPEND existing "${folder}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${existing}")
  endif()
endforeach()

# Python needs the C side of an interface only, in two thirds of the time that all takes to build.
if(PYTHON_ONLY)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "generator_cpp|typesupport_[a-z_]*cpp")
endif()
