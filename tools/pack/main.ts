/** `npm run pack`: makes the npm package; `-- --out <folder>` chooses where (default dist-package). */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../source-files.ts'
import { packPackage } from './pack-package.ts'

const { out } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist-package') } } }).values
const { path, packedBytes, unpackedBytes } = await packPackage(resolve(out))
const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)
process.stdout.write(`${path}: ${toMegabytes(packedBytes)} MB, unpacked ${toMegabytes(unpackedBytes)} MB\n`)
