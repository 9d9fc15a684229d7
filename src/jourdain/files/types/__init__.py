"""Types: components of one's own, defined once and used by name.

A type is a text with gaps: its parts are those that a file may hold anyway, its gaps are ports, parameters and signals.
Where it is used, the gaps are filled and its parts become parts of the mechanism like any others, so that nothing after
the reader knows of types: they cost what the same costs written out.

    type_definition.py     what a type says of itself, read and checked
    registry.py            the types that a file may use: its own, and those of its libraries
    using.py               a use becomes parts
    filling.py             ports, parameters and signals of one use
    assembly_placement.py  where the bodies of an assembly stand
    strokes.py             symbols, drawn on bodies
    kept_uses.py           how uses were written, for saving
    described.py           a type in words, library_page.py: as a page
    python_type.py         `jd.Type`
"""
