import { statfs } from 'node:fs/promises'
import { CommandError } from '#kernel'
import { formatSize } from '../terminal/size.ts'

/** Left free beside what is written, for rows and files that are added during the backup. */
const spareBytes = 16 * 1024 * 1024

export async function requireRoom(dir: string, bytes: number, work: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir)
  const free = bavail * bsize
  if (free >= bytes + spareBytes) return
  throw new CommandError(
    `${work} needs ${formatSize(bytes + spareBytes)} on the disk of ${dir}, and ${formatSize(free)} are free; nothing was changed. Free room there, or use another disk`,
  )
}

/** SQLITE_FULL. */
const sqliteFull = 13

export const isDiskFull = (error: unknown): boolean => {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: number }
  return code === 'ENOSPC' || code === 'EDQUOT' || (errcode !== undefined && (errcode & 0xff) === sqliteFull)
}
