import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readProject } from '../package-shape.ts'
import { readTemplate, writeText } from './assemble-tree.ts'

const name = 'svc-gateway'
const library = '/usr/lib/svc'
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Makes the Debian package of a tree in the folder, and returns its path. */
export function makeDebianPackage(tree: string, out: string): string {
  const { version, description } = readProject()
  const architecture = architectures[process.arch]
  if (architecture === undefined) throw new Error(`Debian has no name for ${process.arch} here`)
  const stage = mkdtempSync(join(out, 'debian-'))
  try {
    cpSync(tree, join(stage, library), { recursive: true })
    rmSync(join(stage, library, 'install.sh'))
    mkdirSync(join(stage, 'usr/bin'), { recursive: true })
    symlinkSync(`..${library.slice('/usr'.length)}/bin/svc`, join(stage, 'usr/bin/svc'))
    writeText(join(stage, 'usr/lib/systemd/system/svc.service'), readTemplate('svc.service').replaceAll('@lib@', library), 0o644)
    writeText(join(stage, 'usr/share/doc', name, 'copyright'), readFileSync(join(tree, 'LICENSE'), 'utf8'), 0o644)
    const control = {
      Package: name,
      Version: version,
      Architecture: architecture,
      Maintainer: 'svc <svc@localhost>',
      Section: 'net',
      Priority: 'optional',
      Depends: 'libc6 (>= 2.28), libstdc++6',
      Description: description,
    }
    writeText(
      join(stage, 'DEBIAN/control'),
      Object.entries(control)
        .map(([key, value]) => `${key}: ${value}\n`)
        .join(''),
      0o644,
    )
    for (const script of ['postinst', 'prerm', 'postrm'])
      writeText(join(stage, 'DEBIAN', script), readTemplate(`debian-${script}.sh`), 0o755)
    const path = join(out, `${name}_${version}_${architecture}.deb`)
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', stage, path], { stdio: ['ignore', 'ignore', 'inherit'] })
    return path
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
