import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../', import.meta.url)

/** Statements that write the state of copies, data sets or batches, or insert them. */
function findWrites(code: string): readonly string[] {
  const texts = code.matchAll(/\b(?:update|insert into) (?:copies|data_sets|commit_batches)\b/gi)
  const inserts = code.matchAll(/insertInto\(\s*'(?:copies|data_sets|commit_batches)'/g)
  // Up to the end of the statement: an object of columns has no line that begins with a parenthesis.
  const updates = code.matchAll(/updateTable\(\s*'(?:copies|data_sets|commit_batches)'[\s\S]*?(?=\n\)|$)/g)
  const sets = [...updates].filter(([update]) => /\bset\((?:[\s\S]*?[{,(]\s*|\s*)state\b\s*[:,}]/.test(update.split('.where(')[0] ?? ''))
  return [...texts, ...inserts, ...sets].map(([found]) => found)
}

test('I-47: only the stores of this folder write the state of copies, data sets and batches', () => {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const checked = paths.filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|^testing\/|^migrations\//.test(path))
  const writers = checked.filter((path) => findWrites(readFileSync(new URL(path, folder), 'utf8')).length > 0)
  expect(writers.toSorted()).toEqual(['states/batch-state-store.ts', 'states/copy-state-store.ts', 'states/data-set-state-store.ts'])
})

test.each([
  [
    'a column of an update',
    `const a = statement((db) =>\n  db\n    .updateTable('copies')\n    .set({ batch_id: null, state: 'lost' })\n)`,
    1,
  ],
  [
    'a state that is passed on',
    `const a = statement((db, { state }) =>\n  db.updateTable('data_sets').set({ state, updated_at: 1 }),\n)`,
    1,
  ],
  ['a computed update', `const a = statement((db) =>\n  db.updateTable('copies').set((copy) => ({ setbacks: 1, state: 'lost' })),\n)`, 1],
  ['a text', 'const a = sqlStatement(`update copies set state = 1`)', 1],
  ['an insertion', `const a = statement((db) => db.insertInto('copies').values({}))`, 1],
  [
    'another column',
    `const a = statement((db) =>\n  db.updateTable('copies').set({ content_id: to }).where('state', '=', 'planned'),\n)`,
    0,
  ],
])('the search finds %s', (_what, code, count) => {
  expect(findWrites(code)).toHaveLength(count)
})
