"""Published results of other harnesses, turned into runs.

`formats` reads their files, `matching` finds the questions in the data set, and
`into_run` writes a ledger, so that every table and comparison works on them.
"""
