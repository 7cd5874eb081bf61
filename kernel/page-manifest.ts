import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PluginGraphError } from './graph.ts'
import { loadContributions } from './loaded-plugin.ts'
import { type DashboardPage, dashboardPages } from './page.ts'
import type { Plugin } from './plugin.ts'

/** A page as JSON, with the path of its file. */
interface ManifestPage extends Omit<DashboardPage, 'module'> {
  readonly plugin: string
  readonly module: string
}

const idPattern = /^[a-z][a-z0-9-]*$/
const pathPattern = /^\/$|^(\/:?[a-z0-9-]+)+$/
/** First segments of paths that programs call. */
const reservedRoots = new Set(['api', 'admin', 'healthz', 'metrics'])

/** The pages of plugins, sorted by group, order and id. Throws PluginGraphError that lists every invalid page. */
export async function readPageManifest(plugins: readonly Plugin[]): Promise<readonly ManifestPage[]> {
  const pages = (await loadContributions(dashboardPages, plugins)).map(({ plugin, item }) => ({ plugin: plugin.id, ...item }))
  const problems = [
    ...pages.flatMap(findProblems),
    ...findRepeated(pages, 'id', ({ id }) => id),
    // A parameter matches any segment, whatever its name.
    ...findRepeated(pages, 'path', ({ path }) => path.replaceAll(/:[^/]+/g, ':')),
  ]
  if (problems.length > 0) throw new PluginGraphError(problems)
  return pages
    .map((page) => ({ ...page, module: fileURLToPath(page.module) }))
    .sort((a, b) => compare(a.group ?? '', b.group ?? '') || a.order - b.order || compare(a.id, b.id))
}

type OwnedPage = DashboardPage & { readonly plugin: string }

function findProblems(page: OwnedPage): readonly string[] {
  const { id, path, label, icon, module } = page
  const isFile = module instanceof URL && module.protocol === 'file:'
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [!idPattern.test(id), "its id must be kebab-case, like 'legal-holds'"],
    [!pathPattern.test(path), `its path '${path}' must be like '/buckets/:name'`],
    [reservedRoots.has(path.split('/')[1] ?? ''), `its path '${path}' belongs to the APIs of the service`],
    [label.trim() === '' || icon.trim() === '', 'its label and its icon must not be empty'],
    [!isFile, "its module must be a file: new URL('./ui/holds-page.tsx', import.meta.url)"],
    [isFile && !existsSync(module), `its module ${isFile ? fileURLToPath(module) : ''} does not exist`],
  ]
  return rules.flatMap(([isBroken, problem]) => (isBroken ? `${nameOf(page)}: ${problem}` : []))
}

function findRepeated(pages: readonly OwnedPage[], member: 'id' | 'path', keyOf: (page: OwnedPage) => string): readonly string[] {
  return [...Map.groupBy(pages, keyOf).values()].flatMap(([first, ...others]) =>
    others.map((page) => `${nameOf(page)}: its ${member} '${page[member]}' is taken by ${nameOf(first as OwnedPage)}`),
  )
}

const nameOf = ({ id, plugin }: OwnedPage): string => `page '${id}' of plugin '${plugin}'`

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
