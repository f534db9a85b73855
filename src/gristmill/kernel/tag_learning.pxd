# The C types of `tag_learning.py`.
cimport cython
from libc.math cimport exp, log, sqrt

cdef unsigned int MASK
cdef double RANGE, SMALL

cdef class Random:
    cdef unsigned int state

    @cython.locals(value="unsigned int")
    cdef double draw(self) noexcept

@cython.locals(line=Py_ssize_t, word=Py_ssize_t)
cdef int check_roles(const int[:, ::1] starts, const int[::1] rows, const unsigned char[::1] of_form,
                     const int[::1] offsets, const float[::1] left_out) except -1

cdef class Rows:
    cdef const int[:, ::1] starts
    cdef const int[::1] rows
    cdef const unsigned char[::1] of_form
    cdef const int[::1] offsets
    cdef const float[::1] left_out
    cdef double share
    cdef Random random
    cdef int[::1] active
    cdef Py_ssize_t count

    @cython.locals(at=Py_ssize_t)
    cdef int check(self, const int[::1] types, const int[::1] starts, const int[::1] order,
                   const unsigned char[::1] caseless, Py_ssize_t weights) except -1

    @cython.locals(role=Py_ssize_t, place=Py_ssize_t, word=Py_ssize_t, line=Py_ssize_t, without_form=bint,
                   number=Py_ssize_t)
    cdef void choose(self, const int[::1] types, const unsigned char[::1] caseless, Py_ssize_t at, Py_ssize_t first,
                     Py_ssize_t last) noexcept

    @cython.locals(label=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t)
    cdef void add_up(self, const float[:, ::1] weights, double[:, ::1] scores, Py_ssize_t at,
                     int[:, ::1] active) noexcept

@cython.locals(labels=Py_ssize_t, longest=Py_ssize_t, number=Py_ssize_t, lattice=Lattice, active="int[:, ::1]",
               counts="int[::1]", loss=double, first=Py_ssize_t, last=Py_ssize_t, size=Py_ssize_t, at=Py_ssize_t,
               place=Py_ssize_t, before=Py_ssize_t)
cpdef double learn_tags(Rows chosen, const int[::1] types, const int[::1] starts, const int[::1] order,
                        const unsigned char[::1] caseless, const unsigned char[::1] gold, float[:, ::1] weights,
                        float[:, ::1] squares, float[:, ::1] steps, float[:, ::1] step_squares,
                        double rate) except? -1

@cython.locals(labels=Py_ssize_t, at=Py_ssize_t)
cdef int check_tags(const int[::1] types, const unsigned char[::1] gold, const float[:, ::1] weights,
                    const float[:, ::1] squares, const float[:, ::1] steps,
                    const float[:, ::1] step_squares) except -1

cdef class Lattice:
    cdef Py_ssize_t labels
    cdef double[:, ::1] scores
    cdef double[:, ::1] forward
    cdef double[:, ::1] backward
    cdef double[:, ::1] derivatives
    cdef double[:, ::1] factors
    cdef double[:, ::1] turned
    cdef double[:, ::1] expected
    cdef double[::1] scales

    @cython.locals(before=Py_ssize_t, label=Py_ssize_t, factor=double, at=Py_ssize_t)
    cdef void spread(self, const float[:, ::1] steps, Py_ssize_t size) noexcept

    @cython.locals(most=double, label=Py_ssize_t)
    cdef void raise_scores(self, Py_ssize_t at) noexcept

    @cython.locals(before=Py_ssize_t, label=Py_ssize_t, way=double, total=double)
    cdef void go_forward(self, Py_ssize_t at) noexcept

    @cython.locals(before=Py_ssize_t, label=Py_ssize_t, way=double)
    cdef void go_backward(self, Py_ssize_t at) noexcept

    @cython.locals(labels=Py_ssize_t, total=double, label=Py_ssize_t, before=Py_ssize_t, way=double)
    cdef void expect(self, Py_ssize_t at, Py_ssize_t gold_before, Py_ssize_t gold) noexcept

@cython.locals(label=Py_ssize_t, slope=double)
cdef void descend(float[:, ::1] weights, float[:, ::1] squares, const double[:, ::1] derivatives, Py_ssize_t row,
                  Py_ssize_t line, Py_ssize_t low, Py_ssize_t high, double rate) noexcept

@cython.locals(scores="double[:, ::1]", loss=double, number=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t,
               at=Py_ssize_t, label=Py_ssize_t, place=Py_ssize_t, group=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t)
cpdef double learn_values(Rows chosen, const int[::1] types, const int[::1] starts, const int[::1] order,
                          const unsigned char[::1] caseless, const int[:, ::1] gold, const int[::1] groups,
                          float[:, ::1] weights, float[:, ::1] squares, double rate) except? -1

@cython.locals(group=Py_ssize_t, at=Py_ssize_t)
cdef int check_values(const int[::1] types, const int[:, ::1] gold, const int[::1] groups,
                      const float[:, ::1] weights, const float[:, ::1] squares) except -1

@cython.locals(most=double, label=Py_ssize_t, total=double, loss=double)
cdef double derive(double[:, ::1] scores, Py_ssize_t low, Py_ssize_t high, Py_ssize_t right) noexcept
