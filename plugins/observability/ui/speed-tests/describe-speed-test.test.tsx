import { expect, test } from 'vitest'
import { failureText, lockedReason, type Provider, rateText, type SpeedTest, sampleText } from './describe-speed-test.ts'

const measured: SpeedTest = { state: 'succeeded', sample_bytes: 33_554_432, duration_ms: 4000, bytes_per_second: 8_388_608 }

test('a rate is shown while it holds for the present service URL', () => {
  expect([rateText(measured), sampleText(measured)]).toEqual(['8.0 MiB/s', '32.0 MiB in 4s'])
  expect(rateText({ ...measured, state: 'failed' })).toBe('8.0 MiB/s')
  expect(rateText({ ...measured, state: 'stale' })).toBeUndefined()
  expect([rateText({ state: 'testing', sample_bytes: 1 }), sampleText({ state: 'testing', sample_bytes: 1 })]).toEqual([
    undefined,
    undefined,
  ])
})

test('a failure is said in words, also one of a code without words', () => {
  expect(failureText('interrupted')).toBe('The service stopped during the test.')
  expect(failureText('connection_lost')).toBe('The provider did not take the bytes: connection lost.')
})

test('a test is offered for an available provider with a recent check', () => {
  const provider = (change: object): Provider => ({
    facts: { provider_id: '1', data_sets: 0, service_url: 'https://p.example' },
    signal: { status: 'available', level: 'ok', reason_codes: [], freshness: { stale: false, warnings: [] } },
    ...change,
  })
  expect(lockedReason(provider({}))).toBeUndefined()
  expect(lockedReason(provider({ upload_speed_test: measured }))).toBeUndefined()
  expect(lockedReason(provider({ upload_speed_test: { ...measured, state: 'testing' } }))).toMatch(/runs/)
  const signal = provider({}).signal
  expect(lockedReason(provider({ signal: { ...signal, status: 'degraded' } }))).toMatch(/available/)
  expect(lockedReason(provider({ signal: { ...signal, freshness: { stale: true, warnings: [] } } }))).toMatch(/refresh/)
  expect(lockedReason(provider({ facts: { provider_id: '1', data_sets: 0 } }))).toMatch(/URL/)
})
