# The C types of `page_tags.py`.
cimport cython

cdef Py_ssize_t _SIZE, _META, _SCRIPT, _BODY
cdef bytes _JSON

@cython.locals(counts="int[::1]", metas=list, scripts=list, tag=Py_ssize_t, code=int, body=Py_ssize_t)
cpdef survey_tags(
    bytes data, const int[::1] codes, const int[::1] closing, const int[::1] starts, const int[::1] ends
)

@cython.locals(at=Py_ssize_t)
cdef bint has_json(bytes data, Py_ssize_t start, Py_ssize_t end) except? -1
