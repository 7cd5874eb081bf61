import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** Lower-case hex of the SHA-256. Undefined when there is no such file. */
export async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const block of createReadStream(path)) hash.update(block)
    return hash.digest('hex')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
