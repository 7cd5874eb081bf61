import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { root } from '../source-files.ts'
import { builtinModules } from './builtin-modules.ts'
import { findBundleProblems } from './check-bundle.ts'
import { keepPlaces, resolvePlaces } from './keep-places.ts'
import { findLazyEntries, lazyPackages, nameWholeExport } from './lazy-packages.ts'
import { chainPackage, findEntries, nativePackages, readProject, toBuilt } from './package-shape.ts'

/** Optional packages that a bundled library looks for, and without which it works. */
const absent = ['pg-native', 'pg-cloudflare', 'dataloader', 'tinyglobby']
/** Their names are imported late, and their CommonJS files have none in a bundle. */
const alias = { 'hash-wasm': 'hash-wasm/dist/index.esm.js' }

/**
 * Bundles the program into the folder. What a command imports late stays in files of its own.
 * @param changes of sources, for tests
 */
export async function bundleProgram(folder: string, changes: readonly Plugin[] = []): Promise<Metafile> {
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
    alias,
    external: [...nativePackages, chainPackage, ...absent, ...Object.keys(readProject().devDependencies)],
    plugins: [...changes, keepPlaces, lazyPackages, builtinModules],
    logLevel: 'silent',
  })
  const problems = findBundleProblems(metafile)
  if (problems.length > 0) throw new Error(`the package would not work:\n${problems.join('\n')}`)
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, resolvePlaces(nameWholeExport(text), relative(folder, path)))
  }
  chmodSync(join(folder, 'cli/svc.js'), 0o755)
  return metafile
}
