/** Assembles the folder of the portable archive: the package with its native packages, Node and the files of an installation. */
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../../source-files.ts'
import { nativePackages } from '../package-shape.ts'

/** Linux and macOS, on x64 and arm64: the Node of the lockfile runs this program, so it is that of the archive. */
export const platform = `${process.platform}-${process.arch}`

const { nodeFlags } = (await import(new URL('../../../cli/pinned-node.js', import.meta.url).href)) as {
  readonly nodeFlags: readonly string[]
}
const modules = join(root, 'node_modules')
const files = join(import.meta.dirname, 'files')

/** @param tree must not exist */
export function assembleTree(packageFolder: string, tree: string): void {
  cpSync(packageFolder, tree, { recursive: true })
  for (const name of nativePackages.flatMap((native) => [native, ...findPlatformParts(native)])) copyNative(name, tree)
  copyNode(tree)
  writeText(join(tree, 'bin/svc'), readTemplate('svc.sh').replace('@node-flags@', nodeFlags.join(' ')), 0o755)
  writeText(join(tree, 'install.sh'), readTemplate('install.sh'), 0o755)
  for (const name of ['svc.service', 'org.svc-gateway.svc.plist']) writeText(join(tree, 'share', name), readTemplate(name), 0o644)
  writeText(join(tree, 'SHA256SUMS'), renderSums(tree), 0o644)
  openModes(tree)
}

/** Another user reads the tree, whatever umask made the files that it was copied from. */
function openModes(tree: string): void {
  for (const path of ['', ...readdirSync(tree, { recursive: true, encoding: 'utf8' })]) {
    const file = join(tree, path)
    const stats = statSync(file)
    chmodSync(file, stats.isDirectory() || (stats.mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}

export const readTemplate = (name: string): string => readFileSync(join(files, name), 'utf8')

export function writeText(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** The installed optional dependencies, which have the binary of this platform. */
function findPlatformParts(name: string): readonly string[] {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies).filter((part) => existsSync(join(modules, part)))
}

/** Leaves out sources, headers and the binaries of other platforms. */
function copyNative(name: string, tree: string): void {
  const from = join(modules, name)
  cpSync(from, join(tree, 'node_modules', name), {
    recursive: true,
    filter: (path) => {
      const [folder = '', file] = relative(from, path).split('/')
      if (folder === 'prebuilds') return file === undefined || file === `${platform}.node`
      return !['deps', 'src', 'binding.gyp'].includes(folder)
    },
  })
}

function copyNode(tree: string): void {
  const folder = join(process.execPath, '../..')
  mkdirSync(join(tree, 'node/bin'), { recursive: true })
  cpSync(process.execPath, join(tree, 'node/bin/node'))
  cpSync(join(folder, 'LICENSE'), join(tree, 'node/LICENSE'))
}

/** Renders what `sha256sum` writes. */
function renderSums(tree: string): string {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(tree, path)).isFile())
  return paths
    .sort()
    .map((path) => `${hashFile(join(tree, path))}  ${path}\n`)
    .join('')
}

export const hashFile = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
