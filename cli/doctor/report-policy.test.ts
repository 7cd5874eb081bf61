import { expect, test } from 'vitest'
import type { Finding } from '#kernel/system'
import { exitCodeOf, renderReport } from './report-policy.ts'
import type { CheckResult } from './run-checks.ts'

const finding = (severity: Finding['severity']): Finding => ({
  severity,
  invariant: 'I-17',
  subject: { kind: 'object', id: '7', bucket: 'photos', key: 'a\u001b[31m' },
  message: 'has no head',
  repair: 'Restore it',
  fix: { name: 'storage.fix', target: '7' },
})
const result = (state: CheckResult['state'], ...findings: readonly Finding[]): CheckResult => ({
  name: 'storage.objects',
  title: '',
  state,
  compared: 3,
  findings,
  isCut: false,
})

test.for([
  { what: 'nothing', results: [result('ok'), result('skipped')], code: 0 },
  { what: 'an error', results: [result('found', finding('warning'), finding('error'))], code: 1 },
  { what: 'an error, and a check that failed', results: [result('unknown'), result('found', finding('error'))], code: 1 },
  { what: 'a warning', results: [result('ok'), result('found', finding('warning'))], code: 3 },
  { what: 'a warning, and a check that failed', results: [result('unknown'), result('found', finding('warning'))], code: 4 },
  { what: 'a check that failed', results: [result('unknown')], code: 4 },
] as const)('exit code $code for $what', ({ results, code }) => expect(exitCodeOf(results)).toBe(code))

test('repaired findings do not count, unless the check has more than it lists', () => {
  const found = result('found', finding('error'))
  const fix = { fix: 'storage.fix', target: '7' }
  expect(exitCodeOf([found], [{ ...fix, outcome: 'applied' }])).toBe(0)
  expect(exitCodeOf([found], [{ ...fix, outcome: 'failed' }])).toBe(1)
  expect(exitCodeOf([found], [{ ...fix, target: '8', outcome: 'applied' }])).toBe(1)
  expect(exitCodeOf([{ ...found, isCut: true }], [{ ...fix, outcome: 'applied' }])).toBe(1)
})

test('the report says what is wrong, where, and the next step, without control characters of keys', () => {
  const results = [
    result('ok'),
    { ...result('found', finding('error')), isCut: true },
    { ...result('unknown'), reason: 'the chain is silent' },
    { ...result('skipped'), reason: 'only with --online' },
  ]
  const fixes = [{ fix: 'storage.fix', target: '7', outcome: 'failed', error: 'disk full' } as const]
  expect(renderReport(results, fixes)).toBe(`CHECK            RESULT   COMPARED  DETAILS
storage.objects  ok       3
storage.objects  found    3         1 error, and more: repair these and run it again
storage.objects  unknown  3         the chain is silent
storage.objects  skipped            only with --online

ERROR object 7, photos/a [31m (I-17)
  has no head
  Next step: Restore it [storage.fix]

Fixes:
failed storage.fix 7: disk full

1 error in 3 checks; 1 could not run to the end.`)
})
