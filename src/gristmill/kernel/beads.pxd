# The C types of `beads.py`.
cimport cython

cdef class Texts:
    cdef readonly Py_ssize_t sources
    cdef readonly Py_ssize_t targets
    cdef const int[::1] source_words
    cdef const long long[::1] source_starts
    cdef const int[::1] target_words
    cdef const long long[::1] target_starts
    cdef const long long[::1] hit_starts
    cdef const int[::1] hit_words
    cdef const int[::1] hit_weights
    cdef const int[::1] source_misses
    cdef const int[::1] target_misses
    cdef const long long[::1] source_sizes
    cdef const long long[::1] target_sizes
    cdef const int[::1] size_costs
    cdef const long long[::1] source_lengths
    cdef const long long[::1] target_lengths
    cdef const int[::1] length_costs
    cdef const long long[::1] source_borders
    cdef const long long[::1] target_borders
    cdef const unsigned char[::1] source_kinds
    cdef const unsigned char[::1] target_kinds
    cdef long long[::1] posting_starts
    cdef int[::1] postings
    cdef long long[::1] source_bases
    cdef long long[::1] target_bases

cdef class Hits:
    cdef Texts texts
    cdef long long[::1] pointers
    cdef int[:, ::1] starts
    cdef long long[::1] firsts
    cdef long long[::1] widths
    cdef int[:, ::1] source_hits
    cdef int[:, ::1] target_hits
    cdef int[:, ::1] weights
    cdef int[:, ::1] found
    cdef int[::1] best_source
    cdef int[::1] best_target
    cdef int[::1] touched

    @cython.locals(texts=Texts, slot=Py_ssize_t, column=Py_ssize_t, count=Py_ssize_t, place=Py_ssize_t, word=int,
                   hit=Py_ssize_t, other=int, posting=Py_ssize_t, last=Py_ssize_t, number=Py_ssize_t, at=Py_ssize_t)
    cdef Py_ssize_t find(self, Py_ssize_t sentence, Py_ssize_t first, Py_ssize_t end) except? -1

    @cython.locals(slot=Py_ssize_t, column=Py_ssize_t, count=Py_ssize_t)
    cdef inline Py_ssize_t has(self, Py_ssize_t sentence, Py_ssize_t target) except? -1

    @cython.locals(count=Py_ssize_t, row=Py_ssize_t, slot=Py_ssize_t, column=Py_ssize_t, hit=Py_ssize_t, word=int,
                   total="long long", number=Py_ssize_t, gain="long long")
    cdef long long gain_of_target(self, Py_ssize_t sentence, Py_ssize_t run, Py_ssize_t target, long long cost) except? -1

    @cython.locals(count=Py_ssize_t, slot=Py_ssize_t, column=Py_ssize_t, hit=Py_ssize_t, word=int,
                   total="long long", number=Py_ssize_t, gain="long long")
    cdef long long gain_of_source(self, Py_ssize_t sentence, Py_ssize_t run, Py_ssize_t target, long long cost) except? -1

@cython.locals(sources=Py_ssize_t, targets=Py_ssize_t)
cdef int check_texts(Texts texts) except -1

@cython.locals(last=Py_ssize_t, row=Py_ssize_t)
cdef int check_rows(const long long[::1] starts, Py_ssize_t size) except -1

@cython.locals(place=Py_ssize_t)
cdef int check_words(const int[::1] words, Py_ssize_t size) except -1

@cython.locals(starts="long long[::1]", postings="int[::1]", target_words="const int[::1]",
               target_starts="const long long[::1]", place=Py_ssize_t, word=Py_ssize_t, sentence=Py_ssize_t)
cdef int find_postings(Texts texts, Py_ssize_t words) except -1

@cython.locals(sentence=Py_ssize_t, place=Py_ssize_t)
cdef int add_misses(Texts texts) except -1

@cython.locals(apart="long long", last="long long", share="long long", cost="long long")
cdef long long length_cost(Texts texts, long long source, long long target) except? -1

@cython.locals(cost="long long")
cdef long long size_cost(Texts texts, long long size) except? -1

@cython.locals(rows=Py_ssize_t, width=Py_ssize_t, row=Py_ssize_t, kind=Py_ssize_t)
cdef Py_ssize_t check_band(Texts texts, const int[::1] lows, const int[::1] highs, const int[:, ::1] kinds,
                           const int[::1] costs) except -1

@cython.locals(width=Py_ssize_t, search=Search, row=Py_ssize_t)
cpdef find_beads(
    Texts texts, const int[::1] lows, const int[::1] highs, const int[:, ::1] kinds, const int[::1] costs,
    long long gap, long long next_gap, bint gap_lengths, long long words_weight, long long inner_border,
    long long one_border, long long both_borders, long long other_kind
)

