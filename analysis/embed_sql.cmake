# Writes OUTPUT, a C++ file with the text of FILES (separated by |) as an array of SqlText.
# Run at build time: cmake -DOUTPUT=... -DHEADER=... -DARRAY=... -DFILES=a|b -P embed_sql.cmake
string(REPLACE "|" ";" _files "${FILES}")
set(_out "#include \"${HEADER}\"\n\nnamespace orrery::analysis::detail {\nnamespace {\n")
string(APPEND _out "constexpr SqlText kTexts[] = {\n")
foreach(_file IN LISTS _files)
  get_filename_component(_name "${_file}" NAME_WE)
  file(READ "${_file}" _text)
  string(APPEND _out "  {\"${_name}\", R\"orrery_sql(${_text})orrery_sql\"},\n")
endforeach()
string(APPEND _out "};\n}  // namespace\nstd::span<const SqlText> ${ARRAY}() { return kTexts; }\n")
string(APPEND _out "}  // namespace orrery::analysis::detail\n")
file(WRITE "${OUTPUT}" "${_out}")
