"""The taggers, a file each; importing this package files them."""

from gristmill.annotation.taggers import forms, hanta, pymorphy, simplemma, spacy, treetagger, udpipe

__all__ = ["forms", "hanta", "pymorphy", "simplemma", "spacy", "treetagger", "udpipe"]
