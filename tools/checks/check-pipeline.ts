/**
 * @recipe a scenario of the pipeline
 * A row of `docs/reference/pipeline-coverage.md` with its tests, one line per scenario.
 */
/** docs/reference/pipeline-coverage.md names the tests of each scenario of the storage pipeline: they must exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkProofs, readRows } from './check-spec.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pagePath = 'docs/reference/pipeline-coverage.md'

/** Problems, one per line; empty when every scenario has its tests. */
export async function checkPipeline(): Promise<string[]> {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return findPipelineProblems(read(pagePath) ?? '', read)
}

export function findPipelineProblems(page: string, read: (path: string) => string | undefined): string[] {
  const rows = readRows(page)
  const names = rows.map(({ name }) => name)
  return [
    ...(rows.length === 0 ? [`${pagePath} has no rows`] : []),
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${pagePath} has two rows for ${name}`),
    ...rows.filter(({ proofs }) => proofs.length === 0).map(({ name }) => `${name}: no test proves it`),
    ...rows.flatMap(({ name, later, unrecognised }) => [...later, ...unrecognised].map((text) => `${name}: "${text}" names no test`)),
    ...rows.flatMap((row) => checkProofs(row, read)),
  ]
}
