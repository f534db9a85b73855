# The C types of `parse_learning.py`.
cimport cython
from libc.math cimport exp, log, sqrt
from gristmill.kernel.parse_features cimport Features, check_sentences
from gristmill.kernel.parse_states cimport State
from gristmill.kernel.parse_trees cimport Tree
from gristmill.kernel.tag_learning cimport Random

cdef double SMALL

cdef class Oracle:
    cdef int[::1] gold, waiting, open, on_stack, costs

    @cython.locals(at=Py_ssize_t)
    cdef void begin(self, const int[::1] offsets, Py_ssize_t first, Py_ssize_t last) noexcept

    @cython.locals(action=Py_ssize_t, front=Py_ssize_t, top=Py_ssize_t, head=Py_ssize_t, among=int, missed=int,
                   least=int)
    cdef int weigh(self, State state) noexcept

    @cython.locals(right=bint, left=bint)
    cdef void weigh_last(self, Py_ssize_t front, Py_ssize_t top) noexcept

    @cython.locals(top=Py_ssize_t, head=Py_ssize_t)
    cdef void follow(self, State state, int action) noexcept

@cython.locals(size=Py_ssize_t, found="int[:, ::1]", state=State, oracle=Oracle, number=Py_ssize_t,
               action=Py_ssize_t, types="const int[::1]", tags="const unsigned char[::1]")
cpdef costs_of(const int[::1] offsets, const int[::1] actions)

@cython.locals(sentence=Py_ssize_t, at=Py_ssize_t)
cdef int check_offsets(const int[::1] offsets, const int[::1] starts) except -1

@cython.locals(at=Py_ssize_t)
cdef int check_order(const int[::1] order, const int[::1] starts) except -1

cdef int check_learned(Features features, const float[:, ::1] weights, const float[:, ::1] squares,
                       const unsigned int[:, ::1] attributes, Py_ssize_t atoms) except -1

@cython.locals(longest=Py_ssize_t, templates=Py_ssize_t, room=Py_ssize_t, keys="unsigned int[::1]", count=Py_ssize_t, state=State,
               oracle=Oracle, sentence=Py_ssize_t, first=Py_ssize_t, least=int, template=Py_ssize_t, action=int)
cpdef describe_actions(const int[::1] types, const int[::1] starts, const unsigned int[:, ::1] attributes,
                       const unsigned char[::1] tags, const int[::1] offsets, Features features)

@cython.locals(longest=Py_ssize_t, random=Random, state=State, oracle=Oracle, scores="double[::1]", loss=double,
               number=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, least=int, best=int, right=int, action=int)
cpdef double learn_actions(const int[::1] types, const int[::1] starts, const int[::1] order,
                           const unsigned int[:, ::1] attributes, const unsigned char[::1] tags,
                           const int[::1] offsets, Features features, float[:, ::1] weights, float[:, ::1] squares,
                           double rate, double left_out, double exploration, unsigned int seed) except? -1

@cython.locals(count=Py_ssize_t, place=Py_ssize_t)
cdef void choose(Features features, Random random, double left_out) noexcept

@cython.locals(label=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t)
cdef void add_up(Features features, const float[:, ::1] weights, double[::1] scores) noexcept

@cython.locals(total=double, right=double, action=Py_ssize_t)
cdef double derive_actions(double[::1] scores, const int[::1] costs, int least, double most) noexcept

@cython.locals(label=Py_ssize_t, slope=double, place=Py_ssize_t, row=Py_ssize_t)
cdef void descend(Features features, float[:, ::1] weights, float[:, ::1] squares, const double[::1] slopes,
                  double rate) noexcept

@cython.locals(longest=Py_ssize_t, templates=Py_ssize_t, keys="unsigned int[::1]", count=Py_ssize_t, tree=Tree,
               sentence=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, at=Py_ssize_t, number=Py_ssize_t,
               template=Py_ssize_t)
cpdef describe_relations(const int[::1] types, const int[::1] starts, const unsigned int[:, ::1] attributes,
                         const unsigned char[::1] tags, const int[::1] offsets, const int[::1] relations,
                         Features features)

@cython.locals(longest=Py_ssize_t, labels=Py_ssize_t, at=Py_ssize_t, random=Random, tree=Tree, scores="double[::1]",
               loss=double, sentence=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, number=Py_ssize_t, right=int,
               best=int, label=int)
cpdef double learn_relations(const int[::1] types, const int[::1] starts, const int[::1] order,
                             const unsigned int[:, ::1] attributes, const unsigned char[::1] tags,
                             const int[::1] offsets, const int[::1] relations, Features features,
                             float[:, ::1] weights, float[:, ::1] squares, double rate, double left_out,
                             unsigned int seed) except? -1

@cython.locals(total=double, label=Py_ssize_t, loss=double)
cdef double derive_relations(double[::1] scores, Py_ssize_t labels, Py_ssize_t right, double most) noexcept
