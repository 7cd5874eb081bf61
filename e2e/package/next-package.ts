/** The package of a later release: the same program with a higher version and one further migration. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'esbuild'
import { bundleProgram } from '../../tools/pack/bundle-program.ts'
import { packFolder } from '../../tools/pack/pack-package.ts'

export const nextVersion = '99.0.0'
export const nextMigration = 'kernel/9999-next-release'

const furtherMigration: Plugin = {
  name: 'further-migration',
  setup(build) {
    build.onLoad({ filter: /\/kernel\/tasks\/rows\/task-migrations\.ts$/ }, ({ path }) => ({
      contents:
        readFileSync(path, 'utf8') +
        `taskMigrations.push(defineMigration('9999-next-release', ['create table next_release (id integer primary key)']))\n`,
      loader: 'ts',
    }))
  },
}

/**
 * @param folder of the package of this release
 * @param out for the tarball, whose path is returned
 */
export async function packNextRelease(folder: string, out: string): Promise<string> {
  const next = join(out, 'package')
  // The bundle writes all files of the program; those of `chunks` have other names in each release.
  cpSync(folder, next, { recursive: true, filter: (path) => relative(folder, path) !== 'chunks' })
  await bundleProgram(next, [furtherMigration])
  const manifest = join(next, 'package.json')
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version: nextVersion }))
  return packFolder(next, out).path
}
