import { expect, test } from 'vitest'
import { type Check, groupChecks, isDismissible, listFailedReads, worstCheck } from './readiness-policy.ts'

const check = (id: Check['id'], status: Check['status']): Check => ({ id, status, message: id })

test('blocked comes before unknown, unknown before warning', () => {
  const checks = [check('private_networks', 'warning'), check('providers', 'unknown'), check('payment_funding', 'blocked')]
  expect(worstCheck(checks, [])?.id).toBe('payment_funding')
  expect(worstCheck(checks.slice(0, 2), [])?.id).toBe('providers')
  expect(worstCheck(checks.slice(0, 1), [])?.id).toBe('private_networks')
  expect(worstCheck([check('providers', 'ready')], [])).toBeUndefined()
})

test('only the warning about private networks can be hidden, and it reappears when it is worse', () => {
  expect(worstCheck([check('private_networks', 'warning')], ['private_networks'])).toBeUndefined()
  expect(worstCheck([check('private_networks', 'blocked')], ['private_networks'])?.status).toBe('blocked')
  expect([isDismissible({ id: 'private_networks' }), isDismissible({ id: 'payment_funding' })]).toEqual([true, false])
})

test('open checks come first in their group, and no check is lost', () => {
  const checks = [check('config_network', 'ready'), check('wallet_fil_gas', 'ready'), check('payment_funding', 'blocked')]
  const later = { ...check('providers', 'ready'), id: 'made_later' as Check['id'] }
  expect(groupChecks([...checks, later]).map(({ title, checks: found }) => [title, ...found.map(({ id }) => id)])).toEqual([
    ['Wallet and payments', 'payment_funding', 'wallet_fil_gas'],
    ['Settings', 'config_network'],
    ['Other checks', 'made_later'],
  ])
})

test('failed reads are named with their reason', () => {
  expect(listFailedReads({ fil_gas_balance: 'timeout' })).toEqual(['Gas balance: timeout'])
  expect(listFailedReads(undefined)).toEqual([])
})
