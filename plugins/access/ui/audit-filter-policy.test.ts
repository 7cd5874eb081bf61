import { expect, test } from 'vitest'
import { actionText, kindOf, outcomeOf, startOf, subjectText } from './audit-filter-policy.ts'

test('a text of the address is a filter only if the service knows it', () => {
  expect([kindOf('change'), kindOf('toString'), kindOf('')]).toEqual(['change', undefined, undefined])
  expect([outcomeOf('refused'), outcomeOf('constructor')]).toEqual(['refused', undefined])
})

test('a span starts on a whole minute, so that the same page is asked for once', () => {
  const nowMs = Date.UTC(2026, 0, 31, 12, 0, 59)
  expect(startOf('1h', nowMs)).toBe('2026-01-31T11:00:00.000Z')
  expect(startOf('1h', nowMs - 50_000)).toBe('2026-01-31T11:00:00.000Z')
  expect([startOf('', nowMs), startOf('9y', nowMs)]).toEqual([undefined, undefined])
})

test('a line names its action and what the request named', () => {
  expect(actionText({ what: 'change', method: 'PUT', route: '/api/v1/settings' })).toBe('PUT settings')
  expect(actionText({ what: 'sign_in' })).toBe('Sign-in')
  expect(subjectText({ name: 'photos', copies: 3 })).toBe('name: photos, copies: 3')
})
