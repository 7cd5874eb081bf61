/**
 * @recipe a proof of the specification
 * A row of `docs/reference/spec-coverage.md` names the tests that fail without the required behaviour, or `later:` and one of `laterParts`
 * in `tools/checks/check-spec.ts`.
 */
/**
 * Each statement of the specification has a row in docs/reference/spec-coverage.md. The row names the tests that prove it, or the part of
 * the product that is not built yet.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../source-files.ts'

export const coveragePath = 'docs/reference/spec-coverage.md'

/** Parts of the product that are not built yet; rows name them as `later: <part>`. */
export const laterParts: readonly string[] = ['provider and data-set health', 'speed test']

/** SHA-256 of the statements of the specification: rows of the page cannot get lost, and their names change only with the specification. */
const statementsDigest = '7ef003e2294c826679a0c35a651c35a06d98486c7aa6f989eba7db682fbe1cf4'

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
  readonly digest: string
  readonly parts: readonly string[]
}

/** Problems, one per line; empty when every row is valid. */
export async function checkSpec(): Promise<string[]> {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return findProblems(read(coveragePath) ?? '', { digest: statementsDigest, parts: laterParts }, read)
}

export function findProblems(coverage: string, { digest, parts }: Specification, read: (path: string) => string | undefined) {
  const rows = readRows(coverage)
  const statements = statementsOf(rows)
  const found = digestOf(rows)
  return [
    ...(summaryPattern.test(coverage) ? [] : [`${coveragePath} has no summary table that counts its rows`]),
    ...statements.filter((name, at) => statements.indexOf(name) !== at).map((name) => `${coveragePath} has two rows for ${name}`),
    ...(found === digest
      ? []
      : [
          `${coveragePath} has other statements than before (digest ${found}): restore them, or record the digest of a changed specification`,
        ]),
    ...rows.flatMap((row) => [...checkCell(row, parts), ...checkProofs(row, read)]),
  ]
}

const statementsOf = (rows: readonly CoverageRow[]) => rows.map(({ section, name }) => `${section}: ${name}`)

/** Hashes the names of the rows in any order. */
export const digestOf = (rows: readonly CoverageRow[]): string =>
  createHash('sha256').update(statementsOf(rows).sort().join('\n')).digest('hex')

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

/** Reads the rows of the project's page. */
export const readCoverage = (): readonly CoverageRow[] => readRows(readFileSync(join(root, coveragePath), 'utf8'))

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
