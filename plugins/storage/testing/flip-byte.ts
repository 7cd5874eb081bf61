import { open } from 'node:fs/promises'

/** Flips a bit of one byte of a file and keeps its length and its times. */
export async function flipByte(path: string, position: number): Promise<void> {
  await using file = await open(path, 'r+')
  const { atime, mtime } = await file.stat()
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, position)
  byte.writeUInt8((byte[0] ?? 0) ^ 1)
  await file.write(byte, 0, 1, position)
  await file.utimes(atime, mtime)
}
