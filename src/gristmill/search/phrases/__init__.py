"""Search phrases of a tree: how sentences that match it are usually written, for a search engine.

The way is that of RoDEO (Reasoning over Dependencies Extracted Online), section 3.3, *From DTC to Sentences*.
"""
