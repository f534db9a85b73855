# The C types of `page_tags.py`.
cimport cython

cdef Py_ssize_t _SIZE, _META, _BODY, _TITLE, _SCRIPT

@cython.locals(counts="int[::1]", metas=list, tag=Py_ssize_t, code=int, body=Py_ssize_t)
cpdef survey_tags(const int[::1] codes, const int[::1] closing, const int[::1] starts, const int[::1] ends)

@cython.locals(found=list, tag=Py_ssize_t, code=int)
cpdef find_telling(const int[:, ::1] tags, const unsigned char[::1] wanted)

@cython.locals(found=list, tag=Py_ssize_t, code=int)
cpdef find_raw_texts(const int[:, ::1] tags)
