import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { root } from '../source-files.ts'
import { builtinModules } from './builtin-modules.ts'
import { keepPlaces, resolvePlaces } from './keep-places.ts'
import { findLazyEntries, lazyPackages, nameWholeExport } from './lazy-packages.ts'
import { chainPackage, findEntries, nativePackages, readProject, toBuilt } from './package-shape.ts'

/** Optional packages that a bundled library looks for, and without which it works. */
const absent = ['pg-native', 'pg-cloudflare', 'dataloader', 'tinyglobby']

/** Bundles the program into the folder. What a command imports late stays in files of its own. */
export async function bundleProgram(folder: string): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { ...Object.fromEntries(findEntries().map((path) => [toBuilt(path, ''), path])), ...findLazyEntries() },
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Names of functions stay, for the stacks of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    external: [...nativePackages, chainPackage, ...absent, ...Object.keys(readProject().devDependencies)],
    plugins: [keepPlaces, lazyPackages, builtinModules],
    logLevel: 'silent',
  })
  const missing = findMissing(metafile)
  if (missing.length > 0) throw new Error(`a bundled library requires a package that is not bundled: ${missing.join(', ')}`)
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, resolvePlaces(nameWholeExport(text), relative(folder, path)))
  }
  chmodSync(join(folder, 'cli/svc.js'), 0o755)
  return metafile
}

/** Packages that a bundled library lists in its `dependencies`, but the program neither contains nor installs. */
function findMissing({ inputs }: Metafile): readonly string[] {
  const installed: readonly string[] = [...nativePackages, chainPackage]
  return Object.entries(inputs).flatMap(([path, { imports }]) => {
    const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    const absentHere = imports.filter(({ external, path: name }) => external === true && !isBuiltin(name) && !installed.includes(name))
    if (folder === undefined || absentHere.length === 0) return []
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return absentHere.flatMap(({ path: name }) => (name in dependencies ? [`${name} of ${path}`] : []))
  })
}
