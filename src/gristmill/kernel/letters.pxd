# The C types of letters.py.
cimport cython

@cython.locals(
    texts=Py_ssize_t, text=Py_ssize_t, bits=int, mask=int, total="unsigned int", first=Py_ssize_t,
    end=Py_ssize_t, lane=Py_ssize_t, triple=int, place=Py_ssize_t, taken=int, sums="int[::1]",
)
cpdef object add_scores(
    const unsigned char[::1] data, const int[::1] starts, const int[::1] ends, const unsigned char[::1] numbers,
    const int[::1] scores, Py_ssize_t step
)

@cython.locals(
    texts=Py_ssize_t, text=Py_ssize_t, count=int, was=int, now=int, place=Py_ssize_t, counts="int[::1]",
)
cpdef object count_letters(
    const unsigned char[::1] data, const int[::1] starts, const int[::1] ends, const unsigned char[::1] is_letter
)
