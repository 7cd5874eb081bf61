/**
 * `npm run pack:portable`: makes the archive with Node for this platform, and where dpkg-deb is installed the Debian package; `-- --out
 * <folder>` chooses where (default dist-package).
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../source-files.ts'
import { makeDebianPackage } from './debian-package.ts'
import { makeArchive } from './make-archive.ts'

const { out } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist-package') } } }).values
const { path, tree } = await makeArchive(resolve(out))
process.stdout.write(`${path}\n`)
const hasDebian = spawnSync('dpkg-deb', ['--version']).status === 0
process.stdout.write(hasDebian ? `${makeDebianPackage(tree, resolve(out))}\n` : 'no Debian package: dpkg-deb is not installed\n')
