import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './disk.ts'

/** Names the folder of the cache, wherever it is mounted. */
const identityFile = 'cache-id'

export const identityPath = (dir: string): string => join(dir, identityFile)

/** Returns nothing when the folder has no identity file, and `''` for an empty one, which an operator made. */
export async function readIdentity(dir: string): Promise<string | undefined> {
  try {
    return (await readFile(identityPath(dir), 'utf8')).trim()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Durable before it is seen: an empty file means that an operator made it. */
export async function writeIdentity(dir: string, id: string): Promise<void> {
  const unfinished = `${identityPath(dir)}.new`
  // Not secret: the user of svc must be able to read what a command of root wrote.
  await using file = await open(unfinished, 'w', 0o644)
  await file.writeFile(`${id}\n`)
  await file.sync()
  await rename(unfinished, identityPath(dir))
  await using folder: FileHandle = await open(dir)
  await folder.sync()
}
