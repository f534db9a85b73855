# The C types of `mill_roles.py`.
cimport cython

cdef const int[::1] SHARED, NEAR
cdef Py_ssize_t SHARED_NUMBER, NEAR_NUMBER

@cython.locals(item=Py_ssize_t)
cpdef describe_roles(float[:, ::1] table, const int[::1] roles, const int[:] words)

cpdef describe_phrases_around(float[:, ::1] table)

@cython.locals(at=Py_ssize_t, role=Py_ssize_t)
cdef flag(float[:, ::1] table, const int[::1] roles)

@cython.locals(counts="long long[::1]", total="long long", number="long long", at=Py_ssize_t, item=Py_ssize_t,
               part=double)
cdef share(float[:, ::1] table, const int[::1] roles, const int[:] words)

@cython.locals(size=Py_ssize_t, first_title=Py_ssize_t, last_title=Py_ssize_t, first_comment=Py_ssize_t,
               title=Py_ssize_t, byline=Py_ssize_t, at=Py_ssize_t, step=Py_ssize_t)
cdef place(float[:, ::1] table, const int[::1] roles)

@cython.locals(size=Py_ssize_t, sums="double[::1]", at=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t)
cdef mean_around(float[:, ::1] table, Py_ssize_t row, Py_ssize_t reach, Py_ssize_t before, Py_ssize_t behind)
