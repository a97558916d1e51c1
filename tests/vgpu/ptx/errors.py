"""errors.py - what the translator refuses, with the line of the PTX text"""


class Refused(Exception):
    """The PTX holds something that the translator does not know exactly."""

    def __init__(self, what, line=None):
        super().__init__(what)
        self.what = what
        self.line = line

    def __str__(self):
        where = "" if self.line is None else f"line {self.line}: "
        return where + self.what
