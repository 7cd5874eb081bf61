import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packPackage } from '../pack-package.ts'
import { readProject } from '../package-shape.ts'
import { assembleTree, hashFile, platform } from './assemble-tree.ts'

interface PortableArchive {
  readonly path: string
  /** The unpacked archive. */
  readonly tree: string
}

/** Makes the archive in the folder, with its checksum beside it. */
export async function makeArchive(out: string): Promise<PortableArchive> {
  mkdirSync(out, { recursive: true })
  const { folder } = await packPackage(out)
  const name = `svc-${readProject().version}-${platform}`
  const tree = join(out, name)
  rmSync(tree, { recursive: true, force: true })
  assembleTree(folder, tree)
  const path = join(out, `${name}.tar.gz`)
  execFileSync('tar', ['-czf', path, '-C', out, name])
  writeFileSync(`${path}.sha256`, `${hashFile(path)}  ${basename(path)}\n`)
  return { path, tree }
}
