"""An MCAP file that can be read at any moment, whatever becomes of the process that writes it.

Every flush writes, in one call and over the old tail, a chunk of messages and a new tail: the index of all chunks so
far and the footer, without which readers refuse the file. Only a process that is killed in the middle of that call
leaves an unfinished chunk behind; `mend` cuts it off.
"""

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import zstandard
from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.exceptions import EndOfFile
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Message,
    MessageIndex,
    Schema,
    Statistics,
    SummaryOffset,
)
from mcap.stream_reader import breakup_chunk

MAGIC = b"\x89MCAP0\r\n"
RECORD = struct.Struct("<BQ")  # opcode and length
MESSAGE = struct.Struct("<BQHIQQ")  # the same, channel, sequence, log time, publish time
LEVEL = 1  # of compression


@dataclass
class _Chunk:
    """Messages that are not in the file as yet."""

    data: bytearray = field(default_factory=bytearray)
    index: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # log time and offset, by channel
    start: int = 0
    end: int = 0


class McapFile:
    """Writes messages of ROS 2 in chunks; the file on disk is whole after every flush.

    Attributes:
        channels: by id.
        counts: messages in the file, by channel.
        start: log time of the earliest message, ns; 0 without any.
        end: log time of the latest, ns.
    """

    def __init__(self, path: Path) -> None:
        """Begin a new file."""
        self.channels: dict[int, Channel] = {}
        self.counts: dict[int, int] = {}
        self.start = self.end = 0
        self._schemas: dict[int, Schema] = {}
        self._indices: list[ChunkIndex] = []
        self._chunk = _Chunk()
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115
        header = MAGIC + _encoded(Header(profile="ros2", library="legged_contact_sim"))
        self._length = len(header)  # of the file without its tail
        self._file.write(header + self._tail())

    def add_channel(self, topic: str, kind: str, definition: str, metadata: dict[str, str]) -> int:
        """Announce a topic with messages of a kind, such as sensor_msgs/msg/JointState; return its channel."""
        schema = next((s for s in self._schemas.values() if s.name == kind), None)
        if schema is None:
            schema = Schema(id=len(self._schemas) + 1, data=definition.encode(), encoding="ros2msg", name=kind)
            self._schemas[schema.id] = schema
            self._chunk.data += _encoded(schema)
        channel = Channel(len(self.channels) + 1, topic, "cdr", metadata, schema.id)
        self.channels[channel.id] = channel
        self.counts[channel.id] = 0
        self._chunk.data += _encoded(channel)
        return channel.id

    def kind(self, channel: Channel) -> str:
        """Return the type of a channel's messages."""
        return self._schemas[channel.schema_id].name

    def write(self, channel: int, log_time: int, publish_time: int, data: bytes, number: int | None = None) -> None:
        """Add a serialized message; times are in ns since the epoch, the number is its publisher's, or counts here."""
        chunk = self._chunk
        entries = chunk.index.setdefault(channel, [])
        if not chunk.start:
            chunk.start = chunk.end = log_time
        chunk.start, chunk.end = min(chunk.start, log_time), max(chunk.end, log_time)
        entries.append((log_time, len(chunk.data)))
        sequence = (self.counts[channel] + len(entries) if number is None else number) & 0xFFFFFFFF
        length = MESSAGE.size - RECORD.size + len(data)
        chunk.data += MESSAGE.pack(Opcode.MESSAGE, length, channel, sequence, log_time, publish_time)
        chunk.data += data

    def flush(self) -> None:
        """Bring all messages so far to the file and make it whole."""
        chunk, self._chunk = self._chunk, _Chunk()
        if not chunk.data:
            return
        plain = bytes(chunk.data)
        packed = zstandard.ZstdCompressor(level=LEVEL).compress(plain)
        written = _encoded(Chunk("zstd", packed, chunk.end, chunk.start, zlib.crc32(plain), len(plain)))
        self._append(written, chunk.index, chunk.start, chunk.end, len(packed), len(plain))

    def close(self) -> None:
        """Flush and close."""
        if not self._file.closed:
            self.flush()
            self._file.close()

    def _append(
        self, chunk: bytes, index: dict[int, list[tuple[int, int]]], start: int, end: int, packed: int, plain: int
    ) -> None:
        block, places = bytearray(chunk), {}
        for channel, entries in index.items():
            places[channel] = self._length + len(block)
            block += _encoded(MessageIndex(channel, entries))
            self.counts[channel] += len(entries)
        self._indices.append(
            ChunkIndex(
                chunk_length=len(chunk),
                chunk_start_offset=self._length,
                compression="zstd",
                compressed_size=packed,
                message_end_time=end,
                message_index_length=len(block) - len(chunk),
                message_index_offsets=places,
                message_start_time=start,
                uncompressed_size=plain,
            )
        )
        if index:
            self.start, self.end = min(self.start or start, start), max(self.end, end)
        before, self._length = self._length, self._length + len(block)
        self._file.seek(before)
        self._file.write(bytes(block) + self._tail())

    def _tail(self) -> bytes:
        """Return everything that follows the data: the index, and a footer that says where it begins."""
        begin = self._length + len(_encoded(DataEnd(0)))
        groups: list[tuple[Opcode, list[McapRecord]]] = [
            (Opcode.SCHEMA, list(self._schemas.values())),
            (Opcode.CHANNEL, list(self.channels.values())),
            (Opcode.STATISTICS, [self._statistics()]),
            (Opcode.CHUNK_INDEX, list(self._indices)),
        ]
        summary, offsets = bytearray(), bytearray()
        for opcode, records in groups:
            group = b"".join(map(_encoded, records))
            if group:
                offsets += _encoded(SummaryOffset(opcode, begin + len(summary), len(group)))
            summary += group
        offset_start = begin + len(summary)
        summary += offsets
        crc = zlib.crc32(struct.pack("<BQQQ", Opcode.FOOTER, 20, begin, offset_start), zlib.crc32(summary))
        return _encoded(DataEnd(0)) + bytes(summary) + _encoded(Footer(begin, offset_start, crc)) + MAGIC

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=0,
            channel_count=len(self.channels),
            channel_message_counts=dict(self.counts),
            chunk_count=len(self._indices),
            message_count=sum(self.counts.values()),
            metadata_count=0,
            message_start_time=self.start,
            message_end_time=self.end,
            schema_count=len(self._schemas),
        )

    @classmethod
    def mend(cls, path: Path) -> "McapFile":
        """Cut off what a killed process left unfinished, write the tail anew, and return the closed file's contents.

        Raises:
            OSError: there is no such file, or it is none that `McapFile` began.
        """
        copy = path.with_suffix(".mended")
        mended = cls(copy)
        for records in _whole_chunks(path):
            mended._take_over(records)
        mended.close()
        os.replace(copy, path)
        return mended

    def _take_over(self, records: list[McapRecord]) -> None:
        """Add the records of another file's chunk."""
        for record in records:
            if isinstance(record, Message):
                self.write(record.channel_id, record.log_time, record.publish_time, record.data, record.sequence)
                continue
            self._chunk.data += _encoded(record)
            if isinstance(record, Schema):
                self._schemas[record.id] = record
            elif isinstance(record, Channel):
                self.channels[record.id] = record
                self.counts.setdefault(record.id, 0)
        self.flush()


def _encoded(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return builder.end()


def _whole_chunks(path: Path) -> Iterator[list[McapRecord]]:
    """Yield the records of a file's chunks until the first that is not whole."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise OSError(f"{path}: is no MCAP file")
    place = len(MAGIC)
    while place + RECORD.size <= len(data):
        opcode, length = RECORD.unpack_from(data, place)
        body = data[place + RECORD.size : place + RECORD.size + length]
        place += RECORD.size + length
        if opcode == Opcode.DATA_END or len(body) < length:
            return
        if opcode == Opcode.CHUNK:
            try:
                yield breakup_chunk(Chunk.read(ReadDataStream(BytesIO(body))), validate_crc=True)
            except (ValueError, EndOfFile, zstandard.ZstdError):
                return
