import { expect, test } from 'vitest'
import { checkSpec, findProblems } from './check-spec.ts'

const names = { Endpoints: ['GET /a', 'GET /b'] }
const files: Readonly<Record<string, string>> = { 'x.test.ts': "test('it\\'s there', () => {})\ntest.each([1])('a %s', () => {})" }
const problems = (...lines: readonly string[]) => findProblems(['## Endpoints', ...lines].join('\n'), names, (path) => files[path])
const later = '| `GET /b` | later |'

test('a row with tests that exist, or with later, is complete', () => {
  expect(problems("| `GET /a` | `x.test.ts` › it's there <br> `x.test.ts` › a %s |", later)).toEqual([])
})

test.each([
  ['a missing row', [later], 'no row for Endpoints: GET /a'],
  ['a row that is not in the specification', ['| `GET /a` | later |', later, '| `GET /c` | later |'], 'does not have: Endpoints: GET /c'],
  ['two rows', ['| `GET /a` | later |', '| `GET /a` | later |', later], 'two rows for Endpoints: GET /a'],
  ['a row without proof', ['| `GET /a` | some day |', later], 'names neither a test nor'],
  ['a file that is gone', ['| `GET /a` | `y.test.ts` › a %s |', later], 'there is no y.test.ts'],
  ['a title that is gone', ['| `GET /a` | `x.test.ts` › a %s <br> `x.test.ts` › a |', later], 'has no test "a"'],
])('%s is a problem', (_what, lines, problem) => {
  expect(problems(...lines)).toEqual([expect.stringContaining(problem)])
})

test('the coverage of the specification holds', async () => {
  expect(await checkSpec()).toEqual([])
})
