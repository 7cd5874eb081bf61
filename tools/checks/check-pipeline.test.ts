import { expect, test } from 'vitest'
import { checkPipeline, findPipelineProblems } from './check-pipeline.ts'

const problems = (...rows: readonly string[]) =>
  findPipelineProblems(['## Batches', '| Name | Proof |', '|---|---|', ...rows].join('\n'), (path) =>
    path === 'x.test.ts' ? "test('it lands', () => {})" : undefined,
  )
const proven = '| `it_lands` | `x.test.ts` › it lands |'

test('a scenario with an existing test is complete', () => {
  expect(problems(proven)).toEqual([])
})

test.each([
  ['a page without rows', [], 'has no rows'],
  ['a scenario with two rows', [proven, proven], 'two rows for it_lands'],
  ['a scenario whose test does not exist', ['| it_lands | `x.test.ts` › it flies |'], 'has no test "it flies"'],
  ['a test in a file that does not exist', ['| it_lands | `y.test.ts` › it lands |'], 'there is no y.test.ts'],
  ['text beside a test', ['| it_lands | `x.test.ts` › it lands <br> later |'], '"later" names no test'],
])('%s is a problem', (_what, rows, problem) => {
  expect(problems(...rows)).toEqual([expect.stringContaining(problem)])
})

test('a scenario without a test is a problem', () => {
  expect(problems('| it_lands | some day |')).toEqual(['it_lands: no test proves it', 'it_lands: "some day" names no test'])
})

test('the page of the pipeline has no problems', async () => {
  expect(await checkPipeline()).toEqual([])
})
