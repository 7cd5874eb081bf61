import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { assemblePackage } from './assemble-package.ts'

interface PackedPackage {
  /** The tarball. */
  readonly path: string
  /** The folder that it was made from, with the same files. */
  readonly folder: string
  readonly packedBytes: number
  readonly unpackedBytes: number
}

/** Makes the tarball in the folder. npm gives its files a fixed time, so that the same sources make the same bytes but for `build.json`. */
export async function packPackage(out: string): Promise<PackedPackage> {
  const folder = join(out, 'package')
  mkdirSync(out, { recursive: true })
  await assemblePackage(folder)
  return packFolder(folder, out)
}

/** @param folder with the files of the package */
export function packFolder(folder: string, out: string): PackedPackage {
  const stdout = execFileSync('npm', ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', out, '--loglevel', 'error'], {
    encoding: 'utf8',
  })
  const [packed] = JSON.parse(stdout) as readonly { readonly filename: string; readonly size: number; readonly unpackedSize: number }[]
  if (packed === undefined) throw new Error(`npm pack made no package of ${folder}`)
  return { path: join(out, packed.filename), folder, packedBytes: packed.size, unpackedBytes: packed.unpackedSize }
}
