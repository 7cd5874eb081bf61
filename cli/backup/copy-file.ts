import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { partialEnd } from './backup-layout.ts'

const chunkBytes = 1024 * 1024

interface FileCopy {
  readonly from: string
  readonly to: string
  readonly bytes: number
  /** Expected; null: any. */
  readonly sha256: string | null
  readonly signal: AbortSignal
}

type Copied = { readonly outcome: 'copied'; readonly sha256: string } | { readonly outcome: 'missing' | 'damaged' }

/**
 * Copies a file and compares its bytes. The copy is durable, except for its name: sync its folder. A copy with other bytes is removed. A
 * file that looks damaged is read once more.
 */
export async function copyFile(copy: FileCopy): Promise<Copied> {
  const first = await copyOnce(copy)
  return first.outcome === 'damaged' ? await copyOnce(copy) : first
}

async function copyOnce({ from, to, bytes, sha256, signal }: FileCopy): Promise<Copied> {
  const source = await openIfExists(from)
  if (!source) return { outcome: 'missing' }
  await using _source = source
  const partial = `${to}${partialEnd}`
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    const read = await transfer(source, partial, signal)
    if (read.bytes !== bytes || (sha256 !== null && read.sha256 !== sha256)) {
      await rm(partial)
      return { outcome: 'damaged' }
    }
    await rename(partial, to)
    return { outcome: 'copied', sha256: read.sha256 }
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function transfer(source: FileHandle, to: string, signal: AbortSignal) {
  await using target = await open(to, 'w', 0o600)
  const read = await hashOf(source, signal, (part) => target.writeFile(part))
  await target.sync()
  return read
}

async function hashOf(source: FileHandle, signal: AbortSignal, onPart?: (part: Uint8Array) => Promise<void>) {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let bytes = 0
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await source.read(buffer, 0, chunkBytes)
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
    const part = buffer.subarray(0, bytesRead)
    hash.update(part)
    await onPart?.(part)
    bytes += bytesRead
  }
}

/** Returns undefined for a missing file. */
export async function sha256OfFile(path: string, signal: AbortSignal): Promise<string | undefined> {
  const file = await openIfExists(path)
  if (!file) return undefined
  await using _file = file
  return (await hashOf(file, signal)).sha256
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes names of new files durable. */
export async function syncFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await using handle = await open(folder)
    await handle.sync()
  }
}
