import { expect, test } from 'vitest'
import { addCounts, readRequestCounts, samplesMax } from './request-rates-policy.ts'

const page = (get: number, put: number, failed: number) => `# HELP svc_backend_object_operations_total S3 operations on objects.
svc_backend_object_operations_total{operation="get",status="success"} ${get}
svc_backend_object_operations_total{operation="put",status="success"} ${put}
svc_backend_object_operations_total{operation="put",status="failure"} ${failed}
svc_cache_hits_total 7
`
const counts = (get: number, put: number, failed: number) => readRequestCounts(page(get, put, failed)) ?? expect.fail('no counters')

test('counters are added by kind, and a page without them has none', () => {
  expect(counts(5, 2, 1)).toEqual({ reads: 5, writes: 3, failures: 1 })
  expect(readRequestCounts('svc_cache_hits_total 7\n')).toBeUndefined()
})

test('a rate is the difference of two readings by the time between them', () => {
  const samples = addCounts(addCounts([], counts(0, 0, 0), 1000), counts(40, 10, 2), 21_000)
  expect(samples.map(({ rates }) => rates)).toEqual([null, { reads: 2, writes: 0.6, failures: 0.1 }])
})

test('after a restart of the service, which starts its counters again, there is no rate', () => {
  const samples = addCounts(addCounts([], counts(90, 0, 0), 1000), counts(3, 0, 0), 21_000)
  expect(samples.at(-1)?.rates).toBeNull()
})

test('two readings at one time are one sample, and the oldest samples are removed', () => {
  let samples = addCounts([], counts(0, 0, 0), 1000)
  expect(addCounts(samples, counts(1, 0, 0), 1000)).toBe(samples)
  for (let at = 1; at <= samplesMax; at += 1) samples = addCounts(samples, counts(at, 0, 0), 1000 + at)
  expect([samples.length, samples[0]?.atMs]).toEqual([samplesMax, 1001])
})
