"""Classes of named entities: what a corpus says a name is.

The way is that of RoDEO (Reasoning over Dependencies Extracted Online): patterns find nouns that are said of a name,
the nouns are clustered, and the cluster with the highest frequency has the classes.
"""
