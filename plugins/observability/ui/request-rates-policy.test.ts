import { describe, expect, test } from 'vitest'
import { addReading, readRequests, sampleMs, samplesMax } from './request-rates-policy.ts'

const page = (get: number, put: number, failed: number) => `# HELP svc_backend_object_operations_total S3 operations on objects.
svc_backend_object_operations_total{operation="get",status="success"} ${get}
svc_backend_object_operations_total{operation="put",status="success"} ${put}
svc_backend_object_operations_total{operation="put",status="failure"} ${failed}
svc_cache_hits_total 7
`
const started = (seconds: number) => `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${seconds}\n`
const read = (text: string) => readRequests(text) ?? expect.fail('no counters')
const counts = (get: number, put: number, failed: number) => read(page(get, put, failed))

test('counters are added by kind, and a page without them has none', () => {
  expect(counts(5, 2, 1).counts).toEqual({ reads: 5, writes: 3, failures: 1 })
  expect(readRequests('svc_cache_hits_total 7\n')).toBeUndefined()
})

test('a rate is the difference of two readings by the time between them', () => {
  const samples = addReading(addReading([], counts(0, 0, 0), 1000), counts(40, 10, 2), 21_000)
  expect(samples.map(({ rates }) => rates)).toEqual([null, { reads: 2, writes: 0.6, failures: 0.1 }])
})

describe('there is no rate after', () => {
  test.each([
    ['a fall of the successful reads', page(90, 5, 5), page(3, 9, 9)],
    ['a fall of the failures while the writes rise', page(0, 5, 5), page(0, 20, 1)],
    ['another start of the process, though every counter rose', page(1, 1, 1) + started(1000), page(9, 9, 9) + started(1015)],
    [
      'a counter that the page no longer has',
      `${page(1, 1, 1)}svc_backend_object_operations_total{operation="list",status="success"} 2\n`,
      page(9, 9, 9),
    ],
  ])('%s', (_change, before, after) => {
    expect(addReading(addReading([], read(before), 1000), read(after), 21_000).at(-1)?.rates).toBeNull()
  })

  test('more than 2.5 sample intervals without a sample', () => {
    const ratesAfter = (ms: number) => addReading(addReading([], counts(0, 0, 0), 1000), counts(50, 0, 0), 1000 + ms).at(-1)?.rates
    expect([ratesAfter(2.5 * sampleMs)?.reads, ratesAfter(2.5 * sampleMs + 1)]).toEqual([1, null])
  })
})

test('two readings of the same process have a rate', () => {
  const samples = addReading(addReading([], read(page(0, 0, 0) + started(1000)), 1000), read(page(20, 0, 0) + started(1000)), 21_000)
  expect(samples.at(-1)?.rates?.reads).toBe(1)
})

test('two readings at one time are one sample, and the oldest samples are removed', () => {
  let samples = addReading([], counts(0, 0, 0), 1000)
  expect(addReading(samples, counts(1, 0, 0), 1000)).toBe(samples)
  for (let at = 1; at <= samplesMax; at += 1) samples = addReading(samples, counts(at, 0, 0), 1000 + at)
  expect([samples.length, samples[0]?.atMs]).toEqual([samplesMax, 1001])
})
