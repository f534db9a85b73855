# The C types of `boosting.py`.
cimport cython

@cython.locals(sums="double[:, ::1]", first_bins="int[::1]", first=Py_ssize_t, number=Py_ssize_t, at=Py_ssize_t,
               column=Py_ssize_t)
cpdef add_derivatives(const unsigned char[:, ::1] table, const unsigned char[::1] places,
                      const double[:, ::1] derivatives, int leaves, int bins)

@cython.locals(largest="unsigned char", row=Py_ssize_t, column=Py_ssize_t)
cdef int check(const unsigned char[:, ::1] table, const unsigned char[::1] places,
               const double[:, ::1] derivatives, int leaves, int bins) except -1

@cython.locals(at=Py_ssize_t, key=Py_ssize_t)
cdef void add(const unsigned char[:, ::1] table, const double[:, ::1] derivatives, const int[::1] first_bins,
              double[:, ::1] sums, Py_ssize_t column, Py_ssize_t first, Py_ssize_t number) noexcept

@cython.locals(at=Py_ssize_t, slope=double, curve=double, key=Py_ssize_t, second=Py_ssize_t, third=Py_ssize_t)
cdef void add_three(const unsigned char[:, ::1] table, const double[:, ::1] derivatives, const int[::1] first_bins,
                    double[:, ::1] sums, Py_ssize_t column, Py_ssize_t first, Py_ssize_t number) noexcept
