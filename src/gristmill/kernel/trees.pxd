# The C types of `trees.py`.
cimport cython

@cython.locals(trees=Py_ssize_t, size=Py_ssize_t, depth=Py_ssize_t, found="double[::1]", places="unsigned char[::1]",
               first=Py_ssize_t, number=Py_ssize_t, tree=Py_ssize_t, level=Py_ssize_t, at=Py_ssize_t)
cpdef odds(const float[:, ::1] table, const int[::1] columns, const float[::1] borders, const float[:, ::1] leaves,
           double start)

@cython.locals(depth=Py_ssize_t, at=Py_ssize_t)
cdef Py_ssize_t check(const float[:, ::1] table, const int[::1] columns, const float[::1] borders,
                      const float[:, ::1] leaves) except -1

@cython.locals(at=Py_ssize_t)
cdef void clear(unsigned char[::1] places, Py_ssize_t number) noexcept

@cython.locals(at=Py_ssize_t)
cdef void ask(const float[:, ::1] table, Py_ssize_t row, float border, Py_ssize_t first, Py_ssize_t number,
              int level, unsigned char[::1] places) noexcept

@cython.locals(at=Py_ssize_t)
cdef void add(const float[:, ::1] leaves, Py_ssize_t tree, Py_ssize_t first, Py_ssize_t number,
              const unsigned char[::1] places, double[::1] found) noexcept
