import { expect, test } from 'vitest'
import { describeState, explorerHref, type Operation, readListSize } from './operation-words-policy.ts'

const operation = (facts: Partial<Operation>) => ({ status: 'pending', ...facts }) as Operation
const hash = `0x${'a1'.repeat(32)}`

test('each state says what happens next or how it ended', () => {
  expect(describeState(operation({}))).toMatch(/^Waits for its turn/)
  expect(describeState(operation({ started_at: '2026-01-01T00:00:00Z' }))).toBe('Is being signed.')
  expect(describeState(operation({ status: 'unknown' }))).toMatch(/not sent again/)
  expect(describeState(operation({ status: 'confirmed' }))).toMatch(/no transaction was needed/)
  expect(describeState(operation({ status: 'confirmed', tx_hash: hash }))).toBe('Is on chain.')
  expect(describeState(operation({ status: 'failed', last_error: 'too little USDFC' }))).toBe('too little USDFC')
})

test('only hashes on public networks are linked', () => {
  expect(explorerHref(314, hash)).toBe(`https://filecoin.blockscout.com/tx/${hash}`)
  expect(explorerHref(314_159, hash)).toMatch(/^https:\/\/filecoin-testnet\./)
  expect([explorerHref(31_415_926, hash), explorerHref(undefined, hash), explorerHref(314, `${hash}/../x`)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a list size from the address is one of those offered', () => {
  expect(['20', '100', '1000', ''].map(readListSize)).toEqual(['20', '100', '10', '10'])
})
