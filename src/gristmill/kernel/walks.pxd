# The C types of `walks.py`.
cimport cython

@cython.locals(room="long long", aside_room="long long", number=Py_ssize_t, walked="long long", start="long long",
               state=int, limit="long long", before="long long", at="long long")
cpdef find_walks(const unsigned char[::1] codes, long long base, long long first, long long last,
                 const long long[::1] bounds, const int[::1] table, int accepting, unsigned int[::1] starts,
                 unsigned int[::1] ends, long long written, long long[::1] aside, long long put_aside)

@cython.locals(size=Py_ssize_t, at=Py_ssize_t, end=Py_ssize_t, number=Py_ssize_t)
cdef int check_walk(const unsigned char[::1] codes, long long base, long long first, long long last,
                    const long long[::1] bounds, const int[::1] table) except -1
