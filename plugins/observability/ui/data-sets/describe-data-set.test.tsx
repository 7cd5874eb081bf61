import { expect, test } from 'vitest'
import { dataSetsQuery, piecesText, slotText, standingText } from './describe-data-set.ts'
import { countByDay, stripDays, stripText, toStrip } from './proving-policy.ts'

test('the address of the list becomes the query of the API', () => {
  const query = (text: string) => JSON.parse(JSON.stringify(dataSetsQuery(new URLSearchParams(text))))
  const whole = { limit: '25', offset: '0', history: 'true' }
  expect(query('')).toEqual(whole)
  expect(query('bucket=a%2Fb&provider=7&status=degraded&current=true&offset=25')).toEqual({
    ...whole,
    offset: '25',
    bucket: 'a/b',
    provider_id: '7',
    status: 'degraded',
    current: 'true',
  })
  expect(query('provider=x&status=fine&current=1&offset=-1')).toEqual(whole)
})

test('pieces are one figure while chain and records agree', () => {
  const facts = (active_piece_count: number | undefined, recorded_piece_count: number) =>
    ({ active_piece_count, recorded_piece_count }) as Parameters<typeof piecesText>[0]
  expect([facts(3, 3), facts(2, 3), facts(undefined, 3)].map(piecesText)).toEqual(['3', '2 on chain, 3 recorded', '3 recorded'])
})

test('a generation is named when there is more than one', () => {
  expect(slotText({ copy_index: 0, generation: 1, is_current: true })).toBe('Replica 1')
  expect(slotText({ copy_index: 1, generation: 1, is_current: false })).toBe('Replica 2, generation 1')
  expect(slotText({ copy_index: 1, generation: 2, is_current: true })).toBe('Replica 2, generation 2')
})

test('a standing is said only when copies do not count', () => {
  expect(standingText({ state: 'kept', denied_copies: 0, confirmed_copies: 0 })).toBeUndefined()
  expect(standingText({ state: 'kept', denied_copies: 2, confirmed_copies: 0 })).toMatch(/^2 of its copies do not count/)
  expect(standingText({ state: 'denied', reason: 'proving_missed', denied_copies: 0, confirmed_copies: 0 })).toMatch(/until the next proof/)
})

test('the strip has a cell for each day, and a day without an observed period is no missed one', () => {
  const days = [
    { days_ago: 0, periods: 12, proven: 12 },
    { days_ago: 1, periods: 12, proven: 11 },
    { days_ago: 41, periods: 1, proven: 0 },
    { days_ago: 42, periods: 9, proven: 0 },
  ]
  const cells = toStrip(days)
  expect(cells.length).toBe(stripDays)
  expect([cells[0], cells[40], cells[41]].map((cell) => [cell?.daysAgo, cell?.state])).toEqual([
    [41, 'missed'],
    [1, 'partly'],
    [0, 'proven'],
  ])
  expect(cells.filter(({ state }) => state === 'unseen').length).toBe(39)
  expect(stripText(days)).toBe('23 of 25 periods proven in the last six weeks; missed: 1 d ago, 41 d ago')
  expect(stripText([])).toBe('No proving period was observed in the last six weeks')
})

test('single periods are counted by day', () => {
  const nowMs = Date.parse('2026-03-10T12:00:00Z')
  const at = (ended_at: string, proven: boolean) => ({ ended_at, proven })
  const counted = countByDay(
    [
      at('2026-03-10T11:00:00Z', true),
      at('2026-03-09T13:00:00Z', false),
      at('2026-03-09T11:00:00Z', true),
      at('2026-03-10T13:00:00Z', true),
    ],
    nowMs,
  )
  expect(counted).toEqual([
    { days_ago: 0, periods: 3, proven: 2 },
    { days_ago: 1, periods: 1, proven: 1 },
  ])
})
