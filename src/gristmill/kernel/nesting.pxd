# The C types of the variables of `nesting.py`.
cimport cython

@cython.locals(
    codes="const int[::1]", closing="const int[::1]", what="const int[::1]", implies="const int[::1]",
    names="int[::1]", parents="int[::1]", opened="int[::1]", closed="int[::1]", tops="int[::1]", stack="int[::1]",
    number=int, tag=int, code=int, open_code=int, element=int, depth=int, kept=int, rows="int[:, ::1]",
)
cpdef follow(const int[:, ::1] tags, const int[:, ::1] rules)

@cython.locals(count=int, tag=int)
cdef int _count_elements(const int[::1] codes, const int[::1] closing, const int[::1] what) except -1

@cython.locals(closed_by="const int[::1]", barriers="const int[::1]", group=int, last=int, at=int, open_code=int)
cdef int _close_implied(int[::1] stack, int[::1] names, const int[:, ::1] rules, int depth, int code) except -1

@cython.locals(what="const int[::1]", flags=int, beyond=int, last=int, at=int, open_code=int)
cdef int _close(int[::1] stack, int[::1] names, const int[:, ::1] rules, int depth, int code) except -1

@cython.locals(number=int, flags="unsigned char[::1]", depth=int, tag=int, kind=int, least=int, kinds="unsigned char[::1]", marked="int[::1]")
cpdef hide(bytes data, const int[:, ::1] tags, const int[:, ::1] rules, const int[:, ::1] elements, const int[::1] tops)

@cython.locals(
    what="const int[::1]", hides="const int[::1]", names="const int[::1]", parents="const int[::1]",
    opened="const int[::1]", found=int, element=int, flags=int, kind=int,
)
cdef int _hide_elements(
    const int[:, ::1] tags, const int[:, ::1] rules, const int[:, ::1] elements, unsigned char[::1] kinds
) except -1

@cython.locals(
    codes="const int[::1]", closing="const int[::1]", hides="const int[::1]", what="const int[::1]",
    number=int, below="int[::1]", last="int[::1]", tag=int, code=int, start=int, end=int,
)
cdef int _hide_inline(const int[:, ::1] tags, const int[:, ::1] rules, int[::1] marked) except -1

@cython.locals(tag=int)
cdef bint _hides_inline(
    const int[::1] codes, const int[::1] closing, const int[::1] hides, const int[::1] what
) except -1

cdef int _mark(
    const int[::1] codes, const int[::1] hides, const int[::1] what, int[::1] marked, int start, int end
) except -1

@cython.locals(starts="const int[::1]", texts="const int[::1]", shown=Py_ssize_t, hidden=Py_ssize_t, tag=int, length=int)
cdef bint _is_most(const int[:, ::1] tags, unsigned char[::1] flags) except -1

@cython.locals(starts="const int[::1]", texts="const int[::1]", number=int, found=bint, place=int, at=Py_ssize_t,
               end=Py_ssize_t, flag=int)
cdef bint _is_all(bytes data, const int[:, ::1] tags, unsigned char[::1] flags) except -1
