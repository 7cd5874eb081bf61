import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { call, csrfToken } from './call.ts'
import { sendFile } from './send-file.ts'
import { stubService } from './testing/service.ts'

beforeEach(() => {
  csrfToken.value = 'of this tab'
})
afterEach(() => vi.unstubAllGlobals())

const refusal = [403, { error: 'The token is missing.', code: 'csrf_required' }] as const
const session = [200, { username: 'admin', csrf_token: 'of the other tab' }] as const

describe('a change after a sign-in in another tab', () => {
  test('is sent again with the new token', async () => {
    const service = stubService({
      'POST /auth/logout': (csrf) => (csrf === 'of the other tab' ? [200, { ok: true }] : refusal),
      'GET /auth/session': () => session,
    })
    expect(await call('POST /auth/logout')).toEqual({ ok: true })
    expect(service.routes()).toEqual(['POST /auth/logout', 'GET /auth/session', 'POST /auth/logout'])
    expect(csrfToken.value).toBe('of the other tab')
  })

  test('is sent again once only', async () => {
    const service = stubService({ 'POST /auth/logout': () => refusal, 'GET /auth/session': () => session })
    await expect(call('POST /auth/logout')).rejects.toMatchObject({ status: 403, code: 'csrf_required' })
    expect(service.routes()).toEqual(['POST /auth/logout', 'GET /auth/session', 'POST /auth/logout'])
  })

  test('is not sent again when it is refused for another reason', async () => {
    const service = stubService({ 'POST /auth/logout': () => [403, { error: 'No.', code: 'cross_site_refused' }] })
    await expect(call('POST /auth/logout')).rejects.toMatchObject({ code: 'cross_site_refused' })
    expect(service.routes()).toEqual(['POST /auth/logout'])
  })
})

test('a change carries the prices that were shown, also when it is sent again with a new token', async () => {
  const service = stubService({
    'POST /auth/logout': (csrf) => (csrf === 'of the other tab' ? [200, { ok: true }] : refusal),
    'GET /auth/session': () => session,
  })
  await call('POST /auth/logout', {}, { headers: { 'svc-price-list': 'abc' } })
  const changes = service.requests.filter(({ route }) => route.startsWith('POST'))
  expect(changes.map(({ priceList }) => priceList)).toEqual(['abc', 'abc'])
})

/** A request that the service answers as `answer` says. */
function stubUploads(answer: (csrf: string | undefined) => readonly [status: number, text: string]): void {
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends EventTarget {
      readonly upload = new EventTarget()
      readonly #headers = new Map<string, string>()
      status = 0
      responseText = ''
      open(): void {}
      setRequestHeader(name: string, value: string): void {
        this.#headers.set(name, value)
      }
      getResponseHeader(): null {
        return null
      }
      send(): void {
        ;[this.status, this.responseText] = answer(this.#headers.get('x-svc-csrf'))
        this.dispatchEvent(new Event('load'))
      }
    },
  )
}

const upload = () => sendFile('POST /auth/logout', {}, new Blob(['x']))

describe('a file', () => {
  test('is sent again with the new token after a sign-in in another tab', async () => {
    stubService({ 'GET /auth/session': () => session })
    stubUploads((csrf) => (csrf === 'of the other tab' ? [200, '{"ok":true}'] : [403, JSON.stringify(refusal[1])]))
    expect(await upload()).toEqual({ ok: true })
  })

  test('whose answer is a page of a proxy ends with an error', async () => {
    stubUploads(() => [200, '<html>'])
    await expect(upload()).rejects.toMatchObject({ name: 'ApiError', code: 'unreadable' })
  })
})

test('an answer that is a page of a proxy ends with an error', async () => {
  vi.stubGlobal('fetch', async () => new Response('<html>'))
  await expect(call('GET /auth/session')).rejects.toMatchObject({ name: 'ApiError', status: 0, code: 'unreadable' })
})
