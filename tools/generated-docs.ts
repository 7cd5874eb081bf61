/** Pages of docs/reference that are written from the code, wholly or in part. `npm run docs` renews them; `npm run check` says which of them is stale. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  adminRoutes,
  cliCommands,
  configSections,
  contributionsTo,
  kernelEndpoints,
  kernelSections,
  metricCollectors,
  version,
} from '#kernel'
import { localCommands } from '../cli/local-commands.ts'
import { writeOpenApi } from '../plugins/admin/openapi/openapi-document.ts'
import { builtinPlugins } from '../plugins/index.ts'
import { coveragePath, renewSummary } from './check-spec.ts'
import { writeCommandsPage } from './commands-page.ts'
import { writeMetricsPage } from './metrics-page.ts'
import { writeSettingsPage } from './settings-page.ts'
import { laterParts } from './spec-rows.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export interface GeneratedDoc {
  /** From the root of the project. */
  readonly path: string
  readonly text: string
}

export function writeDocs(): readonly GeneratedDoc[] {
  const groups = contributionsTo(adminRoutes, builtinPlugins).map(({ item }) => item)
  const sections = [...kernelSections, ...contributionsTo(configSections, builtinPlugins).map(({ item }) => item)]
  const commands = [...localCommands, ...contributionsTo(cliCommands, builtinPlugins).map(({ item }) => item)]
  return [
    { path: 'docs/reference/openapi.json', text: toJson(writeOpenApi([...kernelEndpoints, ...groups], version.version)) },
    { path: 'docs/reference/settings.md', text: writeSettingsPage(sections) },
    { path: 'docs/reference/commands.md', text: writeCommandsPage(commands) },
    {
      path: 'docs/reference/metrics.md',
      text: writeMetricsPage(contributionsTo(metricCollectors, builtinPlugins).map(({ item }) => item)),
    },
    { path: coveragePath, text: renewSummary(readPage(coveragePath) ?? '', laterParts) },
  ]
}

const toJson = (document: object): string => `${JSON.stringify(document, undefined, 2)}\n`

/** Problems, one a line; empty when every page is what the code says. */
export async function checkGeneratedDocs(): Promise<readonly string[]> {
  return findStale(writeDocs(), readPage)
}

export function findStale(docs: readonly GeneratedDoc[], read: (path: string) => string | undefined): readonly string[] {
  return docs.filter(({ path, text }) => read(path) !== text).map(({ path }) => `${path} is stale: renew it with \`npm run docs\``)
}

const readPage = (path: string): string | undefined => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)

if (import.meta.main && process.argv.includes('--write')) {
  for (const { path, text } of writeDocs()) {
    if (readPage(path) === text) continue
    writeFileSync(join(root, path), text)
    process.stdout.write(`wrote ${path}\n`)
  }
}
