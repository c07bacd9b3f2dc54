#!/usr/bin/python3
"""Writes a PNG that is the same each time.   picture.py FILE [WIDTH HEIGHT]"""
import struct
import sys
import zlib


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def main():
    width, height = map(int, sys.argv[2:4] or (640, 480))
    rows = b"".join(b"\0" + bytes((x * 7 + y * y * (1 + c) // 50) & 255 for x in range(width) for c in range(3))
                    for y in range(height))
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


main()
