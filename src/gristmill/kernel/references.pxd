# The C types of references.py.
cimport cython

cdef dict _NAMES
cdef list _WINDOWS
cdef Py_ssize_t _MAX_NAME, _MAX_OLD_NAME

@cython.locals(begin=Py_ssize_t, stop=Py_ssize_t, last=Py_ssize_t)
cpdef tuple reference_at(bytes data, Py_ssize_t at, Py_ssize_t end, bint in_attribute=*)

@cython.locals(place=Py_ssize_t, begin=Py_ssize_t, is_hexadecimal=bint, base=int, number=int, digit=int)
cdef tuple _number_at(bytes data, Py_ssize_t at, Py_ssize_t end)

@cython.locals(is_control=bint)
cdef bytes _text_of_number(int number)

cdef bint _is_alphanumeric(unsigned char byte) noexcept

@cython.locals(letter=int)
cdef int _digit(unsigned char byte) noexcept

@cython.locals(at=Py_ssize_t, copied=Py_ssize_t, behind=Py_ssize_t)
cpdef bytes resolve(bytes data, bint in_attribute=*)
