import { statfs } from 'node:fs/promises'

/** Free bytes of the disk of a directory for this user. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
