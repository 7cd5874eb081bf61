/**
 * Each invariant of ARCHITECTURE.md must be named in the code that guards it and in a test. Unlisted ids are problems.
 * @recipe an invariant
 * A row in ARCHITECTURE.md, one sentence; its id in a comment where it is enforced, and in the name of a test.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSources, root } from '../source-files.ts'

const idPattern = /\bI-\d{2}\b/g
const rowPattern = /^\| (I-\d{2}) \| (.+) \|$/gm

export interface Named {
  readonly id: string
  readonly says: string
  /** Files that name the id, without tests; and tests. */
  readonly guards: readonly string[]
  readonly tests: readonly string[]
}

const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('e2e/')
const architecture = (): string => readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

/** Sorted as in ARCHITECTURE.md. */
export function namedInvariants(): readonly Named[] {
  const naming = new Map<string, string[]>()
  for (const { path, text } of readSources()) {
    for (const id of new Set(text.match(idPattern))) naming.set(id, [...(naming.get(id) ?? []), path])
  }
  return [...architecture().matchAll(rowPattern)].map(([, id = '', says = '']) => {
    const paths = naming.get(id) ?? []
    return { id, says, guards: paths.filter((path) => !isTest(path)), tests: paths.filter(isTest) }
  })
}

export async function checkInvariants(): Promise<readonly string[]> {
  const named = namedInvariants()
  const listed = new Set(named.map(({ id }) => id))
  const unlisted = readSources().flatMap(({ path, text }) =>
    [...new Set(text.match(idPattern))]
      .filter((id) => !listed.has(id))
      .map((id) => `${path} names ${id}, which ARCHITECTURE.md does not list`),
  )
  return [
    ...named.filter(({ guards }) => guards.length === 0).map(({ id }) => `${id} is listed in ARCHITECTURE.md, but no code names it`),
    ...named.filter(({ tests }) => tests.length === 0).map(({ id }) => `${id} is listed in ARCHITECTURE.md, but no test names it`),
    ...unlisted,
  ]
}
