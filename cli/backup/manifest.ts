import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { CommandError } from '#kernel'
import { writePrivateFile } from '#kernel/system'
import { readIfExists } from '../read-if-exists.ts'
import { isRunName, manifestName } from './backup-layout.ts'

const format = 1

export interface Manifest {
  /** Folder of the database, the configuration and the checksums. */
  readonly run: string
  /** Version of svc that made it. */
  readonly svc: string
  /** RFC 3339. Every object that was acknowledged before it reads back. */
  readonly started_at: string
  readonly is_all: boolean
  readonly with_secrets: boolean
  readonly files: number
  readonly file_bytes: number
  readonly database_bytes: number
  /** SHA-256 of the list of checksums. */
  readonly sums_sha256: string
  /** Files that were damaged or missing in the cache, and are not in the backup. */
  readonly damaged: number
  readonly only_at_providers: { readonly contents: number; readonly bytes: number }
}

const checksumOf = (manifest: object): string => createHash('sha256').update(JSON.stringify(manifest)).digest('hex')

/** Replaces the manifest atomically: from now on its run is the backup. */
export function writeManifest(dir: string, manifest: Manifest): void {
  const text = { format, ...manifest }
  writePrivateFile(join(dir, manifestName), `${JSON.stringify({ ...text, checksum: checksumOf(text) }, null, 2)}\n`)
}

/** Returns undefined when the directory has no backup. Throws CommandError when it cannot be read. */
export function readManifest(dir: string): Manifest | undefined {
  const path = join(dir, manifestName)
  const text = readIfExists(path)
  return text === undefined ? undefined : check(path, text)
}

export function requireManifest(dir: string): Manifest {
  const manifest = readManifest(dir)
  if (manifest) return manifest
  throw new CommandError(`${dir} has no backup: ${manifestName} is missing. Name the directory that was given to svc backup`)
}

function check(path: string, text: string): Manifest {
  const damaged = (cause?: unknown) =>
    new CommandError(`${path} is damaged; restore it from another copy of the directory, or make a new backup in another one`, { cause })
  let read: Manifest & { readonly format: number; readonly checksum: string }
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw damaged(cause)
  }
  const { checksum, ...rest } = read
  if (typeof read !== 'object' || checksum !== checksumOf(rest) || !isRunName(read.run)) throw damaged()
  if (read.format !== format)
    throw new CommandError(`${path} has format ${read.format}, which this svc does not know: use svc ${read.svc} or a later one`)
  return read
}
