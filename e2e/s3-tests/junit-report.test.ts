import { expect, test } from 'vitest'
import { readJunitReport } from './junit-report.ts'

test('a report has passed, failed and skipped tests; a failed clean-up fails a test that passed', () => {
  const report = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
    <testcase classname="s3tests.functional.test_s3" name="test_good" time="0.1" />
    <testcase classname="s3tests.functional.test_s3" name="test_bad"><failure message="assert 400 == 403&#10;and more">trace</failure></testcase>
    <testcase classname="s3tests.functional.test_s3" name="test_skipped"><skipped type="pytest.skip" message="not here">x</skipped></testcase>
    <testcase classname="s3tests.functional.test_s3" name="test_left" time="0.1" />
    <testcase classname="s3tests.functional.test_s3" name="test_left"><error message="failed on teardown">trace</error></testcase>
  </testsuite></testsuites>`
  expect(readJunitReport(report)).toEqual([
    { name: 'test_good', status: 'passed', message: '' },
    { name: 'test_bad', status: 'failed', message: 'assert 400 == 403' },
    { name: 'test_skipped', status: 'skipped', message: 'not here' },
    { name: 'test_left', status: 'failed', message: 'failed on teardown' },
  ])
})

test('a truncated report is an error', () => {
  expect(() => readJunitReport('<testsuites><testcase name="test_a">')).toThrow('not XML')
})
