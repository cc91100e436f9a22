// Writes zip archives for tests. This module does not depend on the content of the archived files.
import { deflateRawSync } from "node:zlib";

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ CRC_TABLE[(sum ^ byte) & 0xff];
  return (sum ^ 0xffffffff) >>> 0;
}

/**
 * Returns the bytes of a zip archive of `[name, bytes]` pairs. The first file, the third and so on are deflated, the
 * others are stored.
 */
export function zip(files) {
  const parts = [];
  const centralDirectory = [];
  let offset = 0;
  for (const [i, [name, bytes]] of files.entries()) {
    const method = i % 2 === 0 ? 8 : 0;
    const content = method ? deflateRawSync(bytes) : bytes;
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(method, 4);
    header.writeUInt32LE(crc(bytes), 10);
    header.writeUInt32LE(content.length, 14);
    header.writeUInt32LE(bytes.length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    const localEntry = Buffer.concat([Buffer.from("PK\x03\x04"), header, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    centralDirectory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), header, rest, Buffer.from(name)]));
    parts.push(localEntry);
    offset += localEntry.length;
  }
  const endRecord = Buffer.alloc(18);
  endRecord.writeUInt16LE(files.length, 4);
  endRecord.writeUInt16LE(files.length, 6);
  endRecord.writeUInt32LE(centralDirectory.reduce((sum, entry) => sum + entry.length, 0), 8);
  endRecord.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...centralDirectory, Buffer.from("PK\x05\x06"), endRecord]);
}
