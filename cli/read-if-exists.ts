import { readFileSync } from 'node:fs'
import { CommandError } from '#kernel'

/** The text of a file; undefined when there is none. Throws CommandError when it cannot be read. */
export function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
