/**
 * @recipe files of a backup
 * A plugin whose rows name files in a directory of its own contributes `backupFiles.load(…)`: which files a state of the database needs,
 * which rows of the copied database say more than the backup has, and what is elsewhere. `svc backup` copies the files before the
 * database of the same state, and starts again with a later state when one of them was removed during that.
 */
import { defineExtensionPoint } from '../core/extension-point.ts'
import type { Reader } from '../db/database.ts'
import type { Statement } from '../db/statement.ts'

/** A file that a state of the database names. Files never change. */
export interface BackupFile {
  /** Place in the page order of the source. */
  readonly id: string
  /** Path below the directory. */
  readonly path: string
  readonly bytes: number
  /** Lower-case hex; null when the rows have none. */
  readonly sha256: string | null
  /** What is lost with it, for messages, such as `photos/cat.jpg`. */
  readonly meaning: string
  /** False: the rows know already that the file may be missing or have other bytes. */
  readonly isIntact: boolean
}

interface Elsewhere {
  /** Contents whose bytes are only at providers. */
  readonly contents: number
  readonly bytes: number
}

export interface BackupFiles {
  /** Folder of the files in a backup and in a restored data directory. */
  readonly name: string
  /** Setting of the directory, such as `cache.dir`; one of `ownedDirectories`. */
  readonly field: string
  /** The next files after the id, in its order, at most `limit`. `isAll`: also those whose bytes are elsewhere too. */
  page(read: Reader, page: { readonly after: string; readonly limit: number; readonly isAll: boolean }): Promise<readonly BackupFile[]>
  /** Returns those of the paths that the state names. */
  known(read: Reader, paths: readonly string[]): Promise<ReadonlySet<string>>
  /** Removes from the copied database the rows of files that the backup leaves out. */
  leaveOut(isAll: boolean): readonly Statement<Record<never, never>>[]
  /** What the copied database names that neither it nor a file of the backup has. */
  elsewhere(read: Reader): Promise<Elsewhere>
  /** Files to write into a restored directory, by path. */
  readonly restored: Readonly<Record<string, string>>
  /** Folders that must exist in a restored directory. */
  folders(read: Reader): Promise<readonly string[]>
}

export const backupFiles = defineExtensionPoint<BackupFiles>('kernel.backup-files')
