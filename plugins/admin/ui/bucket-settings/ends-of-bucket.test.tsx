import { expect, test } from 'vitest'
import { endsOf } from './ends-of-bucket.ts'

const set = (status: 'ready' | 'retired') => ({ status }) as never
const money = (amount: bigint) => String(amount * 10n ** 18n)

test('the services that still run end; without known costs none are named', () => {
  expect(endsOf({ data_sets: [set('ready'), set('retired'), set('ready')], public_access: ['list'] }, undefined)).toEqual([
    { label: 'Storage services that end', to: '2 data sets' },
    { label: 'Public access', to: 'Ends' },
  ])
})

test('the rate ends, and what is locked stays locked until then', () => {
  const cost = { rate: { per_epoch: '1', per_day: money(2n), per_month: money(60n) }, locked: { reserve: money(3n), advance: money(4n) } }
  const shown = endsOf({ data_sets: [], public_access: [] }, cost as never)
  expect(shown[0]?.to).toBe('None')
  expect(shown[1]?.to).toMatch(/^2\b.* each day$/)
  expect(shown[2]?.to).toMatch(/^7\b/)
})
