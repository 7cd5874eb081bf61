/** Packages and files that `lazyPackage` loads by name at their first use: in the package they are files in `lazy/`. */
import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { readSources, root } from '../source-files.ts'

const scheme = 'lazy-package:'
/** Resolves the paths that `lazyPackage` gets. */
const loader = join(root, 'kernel/process/lazy-package.ts')

const toName = (name: string): string => name.replace(/^\.\//, '').replace(/\.ts$/, '').replaceAll('@', '').replaceAll('/', '-')

/** An entry of `imports` in package.json. */
export const lazyImport = (name: string): string => `#lazy/${toName(name)}`

/** Entries of the bundle by output path. */
export function findLazyEntries(): Readonly<Record<string, string>> {
  const names = readSources().flatMap(({ path, text }) =>
    path.endsWith('.test.ts') ? [] : [...text.matchAll(/\blazyPackage<.*>\('([^']+)'\)/g)].flatMap(([, name]) => name ?? []),
  )
  return Object.fromEntries([...new Set(names)].map((name) => [`lazy/${toName(name)}`, `${scheme}${name}`]))
}

/** `require` of a built file returns what `require` of the package does. */
export const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${scheme}`) }, ({ path }) => ({ path: path.slice(scheme.length), namespace: scheme }))
    build.onLoad({ filter: /.*/, namespace: scheme }, ({ path }) => {
      const resolveDir = join(loader, '..')
      const file = createRequire(loader).resolve(path)
      const name = JSON.stringify(path)
      return { contents: isModule(file) ? `export * from ${name}` : `export { default as "module.exports" } from ${name}`, resolveDir }
    })
  },
}

function isModule(file: string): boolean {
  if (/\.(mjs|ts)$/.test(file)) return true
  const manifest = findPackageJSON(pathToFileURL(file))
  if (file.endsWith('.cjs') || manifest === undefined) throw new Error(`${relative(root, file)} has no known format`)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly type?: string }).type === 'module'
}

/** Corrects the variable that esbuild 0.28 names after the export "module.exports". */
export const nameWholeExport = (code: string): string => code.replaceAll('export_module.exports', 'export_module_exports')
