"""locations.py - where in the source an instruction comes from

nvcc -lineinfo writes .file and .loc.  A .loc in inlined code names the place
it was inlined at, whose own .loc came before, so the chain can be followed.
The same place may be inlined in many others: the last .loc of it counts.
"""

import os

from errors import Refused


class Locations:
    def __init__(self):
        self.files = {}  # number -> path
        self.chains = {}  # place -> it, then what it was inlined into
        self.places = [()]  # such chains; index 0: no location known

    def add_file(self, tokens):
        # Without the folder of the build, and whatever way a compiler came to
        # the file, so that another build has the same text.
        self.files[int(tokens[1].text)] = os.path.realpath(
            tokens[2].text.strip('"'))

    def add(self, tokens):
        """A .loc line; returns the index of the place."""
        place = self._place(tokens[1:4])
        chain = (place,)
        words = [t.text for t in tokens]
        if "inlined_at" in words:
            at = words.index("inlined_at") + 1
            parent = self._place(tokens[at:at + 3])
            above = self.chains.get(parent, (parent,))
            if place not in above:
                chain += above
        self.chains[place] = chain
        self.places.append(chain)
        return len(self.places) - 1

    @staticmethod
    def _place(tokens):
        """File, line and column."""
        if len(tokens) != 3 or not all(t.text.isdigit() for t in tokens):
            raise Refused(".loc not understood", tokens[0].line)
        return tuple(int(t.text) for t in tokens)

    def describe(self, index):
        """file:line of a place, then of what it was inlined into, one each."""
        return [f"{self.files.get(file, '?')}:{line}"
                for file, line, _ in self.places[index]]
