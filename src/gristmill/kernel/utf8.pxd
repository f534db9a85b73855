# The C types of utf8.py.
cimport cython
from libc.stdint cimport uint64_t

@cython.locals(
    size=Py_ssize_t, place=Py_ssize_t, plain=Py_ssize_t, characters=Py_ssize_t, beyond=Py_ssize_t, runs=Py_ssize_t,
    mojibake=int, in_run=int, code=int, second=int, third=int, highest=uint64_t, octets="const uint64_t[::1]",
)
cpdef tuple survey(const unsigned char[::1] data, const unsigned char[::1] untidy)

@cython.locals(each=uint64_t, highest=uint64_t, count=Py_ssize_t, eight=uint64_t, bad=uint64_t)
cdef Py_ssize_t _skip_plain(const uint64_t[::1] octets, Py_ssize_t number) except -1

@cython.locals(code=int)
cdef int _character(int first, int second, int third, int fourth) noexcept

cdef int _unit(int code) noexcept

cdef int _may_go_on(unsigned char byte) noexcept

@cython.locals(
    size=Py_ssize_t, number=Py_ssize_t, place=Py_ssize_t, before=Py_ssize_t, in_run=int, code=int,
    plain=Py_ssize_t, start=Py_ssize_t,
    third=int, octets="const uint64_t[::1]", runs="long long[:, ::1]",
)
cpdef object find_runs(const unsigned char[::1] data, const unsigned char[::1] untidy, Py_ssize_t count)

@cython.locals(
    total=Py_ssize_t, count=Py_ssize_t, number=Py_ssize_t, place=Py_ssize_t, at=Py_ssize_t, out="unsigned char[::1]"
)
cpdef bytes gather(const unsigned char[::1] data, const long long[:, ::1] runs)

@cython.locals(
    size=Py_ssize_t, number=Py_ssize_t, place=Py_ssize_t, at=Py_ssize_t, end=Py_ssize_t, piece=Py_ssize_t,
    out="unsigned char[::1]",
)
cpdef bytes splice(const unsigned char[::1] data, const long long[:, ::1] runs, const unsigned char[::1] pieces)

@cython.locals(
    size=Py_ssize_t, place=Py_ssize_t, at=Py_ssize_t, code="unsigned char", out="unsigned char[::1]"
)
cpdef bytes unix_lines(const unsigned char[::1] data)
