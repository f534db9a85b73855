# The C types of `segments.py`.
cimport cython

ctypedef unsigned long long hash_t

@cython.locals(value=hash_t, mask=hash_t, letter=Py_UCS4)
cpdef hash_t word_hash(str word)

@cython.locals(mask=hash_t)
cdef inline hash_t mix(hash_t value) noexcept

@cython.final
cdef class Cutter:
    cdef const unsigned short[::1] folds
    cdef const unsigned char[::1] types, groups, classes
    cdef const signed char[:, ::1] templates
    cdef const short[:, ::1] weights, rows
    cdef const unsigned int[::1] words, grams
    cdef const int[::1] word_starts, gram_starts
    cdef const int[:, ::1] transitions
    cdef Py_ssize_t lists

    @cython.locals(at=Py_ssize_t)
    cpdef object read_lexicon(self, const unsigned int[::1] hashes, const int[::1] starts,
                              const unsigned char[::1] classes)

    cpdef object read_weights(self, const unsigned int[::1] hashes, const int[::1] starts,
                              const short[:, ::1] weights, const short[:, ::1] rows,
                              const int[:, ::1] transitions)

    @cython.locals(size=Py_ssize_t, codes="int[:, ::1]", marks="unsigned char[:, ::1]", row="int[::1]",
                   scores="int[:, ::1]", at=Py_ssize_t, template=Py_ssize_t, found=Py_ssize_t, tag=Py_ssize_t,
                   slot=Py_ssize_t, grams="const unsigned int[::1]", starts="const int[::1]",
                   weights="const short[:, ::1]", rows="const short[:, ::1]", begin=int, middle=int, end=int,
                   single=int, sized=Py_ssize_t, hashes="unsigned int[::1]")
    cpdef bytes cut(self, str text)

    @cython.locals(size=Py_ssize_t, codes="int[:, ::1]", marks="unsigned char[:, ::1]", hashes="unsigned int[:, ::1]",
                   at=Py_ssize_t, sized=Py_ssize_t)
    cpdef object describe(self, str text)

    @cython.locals(at=Py_ssize_t, code=Py_ssize_t, letter=Py_UCS4)
    cdef int read(self, str text, int[:, ::1] codes) except -1

    @cython.locals(mask=hash_t, template=Py_ssize_t, sequence=Py_ssize_t, length=Py_ssize_t, shift=Py_ssize_t,
                   first=Py_ssize_t, value=hash_t, place=Py_ssize_t, code=hash_t)
    cdef int hash_grams(self, int[:, ::1] codes, Py_ssize_t at, Py_ssize_t sized, unsigned int[::1] hashes) except -1

    @cython.locals(at=Py_ssize_t, value=hash_t, mask=hash_t, length=Py_ssize_t, found=Py_ssize_t, code=hash_t,
                   words="const unsigned int[::1]", starts="const int[::1]")
    cdef int look_up(self, int[:, ::1] codes, Py_ssize_t size, unsigned char[:, ::1] marks) except -1

    @cython.locals(group=Py_ssize_t, number=Py_ssize_t, value="unsigned char", slot=Py_ssize_t, place=Py_ssize_t)
    cdef int mark(self, unsigned char[:, ::1] marks, Py_ssize_t size, Py_ssize_t at, Py_ssize_t length,
                  int classes) except -1

    @cython.locals(number=Py_ssize_t, base=int, slot=Py_ssize_t, together=int, kind=int, longest=int, group=int,
                   value=int)
    cdef int describe_marks(self, unsigned char[:, ::1] marks, Py_ssize_t at, int[::1] row) except -1

    @cython.locals(made=bytearray, flags="unsigned char[::1]", ways="unsigned char[::1]", begin_middle="long long",
                   begin_end="long long", middle_middle="long long", middle_end="long long", end_begin="long long",
                   end_single="long long", single_begin="long long", single_single="long long",
                   begin="long long", middle="long long", end="long long", single="long long", at=Py_ssize_t, way=int,
                   before_begin="long long", before_middle="long long", before_end="long long",
                   before_single="long long", tag=int, begins=bint)
    cdef bytes follow(self, int[:, ::1] scores, Py_ssize_t size)

@cython.locals(at=Py_ssize_t)
cdef int check_hashes(const unsigned int[::1] hashes, const int[::1] starts) except -1

@cython.locals(at=Py_ssize_t, end=Py_ssize_t)
cdef inline Py_ssize_t find(const unsigned int[::1] hashes, const int[::1] starts, hash_t value) noexcept
