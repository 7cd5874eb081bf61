import type { Metafile } from 'esbuild'
import { expect, test } from 'vitest'
import { findBundleProblems } from './check-bundle.ts'

type Imported = Metafile['inputs'][string]['imports'][number]

const bundle = (inputs: Readonly<Record<string, { readonly format: 'cjs' | 'esm'; readonly imports?: Imported[] }>>): Metafile => ({
  outputs: {},
  inputs: Object.fromEntries(Object.entries(inputs).map(([path, { format, imports = [] }]) => [path, { bytes: 1, format, imports }])),
})
const external = (path: string): Imported => ({ path, kind: 'require-call', external: true })

test('a dependency of a bundled library that is neither bundled nor installed is a problem; an optional one is not', () => {
  const imports = ['needed', 'optional', 'node:fs', 'events', 'better-sqlite3'].map(external)
  const manifest = { dependencies: { needed: '1', 'better-sqlite3': '1' } }
  const asked: string[] = []
  const problems = findBundleProblems(bundle({ 'node_modules/@scope/library/lib/index.js': { format: 'cjs', imports } }), (folder) => {
    asked.push(folder)
    return manifest
  })
  expect(asked).toEqual(['node_modules/@scope/library'])
  expect(problems).toEqual(['node_modules/@scope/library/lib/index.js requires needed, which is not bundled'])
})

test('an import() of a CommonJS file is a problem; one of an ES module, and an import statement, are not', () => {
  const problems = findBundleProblems(
    bundle({
      'plugins/one.ts': {
        format: 'esm',
        imports: [
          { path: 'node_modules/old/index.js', kind: 'dynamic-import' },
          { path: 'node_modules/old/index.js', kind: 'dynamic-import' },
          { path: 'node_modules/new/index.js', kind: 'dynamic-import' },
        ],
      },
      'plugins/two.ts': { format: 'esm', imports: [{ path: 'node_modules/old/index.js', kind: 'import-statement' }] },
      'node_modules/old/index.js': { format: 'cjs' },
      'node_modules/new/index.js': { format: 'esm' },
    }),
  )
  expect(problems).toEqual([
    'plugins/one.ts imports node_modules/old/index.js late, which has no named exports in a bundle: alias its ES module',
  ])
})
