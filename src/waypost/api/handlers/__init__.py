"""Route handlers of what is more than an operation: pages, forms, sessions, the words of other specifications.

Everything else is a function in `waypost.operations`, whose route `waypost.api.operations` makes.
"""
