/** Rights of this user in the places that `svc dev` writes to: another user may have installed the clone, or started `svc dev` in it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandError } from '#kernel'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The deployed chain, the lock of the dashboard's build, and the build. */
const written = ['node_modules', 'node_modules/.cache', 'node_modules/.cache/svc-devnet', 'node_modules/.cache/svc-ui', 'ui/dist']

/** Throws CommandError when the installation of svc cannot be written. */
export function requireOwnInstallation(installation = root): void {
  // Only a clone is written: a package has a built dashboard, and its chain is deployed without a snapshot if none can be kept.
  if (!existsSync(join(installation, 'package-lock.json'))) return
  const closed = written.map((path) => join(installation, path)).find((path) => existsSync(path) && !mayWrite(path))
  if (closed === undefined) return
  throw new CommandError(
    `${closed} cannot be written, where svc dev keeps its chain and the dashboard: ${describeUsers(closed)}; run svc dev as its owner, or in a clone of your own`,
  )
}

/** Throws CommandError when another user owns the directory, or it cannot be made. Also for root: its files would lock that user out. */
export function requireOwnDirectory(dir: string): void {
  const place = nearestExisting(dir)
  const isForeign = place === dir && process.getuid !== undefined && statSync(place).uid !== process.getuid()
  if (!isForeign && mayWrite(place)) return
  const problem = isForeign ? 'belongs to another user' : 'cannot be written'
  throw new CommandError(
    `${place} ${problem}: ${describeUsers(place)}; run svc dev as its owner, or choose a directory of your own with --dir`,
  )
}

const describeUsers = (path: string): string => `its owner has the user ID ${statSync(path).uid}, this process ${process.getuid?.()}`

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    // The caller reports owner and user.
    return false
  }
}
