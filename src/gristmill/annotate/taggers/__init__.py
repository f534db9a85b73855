"""The taggers, a file each; importing this package files them."""

from gristmill.annotate.taggers import forms, hanta, pymorphy, simplemma, spacy, treetagger, udpipe

__all__ = ["forms", "hanta", "pymorphy", "simplemma", "spacy", "treetagger", "udpipe"]
