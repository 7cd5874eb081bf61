/** Each name that the specification fixes has a row in docs/reference/spec-coverage.md that names the test which proves it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { specRows } from './spec-rows.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const coveragePath = 'docs/reference/spec-coverage.md'

export interface CoverageRow {
  readonly section: string
  readonly name: string
  /** `later`, or one or more proofs. */
  readonly proofs: 'later' | readonly Proof[]
}

interface Proof {
  readonly file: string
  readonly title: string
}

/** Problems, one a line; empty when every row holds. */
export async function checkSpec(): Promise<string[]> {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined)
  return findProblems(read(coveragePath) ?? '', specRows, read)
}

export function findProblems(
  coverage: string,
  names: Readonly<Record<string, readonly string[]>>,
  read: (path: string) => string | undefined,
): string[] {
  const rows = readRows(coverage)
  const wanted = Object.entries(names).flatMap(([section, all]) => all.map((name) => `${section}: ${name}`))
  const present = rows.map(({ section, name }) => `${section}: ${name}`)
  return [
    ...wanted.filter((name) => !present.includes(name)).map((name) => `${coveragePath} has no row for ${name}`),
    ...present
      .filter((name) => !wanted.includes(name))
      .map((name) => `${coveragePath} has a row that the specification does not have: ${name}`),
    ...present.filter((name, at) => present.indexOf(name) !== at).map((name) => `${coveragePath} has two rows for ${name}`),
    ...rows.flatMap((row) => checkProofs(row, read)),
  ]
}

function checkProofs({ name, proofs }: CoverageRow, read: (path: string) => string | undefined): readonly string[] {
  if (proofs === 'later') return []
  if (proofs.length === 0) return [`${name}: the row names neither a test nor \`later\``]
  return proofs.flatMap(({ file, title }) => {
    const source = read(file)
    if (source === undefined) return [`${name}: there is no ${file}`]
    return hasTitle(source, title) ? [] : [`${name}: ${file} has no test "${title}"`]
  })
}

/** Titles of table tests are written with their `%s`. */
const hasTitle = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`))

const rowPattern = /^\| `([^`]+)` \| (.+) \|$/
const proofPattern = /`([^`]+\.test\.ts)` › ([^<|]+?)(?= <br>|$)/g

export function readRows(coverage: string): readonly CoverageRow[] {
  let section = ''
  return coverage.split('\n').flatMap((line) => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const [, name, cell] = rowPattern.exec(line) ?? []
    if (name === undefined || cell === undefined) return []
    const proofs =
      cell === 'later' ? ('later' as const) : [...cell.matchAll(proofPattern)].map(([, file = '', title = '']) => ({ file, title }))
    return [{ section, name, proofs }]
  })
}
