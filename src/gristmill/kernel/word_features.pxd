# The C types of `word_features.py`.
cimport cython
from gristmill.kernel.tag_paths cimport add_rows

cdef unsigned int MASK, OFFSET, GOLDEN, FIRST_FACTOR, SECOND_FACTOR, CAPITAL

cdef class Lexicon:
    cdef readonly const unsigned int[::1] buckets
    cdef readonly const unsigned int[::1] checks
    cdef readonly const int[::1] scripts
    cdef readonly const int[::1] paradigms
    cdef readonly const int[::1] cuts
    cdef readonly const unsigned int[::1] additions
    cdef readonly const int[::1] addition_starts
    cdef readonly const unsigned int[::1] script_keys
    cdef readonly const unsigned int[::1] bits
    cdef readonly const unsigned int[::1] common
    cdef readonly int shift

    @cython.locals(bucket=Py_ssize_t, at=Py_ssize_t)
    cpdef Py_ssize_t find(self, unsigned int first, unsigned int second) except? -2

cdef class Describer:
    cdef readonly Lexicon lexicon
    cdef unsigned int[::1] keys
    cdef unsigned char[::1] uses
    cdef int count
    cdef Py_ssize_t entry
    cdef Py_ssize_t capital_entry
    cdef Py_ssize_t tail_entry
    cdef Py_ssize_t tail

    cdef void add(self, unsigned int kind, unsigned int value, unsigned char use) except *

    @cython.locals(size=Py_ssize_t, first="unsigned int", second="unsigned int", two="unsigned int",
                   number=Py_ssize_t, code="unsigned int", value="unsigned int")
    cdef void describe(self, const unsigned int[::1] codes, Py_ssize_t start, Py_ssize_t end, unsigned int form,
                      unsigned int shape, unsigned int characters, unsigned int capital) except *

    @cython.locals(lexicon=Lexicon, known=int, best=Py_ssize_t)
    cdef void look_up(self, const unsigned int[::1] codes, Py_ssize_t start, Py_ssize_t end, unsigned int first,
                     unsigned int second, unsigned int capital) except *

    @cython.locals(lexicon=Lexicon, first="unsigned int", second="unsigned int", number=Py_ssize_t,
                   code="unsigned int", found=Py_ssize_t)
    cdef void find_tail(self, const unsigned int[::1] codes, Py_ssize_t start, Py_ssize_t end) except *

    @cython.locals(lexicon=Lexicon, script=Py_ssize_t, kept=Py_ssize_t, lemma="unsigned int", ending="unsigned int",
                   at=Py_ssize_t, number=Py_ssize_t, paradigm=Py_ssize_t, added=int)
    cdef void add_entry(self, Py_ssize_t entry, const unsigned int[::1] codes, Py_ssize_t start, Py_ssize_t end,
                       unsigned int kind, unsigned char use) except *

cdef unsigned char use_of_ending(Py_ssize_t number, Py_ssize_t size) noexcept

cdef unsigned int mixed(unsigned int kind, unsigned int value) noexcept

cdef unsigned int capitalised(unsigned int first) noexcept

@cython.locals(words=Py_ssize_t, word=Py_ssize_t, firsts="unsigned int[::1]", seconds="unsigned int[::1]",
               first="unsigned int", second="unsigned int", at=Py_ssize_t)
cpdef hash_words(const unsigned int[::1] codes, const int[::1] starts)

@cython.locals(words=Py_ssize_t, word=Py_ssize_t, common="int[::1]", most=Py_ssize_t, number=Py_ssize_t)
cpdef common_beginnings(const unsigned int[::1] codes, const int[::1] starts, const unsigned int[::1] others,
                        const int[::1] other_starts)

@cython.locals(words=Py_ssize_t, word=Py_ssize_t, describer=Describer, feature_starts="int[::1]",
               keys="unsigned int[::1]", uses="unsigned char[::1]", written=Py_ssize_t, number=Py_ssize_t)
cpdef describe_words(const unsigned int[::1] codes, const int[::1] starts, const unsigned int[::1] forms,
                     const unsigned int[::1] shapes, const unsigned char[::1] characters,
                     const unsigned char[::1] capitals, Lexicon lexicon)

@cython.locals(words=Py_ssize_t, describer=Describer, sums="short[:, :, ::1]", value_sums="short[:, :, ::1]",
               entries="int[:, ::1]", word=Py_ssize_t)
cpdef score_words(const unsigned int[::1] codes, const int[::1] starts, const unsigned int[::1] forms,
                  const unsigned int[::1] shapes, const unsigned char[::1] characters,
                  const unsigned char[::1] capitals, Lexicon lexicon, WeightTable tags, WeightTable values)

cdef class WeightTable:
    cdef const unsigned int[::1] keys
    cdef int[::1] places
    cdef const signed char[:, ::1] weights
    cdef Py_ssize_t mask
    cdef int roles
    cdef int[:, ::1] rows
    cdef int[::1] counts

    @cython.locals(place=Py_ssize_t, row=Py_ssize_t)
    cdef Py_ssize_t find(self, unsigned int key) except? -2

    @cython.locals(role=int, number=Py_ssize_t, use="unsigned char", row=Py_ssize_t)
    cdef void add_up(self, Describer describer, short[:, :, ::1] sums, Py_ssize_t word) except *

cdef unsigned char used_in(int role) noexcept

cdef unsigned int role_key(unsigned int key, int role) noexcept
