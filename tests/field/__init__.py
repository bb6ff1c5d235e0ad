"""Objects of real projects, as public reports show them, played and asked about.

The objects are others' data. They are read beside the checkout, if they are there.
"""