cdef class Search:
    cdef Texts texts
    cdef Hits hits
    cdef const int[::1] lows
    cdef const int[::1] highs
    cdef const int[:, ::1] kinds
    cdef const int[::1] costs
    cdef Py_ssize_t room
    cdef long long never
    cdef long long[:, ::1] scores
    cdef long long[:, ::1] gaps
    cdef long long[:, ::1] target_gains
    cdef long long[:, :, ::1] source_gains
    cdef long long[::1] firsts
    cdef long long[::1] cell_starts
    cdef unsigned char[::1] steps
    cdef long long gap
    cdef long long next_gap
    cdef bint gap_lengths
    cdef long long words_weight
    cdef long long inner_border
    cdef long long one_border
    cdef long long both_borders
    cdef long long other_kind

    @cython.locals(low=Py_ssize_t, high=Py_ssize_t, slot=Py_ssize_t, before=Py_ssize_t, behind=Py_ssize_t,
                   column=Py_ssize_t, kind=Py_ssize_t)
    cdef int fill_beads(self, Py_ssize_t i) except -1

    @cython.locals(texts=Texts, scores="long long[:, ::1]", gaps="long long[:, ::1]", steps="unsigned char[::1]",
                   target_gains="long long[:, ::1]", source_gains="long long[:, :, ::1]",
                   target_lengths="const long long[::1]", a=Py_ssize_t, b=Py_ssize_t, low=Py_ssize_t, slot=Py_ssize_t,
                   from_slot=Py_ssize_t, first=Py_ssize_t, cells="long long", length="long long", cost="long long",
                   j=Py_ssize_t, score="long long", state=int, gain="long long", r=Py_ssize_t)
    cdef int fill_kind(self, Py_ssize_t i, Py_ssize_t kind, Py_ssize_t before) except -1

    @cython.locals(texts=Texts, scores="long long[:, ::1]", gaps="long long[:, ::1]", steps="unsigned char[::1]",
                   low=Py_ssize_t, slot=Py_ssize_t, above=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t,
                   cost="long long", other_cost="long long", cells="long long", j=Py_ssize_t, best="long long", step=int)
    cdef int fill_gaps(self, Py_ssize_t i) except -1

    @cython.locals(texts=Texts, inner="long long", cost="long long", source_begins="long long",
                   target_begins="long long")
    cdef long long border_cost(self, Py_ssize_t i, Py_ssize_t j, Py_ssize_t a, Py_ssize_t b) except? -1

    @cython.locals(i=Py_ssize_t, j=Py_ssize_t, source_counts="long long[::1]", target_counts="long long[::1]",
                   count=Py_ssize_t, in_gap=bint, step=int, a=Py_ssize_t, b=Py_ssize_t)
    cdef object trace(self)

@cython.locals(slot=Py_ssize_t, one="long long", two="long long", three="long long", run=Py_ssize_t, near=Py_ssize_t,
               nearer=Py_ssize_t, target=Py_ssize_t, column=Py_ssize_t, here=Py_ssize_t, above=Py_ssize_t,
               higher=Py_ssize_t, cost="long long", base="long long", target_base="long long")
cdef int find_gains(Texts texts, Hits hits, Py_ssize_t sentence, Py_ssize_t before, Py_ssize_t behind,
                    long long[:, ::1] target_gains, long long[:, :, ::1] source_gains) except -1

@cython.locals(beads=Py_ssize_t, measured="long long[:, ::1]", seen="int[::1]", best="int[::1]", bead=Py_ssize_t,
               first=Py_ssize_t, end=Py_ssize_t, target_first=Py_ssize_t, target_end=Py_ssize_t, place=Py_ssize_t,
               cost="long long")
cpdef measure_beads(Texts texts, const long long[::1] source_bounds, const long long[::1] target_bounds)

@cython.locals(place=Py_ssize_t, word=int, weight=int, hit=Py_ssize_t, other=int)
cdef int measure_source(Texts texts, Py_ssize_t first, Py_ssize_t end, Py_ssize_t bead, long long cost,
                        int[::1] seen, int[::1] best, long long[:, ::1] measured) except -1

@cython.locals(place=Py_ssize_t, word=int)
cdef int measure_target(Texts texts, Py_ssize_t first, Py_ssize_t end, Py_ssize_t bead, long long cost,
                        int[::1] best, long long[:, ::1] measured) except -1

cdef int add_word(long long[:, ::1] measured, Py_ssize_t bead, long long weight, long long miss,
                  long long cost) except -1
