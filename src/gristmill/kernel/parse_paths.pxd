# The C types of `parse_paths.py`.
cimport cython
from gristmill.kernel.parse_features cimport Features, check_sentences
from gristmill.kernel.parse_states cimport State, best_of
from gristmill.kernel.parse_trees cimport Tree

cdef int check_weights(Features features, const signed char[:, ::1] weights, const unsigned int[:, ::1] attributes,
                       Py_ssize_t atoms, Py_ssize_t labels) except -1

@cython.locals(longest=Py_ssize_t, offsets="int[::1]", scores="int[::1]", state=State, sentence=Py_ssize_t,
               first=Py_ssize_t, last=Py_ssize_t, action=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t, at=Py_ssize_t)
cpdef find_heads(const int[::1] types, const int[::1] starts, const unsigned int[:, ::1] attributes,
                 const unsigned char[::1] tags, Features features, const signed char[:, ::1] weights)

@cython.locals(longest=Py_ssize_t, found="int[::1]", labels=Py_ssize_t, scores="short[::1]", tree=Tree,
               sentence=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, at=Py_ssize_t, number=Py_ssize_t,
               label=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t, best=Py_ssize_t)
cpdef find_relations(const int[::1] types, const int[::1] starts, const unsigned int[:, ::1] attributes,
                     const unsigned char[::1] tags, const int[::1] offsets, Features features,
                     const signed char[:, ::1] weights)
