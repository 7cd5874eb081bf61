import { rmSync, symlinkSync } from 'node:fs'

/** Replaces the file by a link to itself, which cannot be opened (ELOOP), not even by root. */
export function makeUnreadable(path: string): void {
  rmSync(path)
  symlinkSync(path, path)
}
