# The C types of `chains.py`.
cimport cython

@cython.locals(points=Py_ssize_t, best="long long[::1]", best_point="long long[::1]", before="long long[::1]",
               last=Py_ssize_t, last_weight="long long", point=Py_ssize_t, column=Py_ssize_t, weight="long long",
               at=Py_ssize_t, chain=list)
cpdef find_chain(const long long[::1] rows, const long long[::1] columns, const long long[::1] weights,
                 Py_ssize_t width)

@cython.locals(points=Py_ssize_t, point=Py_ssize_t)
cdef int check_points(const long long[::1] rows, const long long[::1] columns, const long long[::1] weights,
                      Py_ssize_t width) except -1
