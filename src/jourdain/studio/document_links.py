"""A document in a link: its text, deflated, behind the #, which no server is ever sent.

`jourdain studio LINK` opens it. A link has no token in it, and says no place: whoever has it has the text and nothing
else. What it holds is limited before and after it is inflated.
"""

from __future__ import annotations

import base64
import binascii
import zlib

from ..mechanism.errors import JourdainError

BEFORE = "jourdain:studio#"
MOST_LETTERS = 100_000
MOST_BYTES = 2_000_000  # inflated


class LinkError(JourdainError):
    """A link that holds no document."""


def link_of(text: str) -> str:
    """The link of a text. Raises LinkError for one that is too long."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(text.encode("utf-8")) + packer.flush()
    link = BEFORE + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    if len(link) > MOST_LETTERS:
        raise LinkError(f"the link would have {len(link)} letters (at most {MOST_LETTERS}); send the file instead")
    return link


def is_link(name: str) -> bool:
    """Whether a name is meant as a link."""
    return name.startswith(BEFORE)


def text_of(link: str) -> str:
    """The text in a link. Raises LinkError."""
    if not is_link(link):
        raise LinkError(f"a link begins with {BEFORE}")
    if len(link) > MOST_LETTERS:
        raise LinkError(f"the link has {len(link)} letters (at most {MOST_LETTERS})")
    written = link.removeprefix(BEFORE)
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        packed = base64.b64decode(written + "=" * (-len(written) % 4), altchars=b"-_", validate=True)
        content = unpacker.decompress(packed, MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise LinkError(f"the link holds more than {MOST_BYTES // 10**6} MB")
        if not unpacker.eof:
            raise LinkError("the link is not whole; copy it again")
        return content.decode("utf-8")
    except (binascii.Error, zlib.error, ValueError) as error:
        raise LinkError(f"the link cannot be read: {error}") from None
