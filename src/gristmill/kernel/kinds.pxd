# The C types of `kinds.py`.
cimport cython

@cython.locals(kinds=Py_ssize_t, chances="float[::1]", odds="double[::1]", trees=Py_ssize_t, depth=int,
               tree=Py_ssize_t, leaf=Py_ssize_t, level=int, kind=Py_ssize_t, highest=double, whole=double)
cpdef tell_kinds(
    const float[::1] values, const int[:, ::1] columns, const float[:, ::1] borders, const float[:, ::1] leaves,
    const float[::1] start
)
