"""Read a grey image from a PNG file with numpy and zlib alone (W3C Portable Network Graphics, third edition)."""

import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..jit import compiled, inlined

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LARGEST_IMAGE = 2**24  # pixels; 128 MiB of heights
LARGEST_FILE = 2**28  # bytes
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by colour type: grey, RGB, grey with alpha, RGB with alpha
PALETTE = 3
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of red, green, blue: ITU-R BT.709


class Header(NamedTuple):
    """The fields of the IHDR chunk that matter for a readable image."""

    width: int
    height: int
    bit_depth: int
    channels: int

    @property
    def pixel_bytes(self) -> int:
        """Bytes of one pixel."""
        return self.channels * self.bit_depth // 8


def read_png(path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Return an image's luminance, 0 (black) to 1 (white), shape (height, width), first row on top; alpha is ignored.

    Args:
        path: A PNG file, 8 or 16 bits a channel, grey or RGB, with or without alpha, not interlaced.

    Raises:
        ParameterError: If the file cannot be read, is damaged, or holds another type of image.
    """
    content = _read(Path(path))
    try:
        header, compressed = _parse(content)
        samples = _samples(header, compressed)
    except ParameterError as error:
        raise ParameterError(f"{os.fspath(path)}: {error}") from None
    whole = samples / float(2**header.bit_depth - 1)
    return whole[..., :3] @ LUMINANCE if header.channels >= 3 else np.ascontiguousarray(whole[..., 0])


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise ParameterError(f"{path}: not a file; expected a PNG image")
        if path.stat().st_size > LARGEST_FILE:
            raise ParameterError(f"{path}: {path.stat().st_size} bytes; at most {LARGEST_FILE} are read")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"{path}: cannot be read: {error}") from error


def _parse(content: bytes) -> tuple[Header, bytes]:
    """Return the header and the joined image data of a file's chunks."""
    if not content.startswith(SIGNATURE):
        raise ParameterError("not a PNG image: its first eight bytes are not the PNG signature")
    chunks = _chunks(content)
    kind, body = next(chunks)
    if kind != b"IHDR" or len(body) != 13:
        raise ParameterError(f"begins with chunk {kind!r} of {len(body)} bytes; expected b'IHDR' of 13")
    header = _header(body)
    compressed = []
    for kind, body in chunks:
        if kind == b"IDAT":
            compressed.append(body)
        elif kind not in (b"IEND", b"PLTE") and kind[:1].isupper():
            raise ParameterError(f"chunk {kind!r} is needed to show the image but is not known here")
    return header, b"".join(compressed)


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the body of each chunk, up to IEND."""
    kind, start = b"", len(SIGNATURE)
    while kind != b"IEND":
        if start + 12 > len(content):
            raise ParameterError(f"truncated after {len(content)} bytes: no IEND chunk")
        length, kind = struct.unpack_from(">I4s", content, start)
        end = start + 8 + length
        if end + 4 > len(content):
            raise ParameterError(f"truncated after {len(content)} bytes: chunk {kind!r} needs {end + 4}")
        (checksum,) = struct.unpack_from(">I", content, end)
        if checksum != zlib.crc32(content[start + 4 : end]):
            raise ParameterError(f"damaged: the CRC of chunk {kind!r} at byte {start} does not match")
        yield kind, content[start + 8 : end]
        start = end + 4


def _header(body: bytes) -> Header:
    width, height, bit_depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", body)
    if width == 0 or height == 0 or width * height > LARGEST_IMAGE:
        raise ParameterError(f"{width} x {height} pixels; expected 1 to {LARGEST_IMAGE} in all")
    if colour == PALETTE:
        raise ParameterError("a palette image; save it as greyscale or RGB")
    if colour not in CHANNELS:
        raise ParameterError(f"colour type {colour}; expected one of {sorted(CHANNELS)}")
    if bit_depth not in (8, 16):
        raise ParameterError(f"{bit_depth} bits a channel; expected 8 or 16")
    if compression != 0 or filtering != 0:
        raise ParameterError(f"compression method {compression}, filter method {filtering}; PNG defines only 0")
    if interlace != 0:
        raise ParameterError("an interlaced image; save it without interlacing")
    return Header(width, height, bit_depth, CHANNELS[colour])


def _samples(header: Header, compressed: bytes) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return the unsigned samples of an image, shape (height, width, channels)."""
    line = 1 + header.width * header.pixel_bytes
    try:
        raw = zlib.decompressobj().decompress(compressed, line * header.height)
    except zlib.error as error:
        raise ParameterError(f"damaged: its image data do not decompress ({error})") from None
    if len(raw) < line * header.height:
        raise ParameterError(f"truncated: {len(raw)} bytes of image data; expected {line * header.height}")
    filtered = np.frombuffer(bytearray(raw), np.uint8).reshape(header.height, line)
    if filtered[:, 0].max() > 4:
        raise ParameterError(f"damaged: line filter {filtered[:, 0].max()}; expected 0 to 4")
    # PNG takes bytes left of the image and above it as zero.
    bordered = np.zeros((header.height + 1, line - 1 + header.pixel_bytes), np.uint8)
    unfilter(filtered, header.pixel_bytes, bordered)
    samples = np.ascontiguousarray(bordered[1:, header.pixel_bytes :])
    return samples.view(f">u{header.bit_depth // 8}").reshape(header.height, header.width, header.channels)


@compiled
def unfilter(filtered, pixel_bytes, bordered):
    """Undo the line filters: (rows, 1 + n) bytes, each row led by its filter's number.

    The result goes to ``bordered``, (rows + 1, pixel_bytes + n), below a row and right of a pixel of zeros.
    """
    rows, width = filtered.shape[0], filtered.shape[1] - 1
    for row in range(rows):
        for column in range(width):
            left = np.int64(bordered[row + 1, column])
            above = np.int64(bordered[row, column + pixel_bytes])
            above_left = np.int64(bordered[row, column])
            guess = prediction(filtered[row, 0], left, above, above_left)
            bordered[row + 1, column + pixel_bytes] = (np.int64(filtered[row, column + 1]) + guess) & 255


@inlined
def prediction(line_filter, left, above, above_left):
    """Return what a filter expects of a byte: 0 none, 1 left, 2 above, 3 average, 4 Paeth."""
    if line_filter == 0:
        return 0
    if line_filter == 1:
        return left
    if line_filter == 2:
        return above
    if line_filter == 3:
        return (left + above) // 2
    to_left, to_above = abs(above - above_left), abs(left - above_left)
    to_above_left = abs(left + above - 2 * above_left)
    if to_left <= to_above and to_left <= to_above_left:
        return left
    return above if to_above <= to_above_left else above_left
