import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, rm, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { beforeSignalEnds } from '#cli'
import { CommandError } from '#kernel'

interface SaveTarget {
  readonly file: string
  readonly overwrite: boolean
  /** Start of a relative path. Default: the working directory of the process. */
  readonly cwd: string | undefined
}

const pathOf = ({ file, cwd = process.cwd() }: SaveTarget): string => resolve(cwd, file)

/** Throws CommandError where the file exists and is not to be replaced, or is a directory. */
export async function refuseExisting(target: SaveTarget): Promise<void> {
  const path = pathOf(target)
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw cannotWrite(path, error)
  })
  if (found?.isDirectory()) throw new CommandError(`${path} is a directory; name a file in it`)
  if (found && !target.overwrite) throw exists(path)
}

/**
 * Writes the bytes to a temporary file beside the target, fsyncs it and gives it its name, so that the target is complete or absent. The
 * temporary file is removed on an error and when a signal ends the process.
 */
export async function saveFile(
  target: SaveTarget,
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly path: string; readonly size: number }> {
  const path = pathOf(target)
  const partial = `${path}.${randomBytes(6).toString('hex')}.part`
  using _cleanUp = beforeSignalEnds(() => rmSync(partial, { force: true }))
  const handle = await open(partial, 'wx').catch((cause: Error) => {
    throw cannotWrite(path, cause)
  })
  try {
    const size = await writeAll(handle, bytes, path)
    await (target.overwrite ? rename(partial, path) : nameOnce(partial, path))
    return { path, size }
  } catch (error) {
    // Does not replace the error when the file is gone already.
    await rm(partial, { force: true })
    throw error
  }
}

async function writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>, path: string): Promise<number> {
  let size = 0
  try {
    for await (const chunk of bytes) {
      await handle.writeFile(chunk).catch((cause: Error) => {
        throw cannotWrite(path, cause)
      })
      size += chunk.length
    }
    await handle.sync()
    return size
  } finally {
    await handle.close()
  }
}

/** Fails when a file of this name exists by then; a rename would replace it. */
async function nameOnce(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') throw exists(path)
    // File systems without hard links, such as FAT, keep the check that was made before the download.
    return await rename(partial, path)
  }
  await unlink(partial)
}

const exists = (path: string): CommandError => new CommandError(`${path} already exists; nothing was changed. Replace it with --overwrite`)
const cannotWrite = (path: string, cause: Error): CommandError => new CommandError(`${path} cannot be written: ${cause.message}`, { cause })
