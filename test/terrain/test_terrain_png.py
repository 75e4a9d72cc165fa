"""PNG files of every readable type, written here, come back; damaged and foreign ones are refused by name."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.terrain import HeightField, make_terrain
from legged_contact_sim.terrain.png import LUMINANCE, SIGNATURE, read_png

COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by number of channels


def chunk(kind, body=b""):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width, height, depth=8, colour=0, compression=0, filtering=0, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, compression, filtering, interlace))


def paeth(left, above, above_left):
    guess = left + above - above_left
    return min((left, above, above_left), key=lambda near: abs(guess - near))


def filter_line(kind, line, before, stride):
    """Apply a PNG filter the slow way, straight from the standard's table."""
    out = bytearray([kind])
    for i, value in enumerate(line):
        left, corner = (line[i - stride], before[i - stride]) if i >= stride else (0, 0)
        guess = (0, left, before[i], (left + before[i]) // 2, paeth(left, before[i], corner))[kind]
        out.append((value - guess) % 256)
    return bytes(out)


def png(samples, filters=(0,), parts=1):
    """Return a PNG file of samples (height, width, channels), uint8 or uint16, cycling through line filters."""
    height, width, channels = samples.shape
    depth = 8 * samples.dtype.itemsize
    lines = [row.astype(samples.dtype.newbyteorder(">")).tobytes() for row in samples]
    before = bytes(len(lines[0]))
    raw = b""
    for i, line in enumerate(lines):
        raw += filter_line(filters[i % len(filters)], line, before, channels * depth // 8)
        before = line
    packed = zlib.compress(raw)
    size = -(-len(packed) // parts)
    data = b"".join(chunk(b"IDAT", packed[i : i + size]) for i in range(0, len(packed), size))
    return SIGNATURE + header(width, height, depth, COLOUR_TYPES[channels]) + data + chunk(b"IEND")


def image(channels, dtype, height=7, width=5):
    high = np.iinfo(dtype).max
    return np.random.default_rng(channels).integers(0, high, (height, width, channels), dtype, endpoint=True)


def luminance(samples):
    whole = samples / np.iinfo(samples.dtype).max
    return whole[..., :3] @ LUMINANCE if samples.shape[2] >= 3 else whole[..., 0]


def read(folder, content):
    path = folder / "image.png"
    path.write_bytes(content)
    return read_png(path)


@pytest.mark.parametrize("filters", [(0,), (1,), (2,), (3,), (4,), (4, 3, 2, 1, 0)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_round_trip(tmp_path, channels, dtype, filters):
    samples = image(channels, dtype)
    assert read(tmp_path, png(samples, filters)) == pytest.approx(luminance(samples), abs=1e-15)


def test_image_data_in_parts_and_unknown_ancillary_chunks(tmp_path):
    samples = image(1, np.uint8)
    content = png(samples, (4,), parts=5)
    cut = content.index(b"IDAT") - 4
    content = content[:cut] + chunk(b"tEXt", b"by hand") + content[cut:]
    assert read(tmp_path, content) == pytest.approx(luminance(samples))


def test_white_of_rgb_is_one(tmp_path):
    assert read(tmp_path, png(np.full((2, 2, 3), 255, np.uint8))) == pytest.approx(1.0)


def test_against_pillow(tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    samples = image(1, np.uint8, 30, 20)
    pillow.fromarray(samples[..., 0]).save(tmp_path / "image.png")
    assert read_png(tmp_path / "image.png") == pytest.approx(luminance(samples))


def test_height_field_from_png(tmp_path):
    """Black is low, white is high; the picture seen from above with x to the right and y up."""
    path = tmp_path / "hill.png"
    path.write_bytes(png(np.array([[[0], [255]], [[51], [102]]], np.uint8)))
    ground = HeightField.from_png(path, cell_size=0.5, height_range=(-1.0, 1.0), origin=(0.0, 0.0))
    assert ground.array == pytest.approx(np.array([[-0.6, -0.2], [-1.0, 1.0]]))
    assert ground.height(0.5, 0.5) == pytest.approx(1.0)
    spec = {"kind": "height_field", "path": str(path), "cell_size": 0.5, "height_range": [-1.0, 1.0]}
    assert make_terrain(spec).height(0.25, 0.25) == pytest.approx(1.0)


GOOD = png(image(1, np.uint8))
PIXELS = chunk(b"IDAT", zlib.compress(bytes(6)))
END = chunk(b"IEND")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a PNG"),
        (b"P5 2 2 255 abcd", "not a PNG"),
        (SIGNATURE, "truncated"),
        (GOOD[:40], "truncated"),
        (GOOD[:-12], "no IEND"),
        (GOOD[:20] + b"\x01" + GOOD[21:], "CRC of chunk b'IHDR'"),
        (GOOD[:-14] + b"\x99" + GOOD[-13:], "CRC of chunk b'IDAT'"),
        (SIGNATURE + PIXELS + header(2, 2) + END, "begins with chunk b'IDAT'"),
        (SIGNATURE + chunk(b"IHDR", b"abc") + END, "of 3 bytes"),
        (SIGNATURE + header(0, 2) + PIXELS + END, "0 x 2 pixels"),
        (SIGNATURE + header(2**31, 2**31) + PIXELS + END, "2147483648 x 2147483648 pixels"),
        (SIGNATURE + header(4097, 4096) + PIXELS + END, "4097 x 4096 pixels"),
        (SIGNATURE + header(2, 2, colour=3) + PIXELS + END, "palette"),
        (SIGNATURE + header(2, 2, colour=5) + PIXELS + END, "colour type 5"),
        (SIGNATURE + header(2, 2, depth=1) + PIXELS + END, "1 bits a channel"),
        (SIGNATURE + header(2, 2, compression=1) + PIXELS + END, "compression method 1"),
        (SIGNATURE + header(2, 2, filtering=1) + PIXELS + END, "filter method 1"),
        (SIGNATURE + header(2, 2, interlace=1) + PIXELS + END, "interlaced"),
        (SIGNATURE + header(2, 2) + chunk(b"ABCD") + PIXELS + END, "chunk b'ABCD'"),
        (SIGNATURE + header(2, 2) + END, "truncated: 0 bytes"),
        (SIGNATURE + header(2, 3) + PIXELS + END, "truncated: 6 bytes of image data; expected 9"),
        (SIGNATURE + header(2, 2) + chunk(b"IDAT", b"no stream") + END, "do not decompress"),
        (SIGNATURE + header(2, 2) + chunk(b"IDAT", zlib.compress(b"\x07" * 6)) + END, "line filter 7"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path, content, complaint):
    with pytest.raises(ParameterError, match=complaint) as refusal:
        read(tmp_path, content)
    assert str(tmp_path / "image.png") in str(refusal.value)


def test_a_stream_that_inflates_without_end_stops_at_the_image(tmp_path):
    bomb = chunk(b"IDAT", zlib.compress(bytes(50_000_000)))
    assert read(tmp_path, SIGNATURE + header(2, 2) + bomb + END) == pytest.approx(np.zeros((2, 2)))


@pytest.mark.parametrize("name", ["missing.png", "", "nul\0.png"])
def test_unreadable_paths(tmp_path, name):
    with pytest.raises(ParameterError, match="file|read"):
        HeightField.from_png(f"{tmp_path}/{name}", 0.1, (0.0, 1.0))


@given(st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_damage_never_escapes_as_another_error(tmp_path, data):
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))]
    try:
        read(tmp_path, bytes(content))
    except ParameterError as error:
        assert "image.png" in str(error)
