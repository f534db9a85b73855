"""Trainers of cleaning methods of the literature, found by name in `gristmill.evaluation.training.TRAINERS`."""
