/**
 * @recipe a proof of the specification
 * A row of `docs/reference/spec-coverage.md` names the tests that fail without the required behaviour, or `later:` and a part of the
 * product from `tools/spec-rows.ts`. The requirements are listed in `tools/spec-rows/`, one file per chapter.
 */
/**
 * Each statement of the specification has a row in docs/reference/spec-coverage.md. The row names the tests that prove it, or the part of
 * the product that is not built yet.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { laterParts, specRows } from '../spec-rows.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const coveragePath = 'docs/reference/spec-coverage.md'

interface CoverageRow {
  readonly section: string
  readonly name: string
  readonly proofs: readonly Proof[]
  /** Names of parts that are not built yet. */
  readonly later: readonly string[]
  /** Entries that are neither a proof nor `later: <part>`. */
  readonly unrecognised: readonly string[]
}

interface Proof {
  readonly file: string
  readonly title: string
}

interface Specification {
  /** Row names by section. */
  readonly rows: Readonly<Record<string, readonly string[]>>
  readonly parts: readonly string[]
}

/** Problems, one per line; empty when every row is valid. */
export async function checkSpec(): Promise<string[]> {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return findProblems(read(coveragePath) ?? '', { rows: specRows, parts: laterParts }, read)
}

export function findProblems(coverage: string, { rows: wantedRows, parts }: Specification, read: (path: string) => string | undefined) {
  const rows = readRows(coverage)
  const wanted = Object.entries(wantedRows).flatMap(([section, all]) => all.map((name) => `${section}: ${name}`))
  const present = rows.map(({ section, name }) => `${section}: ${name}`)
  return [
    ...(summaryPattern.test(coverage) ? [] : [`${coveragePath} has no summary table that counts its rows`]),
    ...wanted.filter((name) => !present.includes(name)).map((name) => `${coveragePath} has no row for ${name}`),
    ...present
      .filter((name) => !wanted.includes(name))
      .map((name) => `${coveragePath} has a row that the specification does not have: ${name}`),
    ...present.filter((name, at) => present.indexOf(name) !== at).map((name) => `${coveragePath} has two rows for ${name}`),
    ...rows.flatMap((row) => [...checkCell(row, parts), ...checkProofs(row, read)]),
  ]
}

function checkCell({ name, proofs, later, unrecognised }: CoverageRow, parts: readonly string[]): readonly string[] {
  const isBoth = later.length > 1 || (later.length > 0 && proofs.length > 0)
  return [
    ...unrecognised.map((text) => `${name}: "${text}" names neither a test nor \`later: <part>\``),
    ...later.filter((part) => !parts.includes(part)).map((part) => `${name}: "${part}" is none of the parts ${parts.join(', ')}`),
    ...(isBoth ? [`${name}: a row has tests or one later part, not both`] : []),
  ]
}

export function checkProofs({ name, proofs }: CoverageRow, read: (path: string) => string | undefined): readonly string[] {
  return proofs.flatMap(({ file, title }) => {
    const source = read(file)
    if (source === undefined) return [`${name}: there is no ${file}`]
    return hasTitle(source, title) ? [] : [`${name}: ${file} has no test "${title}"`]
  })
}

/** Titles of table tests are written with their `%s`. */
const hasTitle = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`))

/** The summary table: `npm run docs` updates the counts, `npm run check` compares them. */
const summaryPattern = /\| Rows \| {2}\|\n(\|.*\|\n)+/

const rowPattern = /^\| (.+?) \| (.+) \|$/
const proofPattern = /^`([^`]+\.test\.ts)` › (.+)$/
const laterPattern = /^later: (.+)$/

/** Reads the tables below the first section heading; the part above it describes the page. */
export function readRows(coverage: string): readonly CoverageRow[] {
  let section = ''
  return coverage.split('\n').flatMap((line) => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const [, name, cell] = rowPattern.exec(line) ?? []
    if (section === '' || name === undefined || cell === undefined || name === 'Name') return []
    return [{ section, name: name.replaceAll('`', ''), ...readCell(cell) }]
  })
}

function readCell(cell: string): Pick<CoverageRow, 'proofs' | 'later' | 'unrecognised'> {
  const entries = cell.split(' <br> ')
  const proofs = entries.flatMap((entry) => {
    const [, file, title] = proofPattern.exec(entry) ?? []
    return file === undefined || title === undefined ? [] : [{ file, title }]
  })
  const later = entries.flatMap((entry) => laterPattern.exec(entry)?.[1] ?? [])
  return { proofs, later, unrecognised: entries.filter((entry) => !proofPattern.test(entry) && !laterPattern.test(entry)) }
}

/** Returns the page with updated counts in its summary table. */
export function renewSummary(coverage: string, parts: readonly string[]): string {
  const rows = readRows(coverage)
  const counts: readonly (readonly [name: string, count: number])[] = [
    ['proven by tests', rows.filter(({ later }) => later.length === 0).length],
    ...parts.map((part) => [`later: ${part}`, rows.filter(({ later }) => later.includes(part)).length] as const),
    ['all', rows.length],
  ]
  const lines = ['| Rows |  |', '|---|---:|', ...counts.filter(([, count]) => count > 0).map(([name, count]) => `| ${name} | ${count} |`)]
  return coverage.replace(summaryPattern, `${lines.join('\n')}\n`)
}
