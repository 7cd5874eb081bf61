import { expect, test } from 'vitest'
import { draw, namesToAsk, pictures } from './history-policy.ts'

const facts = { label: '', unit: 'count', per_second: true } as const
const answer = (series: Readonly<Record<string, readonly (number | null)[]>>) => ({
  from: '2026-01-31T12:00:00Z',
  step_seconds: 20,
  series: Object.entries(series).map(([name, values]) => ({ ...facts, name, values: [...values] })),
})

test('only series that the service has are asked for', () => {
  const series = ['cache_used', 'wallet_runway', 'bytes_in'].map((name) => ({ ...facts, name }))
  expect(namesToAsk({ series })).toBe('bytes_in,cache_used')
  expect(namesToAsk({ series: [] })).toBeUndefined()
})

test('all series of the pictures fit into one question', () => {
  const series = pictures.flatMap(({ lines }) => lines.flatMap(({ of }) => of)).map((name) => ({ ...facts, name }))
  expect(namesToAsk({ series })?.split(',').length).toBeLessThanOrEqual(32)
})

test('a line adds up its series, and is a gap only where none was measured', () => {
  const [picture] = draw(answer({ requests_get: [1, null, null], requests_head: [2, 4, null] }))
  expect(picture).toMatchObject({ title: 'S3 operations', times: [1769860800, 1769860820, 1769860840] })
  expect(picture?.series).toEqual([{ label: 'Reads', values: [3, 4, null] }])
})

test('a picture without a measurement is empty', () => {
  expect(draw(answer({ cache_used: [null, null] })).map(({ title, times }) => [title, times])).toEqual([['Cache fill over time', []]])
})
