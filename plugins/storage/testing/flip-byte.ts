import { open } from 'node:fs/promises'

/** Changes one byte of a file and nothing that a look at the file would show: not its length, not its times. */
export async function flipByte(path: string, position: number): Promise<void> {
  await using file = await open(path, 'r+')
  const { atime, mtime } = await file.stat()
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, position)
  byte.writeUInt8((byte[0] ?? 0) ^ 1)
  await file.write(byte, 0, 1, position)
  await file.utimes(atime, mtime)
}
