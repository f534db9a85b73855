# The C types of `page_numbers.py`.
cimport cython

@cython.locals(size=Py_ssize_t, sums="int[:, ::1]")
cpdef measure_page(
    float[::1] numbers, bytes data, const int[::1] offsets, const int[:, ::1] blocks, const int[:, ::1] elements
)

@cython.locals(size=Py_ssize_t, counts="int[::1]", element=Py_ssize_t, name=Py_ssize_t, place=Py_ssize_t)
cpdef count_names(float[::1] numbers, const int[::1] codes, list places)

@cython.locals(size=Py_ssize_t, words=int, links=int, longest=int, long_words=int, long_blocks=int, headings=int,
               items=int, cells=int, link_blocks=int, teasers=int, short=int, sentences=int, prices=int, digits=int,
               at=Py_ssize_t, own=int, begin=Py_ssize_t, end=Py_ssize_t, seen=int)
cdef measure_blocks(bytes data, const int[::1] offsets, const int[:, ::1] blocks, float[::1] numbers, int[:, ::1] sums)

cdef bint is_long(int words, int links) noexcept
cdef double share(double part, double whole) noexcept

@cython.locals(at=Py_ssize_t, digits=int, sign=int, byte="unsigned char")
cdef int look_for_price(bytes data, Py_ssize_t begin, Py_ssize_t end) except? -1

@cython.locals(byte="unsigned char")
cdef bint ends_sentence(bytes data, Py_ssize_t last) except? -1

@cython.locals(size=Py_ssize_t, start=Py_ssize_t, last=Py_ssize_t, best=int, best_start=Py_ssize_t, words=int,
               best_end=Py_ssize_t, at=Py_ssize_t)
cdef measure_runs(const int[:, ::1] blocks, float[::1] numbers, const int[:, ::1] sums)

@cython.locals(size=Py_ssize_t, paths=int, at=Py_ssize_t, path=int, totals="int[:, ::1]", text=int, links=int,
               long_words=int)
cdef measure_paths(const int[:, ::1] blocks, float[::1] numbers, const int[:, ::1] sums)

@cython.locals(number=Py_ssize_t, size=Py_ssize_t, groups="int[:, ::1]", best="int[:, ::1]", element=Py_ssize_t,
               first=int, end=int, parent=int, words=int, row=Py_ssize_t)
cdef measure_groups(const int[:, ::1] elements, float[::1] numbers, const int[:, ::1] sums)

@cython.locals(row=Py_ssize_t)
cdef keep_better(int[:, ::1] groups, Py_ssize_t element, int[:, ::1] best)

@cython.locals(items="int")
cdef describe_group(const int[:, ::1] best, Py_ssize_t which, float[::1] numbers, Py_ssize_t place, int words)
