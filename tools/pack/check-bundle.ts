/** Finds in a bundle what esbuild accepts, but fails when the code runs. */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from '../source-files.ts'
import { chainPackage, nativePackages } from './package-shape.ts'

type Manifest = (folder: string) => { readonly dependencies?: Readonly<Record<string, string>> }

const installed: readonly string[] = [...nativePackages, chainPackage]
const readManifest: Manifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** Problems, one per line. */
export const findBundleProblems = (metafile: Metafile, manifestOf: Manifest = readManifest): readonly string[] => [
  ...findMissing(metafile, manifestOf),
  ...findNameless(metafile),
]

/** A bundled library lists the package in its `dependencies`, but svc neither contains nor installs it. */
function findMissing({ inputs }: Metafile, manifestOf: Manifest): readonly string[] {
  return Object.entries(inputs).flatMap(([path, { imports }]) => {
    const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
    const absent = imports.filter(({ external, path: name }) => external === true && !isBuiltin(name) && !installed.includes(name))
    if (folder === undefined || absent.length === 0) return []
    const { dependencies = {} } = manifestOf(folder)
    return absent.flatMap(({ path: name }) => (name in dependencies ? [`${path} requires ${name}, which is not bundled`] : []))
  })
}

/** `import()` of a CommonJS file gives Node its names, but in a bundle only `default`. */
function findNameless({ inputs }: Metafile): readonly string[] {
  const found = Object.entries(inputs).flatMap(([path, { imports }]) =>
    imports.flatMap(({ kind, external, path: target }) =>
      kind === 'dynamic-import' && external !== true && inputs[target]?.format === 'cjs'
        ? [`${path} imports ${target} late, which has no named exports in a bundle: alias its ES module`]
        : [],
    ),
  )
  return [...new Set(found)]
}
