import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { csrfToken } from '../../data/call.ts'
import { boot } from '../../data/session.ts'
import { settle, stubService } from '../../data/testing/service.ts'
import { toast, toasts } from '../toasts.ts'
import { addTransfer, transfers } from '../transfers.ts'
import { signOutOrSay } from './sign-out.ts'

beforeEach(() => {
  vi.stubGlobal('document', { removeEventListener() {}, querySelector: () => null })
  boot.value = 'ready'
  csrfToken.value = 'mine'
  toasts.value = []
})
afterEach(() => {
  // Tests of other files share it.
  boot.value = 'checking'
  vi.unstubAllGlobals()
})

test.each([
  ['confirmed', 204],
  ['refused because the session had ended', 401],
])('a sign-out that is %s shows the sign-in', async (_how, status) => {
  stubService({ 'POST /auth/logout': () => [status, {}] })
  await signOutOrSay()
  expect([boot.value, csrfToken.value, toasts.value]).toEqual(['login', '', []])
})

test('a sign-out that fails keeps the pages and says so until it is dismissed', async () => {
  stubService({ 'POST /auth/logout': () => [503, { error: 'Busy. Try again.' }] })
  await signOutOrSay()
  expect([boot.value, csrfToken.value]).toEqual(['ready', 'mine'])
  expect(toasts.value).toEqual([
    expect.objectContaining({ tone: 'danger', title: 'You may still be signed in', text: expect.stringContaining('Busy.') }),
  ])
})

test('a sign-out without an answer keeps the pages too', async () => {
  const { requests } = stubService()
  const done = signOutOrSay()
  await vi.waitUntil(() => requests.length > 0)
  await requests[0]?.lose()
  await done
  expect([boot.value, toasts.value.length]).toEqual(['ready', 1])
})

test('a sign-out stops the transfers and forgets the names of their files', async () => {
  stubService({ 'POST /auth/logout': () => [204, {}] })
  let stopped = false
  const sent = ({ signal }: { readonly signal: AbortSignal }) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => {
        stopped = true
        reject(signal.reason)
      }),
    )
  for (const label of ['secret-plan.pdf', 'waits.pdf', 'waits too.pdf', 'still waits.pdf'])
    addTransfer({ label, place: 'photos', bytes: 10, start: sent })
  await signOutOrSay()
  await settle()
  expect([stopped, transfers.value]).toEqual([true, []])
})

test('a sign-out removes the notices', async () => {
  stubService({ 'POST /auth/logout': () => [204, {}] })
  toast({ tone: 'danger', title: 'secret-plan.pdf cannot be deleted' })
  await signOutOrSay()
  expect(toasts.value).toEqual([])
})
