"""Methods and experiments of papers that are not the way of today's user, written as a plugin is.

    cleaning/        cleaning methods, and what some of them share: `subsequence` (best run of blocks), `outline` and
                     `repeats` (comparison of the pages of a site), `crf`, `isotonic`
    training/        trainers of those that learn
    dedup/           methods that compare whole documents
    experiments/     what papers report of a corpus, of gold pages, of features; repeated on any data

Nothing else imports it, but commands that repeat an experiment: its parts are found by their names.
"""
