/**
 * `npm run pack:portable`: makes the archive with Node for this platform, and where dpkg-deb is installed the Debian package; `-- --out
 * <folder>` chooses where (default dist-package).
 */
import { spawnSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../source-files.ts'
import { platform } from './assemble-tree.ts'
import { makeDebianPackage } from './debian-package.ts'
import { makeArchive } from './make-archive.ts'

const usual = join(root, 'dist-package')
const { out } = parseArgs({ options: { out: { type: 'string', default: usual } } }).values
// The Dockerfile unpacks every archive of this folder, so those of earlier versions are removed.
if (resolve(out) === usual) for (const name of globSync(`svc-*-${platform}.tar.gz*`, { cwd: usual })) rmSync(join(usual, name))
const { path, tree } = await makeArchive(resolve(out))
process.stdout.write(`${path}\n`)
const hasDebian = spawnSync('dpkg-deb', ['--version']).status === 0
process.stdout.write(hasDebian ? `${makeDebianPackage(tree, resolve(out))}\n` : 'no Debian package: dpkg-deb is not installed\n')
