import { expect, test } from 'vitest'
import { chooseSecondRun } from './second-run.ts'

const file = (path: string, hasFailed: boolean, project = 'waiting') => ({ path, project, hasFailed })
const passed = file('e2e/passed.test.ts', false)

test.each([
  ['nothing failed', [passed], 0, []],
  ['two waiting files failed', [file('a', true), passed, file('b', true)], 0, ['a', 'b']],
  ['three waiting files failed', [file('a', true), file('b', true), file('c', true)], 0, []],
  ['a computing file failed', [file('a', true), file('b', true, 'computing')], 0, []],
  ['an error was outside the tests', [file('a', true)], 1, []],
] as const)('%s: runs again %#', (_what, files, errorCount, again) => {
  expect(chooseSecondRun(files, errorCount)).toEqual(again)
})
