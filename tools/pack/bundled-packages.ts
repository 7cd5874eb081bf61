/** The packages of others whose code is in the package, with their licences. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from '../source-files.ts'

export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Texts of its licence files. */
  readonly texts: readonly string[]
  readonly integrity: string | undefined
}

/** Build tools among the dependencies of the dashboard. */
const uiTools = ['vite', '@tailwindcss/vite']

/** Sorted by name. Of the program: those with bytes in an output. Of the dashboard: its dependencies. */
export function findBundledPackages({ outputs }: Metafile): readonly BundledPackage[] {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
  const ui = JSON.parse(readFileSync(join(root, 'ui/package.json'), 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> }
  const places = [
    ...inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
    ...Object.keys(ui.dependencies).flatMap((name) => (uiTools.includes(name) ? [] : [`node_modules/${name}`])),
  ]
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lockfile
  return [...new Set(places)].map((place) => describePackage(place, lock)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
}

function describePackage(place: string, lock: Lockfile): BundledPackage {
  const folder = join(root, place)
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('{LICEN[CS]E,licen[cs]e,COPYING,NOTICE}{,.*,-*}', { cwd: folder }).sort()
  return {
    ...{ name, version },
    licence: typeof license === 'string' ? license : 'NOASSERTION',
    texts: files.filter((file) => existsSync(join(folder, file))).map((file) => readFileSync(join(folder, file), 'utf8').trim()),
    integrity: lock.packages[place]?.integrity,
  }
}

/** One text with the licence of each package. A package without a licence file is named with the licence that its manifest declares. */
export function renderLicences(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, licence, texts }) => {
    const body = texts.length > 0 ? texts.join('\n\n') : `Its package.json declares ${licence}; it has no licence file.`
    return `${name} ${version} (${licence})\n\n${body}\n`
  })
  return `svc contains code of these packages, under their own licences.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
