# The C types of the variables of `holders.py`.
cimport cython

@cython.locals(
    opened="const int[::1]", closed="const int[::1]", at="const int[::1]", size=int, up_to="int[::1]", block=int,
    tag=int, spans="int[:, ::1]", element=int,
)
cpdef find_spans(const int[:, ::1] elements, const int[:, ::1] blocks, int number)

@cython.locals(
    names="const int[::1]", parents="const int[::1]", kinds="const int[::1]", holders="const int[::1]",
    inside="int[::1]", element=int, kind=int, block=int,
)
cpdef find_kinds(const int[:, ::1] elements, const int[:, ::1] blocks, const int[:, ::1] rules, int[:, ::1] described)

@cython.locals(
    names="const int[::1]", parents="const int[::1]", what="const int[::1]", size=int, rows="int[::1]",
    cells="int[::1]", row=int, element=int, flags=int, parent=int, first=int, is_cell=bint,
)
cpdef find_rows(const int[:, ::1] elements, const int[:, ::1] spans, const int[:, ::1] rules, int[:, ::1] described)

@cython.locals(
    names="const int[::1]", parents="const int[::1]", holders="const int[::1]", size=int, nodes="int[:, ::1]",
    links="int[:, ::1]", child="int[::1]", sibling="int[::1]", path_of="int[::1]", count=int, element=int, above=int,
    code=int, node=int, block=int, number=int, used="int[::1]", numbers="int[::1]",
)
cpdef find_paths(
    const int[:, ::1] elements, const int[:, ::1] blocks, const int[:, ::1] spans, int[:, ::1] described
)
