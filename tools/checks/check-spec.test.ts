import { expect, test } from 'vitest'
import { checkSpec, digestOf, findProblems, readRows, renewSummary } from './check-spec.ts'

const digest = digestOf(readRows('## Endpoints\n| `GET /b` | - |\n| `GET /a` | - |'))
const specification = { digest, parts: ['wallet', 'dashboard'] }
const files: Readonly<Record<string, string>> = { 'x.test.ts': "test('it\\'s there', () => {})\ntest.each([1])('a %s', () => {})" }
const problems = (...lines: readonly string[]) =>
  findProblems(['| Rows |  |', '| a | 1 |', '## Endpoints', ...lines].join('\n'), specification, (path) => files[path])
const wallet = '| `GET /a` | later: wallet |'
const later = '| `GET /b` | later: wallet |'

test('a page without a summary table is a problem', () => {
  const page = '# Coverage\n\n## Endpoints\n\n| `GET /a` | later: wallet |\n| `GET /b` | later: wallet |\n'
  expect(findProblems(page, specification, () => undefined)).toEqual([expect.stringContaining('summary table')])
})

test('a row with existing tests, or with a known later part, is complete', () => {
  expect(problems("| GET `/a` | `x.test.ts` › it's there <br> `x.test.ts` › a %s |", later)).toEqual([])
})

test.each([
  ['a missing row', [later], 'other statements than before'],
  ['a row that is not in the specification', [wallet, later, '| `GET /c` | later: wallet |'], 'other statements than before'],
  ['a renamed row', ['| `GET /c` | later: wallet |', later], 'other statements than before'],
  ['a row without proof', ['| `GET /a` | some day |', later], '"some day" names neither a test nor'],
  ['a later without its part', ['| `GET /a` | later |', later], '"later" names neither a test nor'],
  ['an unknown part', ['| `GET /a` | later: some day |', later], '"some day" is none of the parts wallet, dashboard'],
  ['a row with a proof and a later part', ['| `GET /a` | later: wallet <br> `x.test.ts` › a %s |', later], 'not both'],
  ['a row for two parts', ['| `GET /a` | later: wallet <br> later: dashboard |', later], 'not both'],
  ['text next to a proof', ['| `GET /a` | `x.test.ts` › a %s <br> and more |', later], '"and more" names neither a test nor'],
  ['a missing file', ['| `GET /a` | `y.test.ts` › a %s |', later], 'there is no y.test.ts'],
  ['a missing title', ['| `GET /a` | `x.test.ts` › a %s <br> `x.test.ts` › a |', later], 'has no test "a"'],
])('%s is a problem', (_what, lines, problem) => {
  expect(problems(...lines)).toEqual([expect.stringContaining(problem)])
})

test('two rows for one statement are a problem', () => {
  expect(problems(wallet, wallet, later)).toContainEqual(expect.stringContaining('two rows for Endpoints: GET /a'))
})

test('the summary table counts the rows', () => {
  const rows = '\n## Endpoints\n\n| Name | Proof |\n|---|---|\n| `GET /a` | `x.test.ts` › a %s |\n| `GET /b` | later: wallet |\n'
  const stale = `# Coverage\n\n| Rows |  |\n|---|---:|\n| all | 9 |\n${rows}`
  expect(readRows(stale).map(({ name }) => name)).toEqual(['GET /a', 'GET /b'])
  const renewed = renewSummary(stale, specification.parts)
  expect(renewed).toBe(`# Coverage\n\n| Rows |  |\n|---|---:|\n| proven by tests | 1 |\n| later: wallet | 1 |\n| all | 2 |\n${rows}`)
  expect(renewSummary(renewed, specification.parts)).toBe(renewed)
})

test('the coverage page has no problems', async () => {
  expect(await checkSpec()).toEqual([])
})
