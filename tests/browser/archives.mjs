// Writes zip archives for tests. This module does not depend on the content of the archived files.
import { deflateRawSync } from "node:zlib";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff];
  return (sum ^ 0xffffffff) >>> 0;
}

/**
 * Returns the bytes of a zip archive of `[name, bytes]` pairs. The first file, the third and so on are deflated, the
 * others are stored.
 */
export function zip(files) {
  const parts = [];
  const table = [];
  let at = 0;
  for (const [i, [name, bytes]] of files.entries()) {
    const method = i % 2 === 0 ? 8 : 0;
    const content = method ? deflateRawSync(bytes) : bytes;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(method, 4);
    head.writeUInt32LE(crc(bytes), 10);
    head.writeUInt32LE(content.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), head, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    table.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), head, rest, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(table.reduce((sum, one) => sum + one.length, 0), 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, ...table, Buffer.from("PK\x05\x06"), end]);
}
