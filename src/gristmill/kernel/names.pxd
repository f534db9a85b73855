# The C types of the variables of `names.py`.
cimport cython

@cython.locals(opened="const int[::1]", length=Py_ssize_t, element=int, tag=int)
cdef Py_ssize_t _most_bytes(const int[:, ::1] tags, const int[:, ::1] elements) except? -1

@cython.locals(
    opened="const int[::1]", size=int, table="int[::1]", count=int, end=int, element=int, tag=int, begin=int,
    place=int, tries=int, sign=int,
)
cdef int _collect(
    const unsigned char[::1] data, const int[:, ::1] tags, const int[:, ::1] elements, int[::1] codes,
    unsigned char[::1] written, int[::1] offsets
) except 0

@cython.locals(first=int, first_end=int, second=int, second_end=int)
cdef int _write(
    const unsigned char[::1] data, const int[:, ::1] tags, int tag, unsigned char[::1] written, int end
) except -1

@cython.locals(at=int, byte="unsigned char")
cdef int _copy(const unsigned char[::1] data, int begin, int stop, unsigned char[::1] written, int end) except -1

@cython.locals(number=Py_ssize_t, other=Py_ssize_t, at=int)
cdef Py_ssize_t _hash(unsigned char[::1] written, int begin, int end) except -1

cdef bint _are_equal(unsigned char[::1] written, int begin, int stop, int other, int end) except -1

@cython.locals(words=dict, size=Py_ssize_t, at=Py_ssize_t, begin=Py_ssize_t)
cpdef list words_of_name(str name)

cdef bint _is_capital(Py_UCS4 letter) noexcept

cdef Py_ssize_t _end_of_capitals(str name, Py_ssize_t at, Py_ssize_t size) except -1

cdef Py_ssize_t _end_of_small(str name, Py_ssize_t at, Py_ssize_t size) except -1
