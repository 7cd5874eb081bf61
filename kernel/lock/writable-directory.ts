import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateDirectory } from '../process/private-mode.ts'

/** Makes the directory, if it is missing. Throws with the reason and the next step when this process may not create files in it. */
export function requireWritable(label: string, path: string): void {
  try {
    makePrivateDirectory(path)
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw refusal(label, path, causeAt(path, error))
  }
}

function refusal(label: string, path: string, cause: unknown): Error {
  const { code = '', message, path: refused = path } = cause as NodeJS.ErrnoException
  return new Error(`the ${label} ${path} cannot be written${reasons[code]?.(refused) ?? `: ${message}`}`, { cause })
}

/** Making a folder and its parents on a read-only disk fails as if they were missing: the first folder that exists says why. */
function causeAt(path: string, error: unknown): unknown {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return error
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing && dirname(path) !== path ? causeAt(dirname(path), error) : cause
  }
}

const denied = (path: string): string =>
  `: user ${process.getuid?.()} may not create files there${describeOwner(path)}; give it to the user that runs svc, such as with chown, or run svc as its owner`

function describeOwner(path: string): string {
  try {
    const { uid, mode } = statSync(path)
    return `; it belongs to user ${uid} and has the mode ${(mode & 0o777).toString(8)}`
  } catch {
    // A folder above it is the one that may not be used: the cause names it.
    return ''
  }
}

const reasons: Readonly<Record<string, ((path: string) => string) | undefined>> = {
  EROFS: () => ': its disk is mounted read-only; mount it for writing, and if it became read-only by itself, check the disk',
  EACCES: denied,
  EPERM: denied,
}
