/** Pages of docs/ that are generated from the code, completely or in part. `npm run docs` updates them; `npm run check` reports stale ones. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminRoutes, cliCommands, configSections, metricCollectors } from '#kernel'
import { contributionsTo, kernelContributions, loadPlugin } from '#kernel/host'
import { type Contributed, doctorChecks, doctorFixes, kernelSections, loadKernelEndpoints, version } from '#kernel/system'
import { localCommands } from '../cli/commands/local-commands.ts'
import { guidePath, renewRecipes } from '../e2e/clients/recipes.ts'
import { writeOpenApi } from '../plugins/admin/docs.ts'
import { builtinPlugins } from '../plugins/index.ts'
import { coveragePath, laterParts, renewSummary } from './checks/check-spec.ts'
import { writeInvariantsPage, writeRecipesPage, writeWalksPage } from './marked-pages.ts'
import { writeChecksPage } from './pages/checks-page.ts'
import { writeCommandsPage } from './pages/commands-page.ts'
import { writeLimitsPage } from './pages/limits-page.ts'
import { writeMetricsPage } from './pages/metrics-page.ts'
import { writeS3Page } from './pages/s3-page.ts'
import { writeS3TestsPage } from './pages/s3-tests-page.ts'
import { writeSettingsPage } from './pages/settings-page.ts'
import { writeStatesPage } from './pages/states-page.ts'
import { writeSubmissionsPage } from './pages/submissions-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface GeneratedDoc {
  /** Relative to the project root. */
  readonly path: string
  readonly text: string
}

export async function writeDocs(): Promise<readonly GeneratedDoc[]> {
  const plugins = await Promise.all([kernelContributions, ...builtinPlugins].map(loadPlugin))
  const contributed: Contributed = (point) => contributionsTo(point, plugins).map(({ item }) => item)
  const groups = [...(await loadKernelEndpoints()), ...contributed(adminRoutes)]
  const sections = [...kernelSections, ...contributed(configSections)]
  const commands = [...localCommands, ...contributed(cliCommands)]
  return [
    { path: 'docs/reference/openapi.json', text: toJson(writeOpenApi(groups, { version: version.version, contributed })) },
    { path: 'docs/reference/settings.md', text: writeSettingsPage(sections) },
    { path: 'docs/reference/commands.md', text: writeCommandsPage(commands) },
    { path: 'docs/reference/metrics.md', text: writeMetricsPage(contributed(metricCollectors)) },
    { path: 'docs/reference/checks.md', text: writeChecksPage(contributed(doctorChecks), contributed(doctorFixes)) },
    { path: 'docs/reference/limits.md', text: writeLimitsPage(groups) },
    { path: 'docs/reference/s3-compatibility.md', text: writeS3Page() },
    { path: 'docs/reference/s3-tests.md', text: writeS3TestsPage() },
    { path: 'docs/reference/states.md', text: writeStatesPage() },
    { path: 'docs/reference/submissions.md', text: writeSubmissionsPage() },
    { path: 'docs/reference/walks.md', text: writeWalksPage() },
    { path: 'docs/reference/recipes.md', text: writeRecipesPage() },
    { path: 'docs/reference/invariants.md', text: writeInvariantsPage() },
    { path: guidePath, text: renewRecipes(readPage(guidePath) ?? '') },
    { path: coveragePath, text: renewSummary(readPage(coveragePath) ?? '', laterParts) },
  ]
}

const toJson = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`

/** Problems, one per line; empty when every page is up to date. */
export async function checkGeneratedDocs(): Promise<readonly string[]> {
  return findStale(await writeDocs(), readPage)
}

export function findStale(docs: readonly GeneratedDoc[], read: (path: string) => string | undefined): readonly string[] {
  return docs.filter(({ path, text }) => read(path) !== text).map(({ path }) => `${path} is stale: update it with \`npm run docs\``)
}

const readPage = (path: string): string | undefined => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)

if (import.meta.main && process.argv.includes('--write')) {
  for (const { path, text } of await writeDocs()) {
    if (readPage(path) === text) continue
    writeFileSync(join(root, path), text)
    process.stdout.write(`wrote ${path}\n`)
  }
}
