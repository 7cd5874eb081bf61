import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isOutdated } from './build.ts'
import { call, csrfToken, isReachable } from './call.ts'
import { reconnects, stopEvents } from './events.ts'
import { boot, enabledPlugins, isSignedOut, session, signIn, startSession, watchSession } from './session.ts'
import { settle, stubService } from './testing/service.ts'

const signedIn = (csrf_token: string) => ({ username: 'admin', csrf_token, refresh_after: '2100-01-01T00:00:00Z' })
const plugins = (...ids: string[]) => ids.map((id) => ({ id, enabled: true }))
const healthy = () => [200, { status: 'ok' }] as const

const listeners = new Map<string, (event: object) => void>()
vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) => listeners.set(type, listener))
watchSession()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'hidden', querySelector: () => ({ content: 'mine' }) }))
  Object.assign(boot, { value: 'checking' })
  Object.assign(isSignedOut, { value: false })
  Object.assign(isOutdated, { value: false })
  Object.assign(isReachable, { value: true })
  csrfToken.value = ''
  session.value = undefined
  enabledPlugins.value = undefined
})
afterEach(() => {
  stopEvents()
  // Tests of other files share the cache, which would wait for a timer of this one.
  vi.runOnlyPendingTimers()
  vi.useRealTimers()
  // The watch that this file began looks again, in tests of other files, only while there is a session.
  Object.assign(boot, { value: 'checking' })
  vi.unstubAllGlobals()
})

type Requests = ReturnType<typeof stubService>['requests']
const asked = (requests: Requests, route: string) => requests.filter((request) => request.route === route)

describe('of two attempts to start', () => {
  test('the newer one counts, whichever ends first', async () => {
    const { requests } = stubService({ 'GET /healthz': healthy, 'GET /system/plugins': () => [200, plugins('s3')] })
    const [older, newer] = [startSession(), startSession()]
    const [first, second] = asked(requests, 'GET /auth/session')
    await second?.answer(signedIn('new'))
    await newer
    await first?.answer({}, 401)
    await older
    expect([boot.value, csrfToken.value]).toEqual(['ready', 'new'])
  })

  test('an older one that succeeds late does not bring back its session', async () => {
    const { requests } = stubService({ 'GET /healthz': healthy, 'GET /system/plugins': () => [200, plugins('s3')] })
    const [older, newer] = [startSession(), startSession()]
    const [first, second] = asked(requests, 'GET /auth/session')
    await second?.answer({}, 401)
    await newer
    await first?.answer(signedIn('old'))
    await older
    expect([boot.value, csrfToken.value, session.value]).toEqual(['login', '', undefined])
  })
})

test('a page of a proxy in place of an answer is a service that cannot be reached, until the next attempt', async () => {
  vi.stubGlobal('fetch', async () => new Response('<html>'))
  await startSession()
  expect(boot.value).toBe('unreachable')
  stubService({ 'GET /auth/session': () => [401, {}], 'GET /healthz': healthy })
  await startSession()
  expect(boot.value).toBe('login')
})

describe('a refusal with 401', () => {
  const start = async (token: string) => {
    Object.assign(boot, { value: 'ready' })
    csrfToken.value = token
  }

  test('shows the sign-in above the page', async () => {
    await start('of now')
    stubService({ 'GET /auth/session': () => [401, {}] })
    await expect(call('GET /auth/session')).rejects.toMatchObject({ status: 401 })
    expect([isSignedOut.value, csrfToken.value]).toEqual([true, ''])
  })

  test('of a request that was sent before the sign-in does not end the new session', async () => {
    await start('of before')
    const { requests } = stubService({ 'POST /auth/login': () => [200, signedIn('of now')] })
    const late = call('GET /auth/session').catch(() => 'refused')
    await signIn({ username: 'admin', password: 'secret', remember: false })
    await requests[0]?.answer({}, 401)
    expect(await late).toBe('refused')
    expect([isSignedOut.value, csrfToken.value]).toEqual([false, 'of now'])
  })
})

test('a sign-in whose cookie the browser does not keep ends with a next step', async () => {
  boot.value = 'login'
  stubService({ 'POST /auth/login': () => [200, signedIn('lost')], 'GET /auth/session': () => [401, {}], 'GET /healthz': healthy })
  await expect(signIn({ username: 'admin', password: 'secret', remember: false })).rejects.toThrow(/Allow cookies for this address/)
  expect(boot.value).toBe('login')
})

describe('after a restart of the service', () => {
  const restarted = async (...ids: string[]) => {
    Object.assign(boot, { value: 'ready' })
    enabledPlugins.value = new Set(['admin', 's3'])
    const service = stubService({ 'GET /system/plugins': () => [200, plugins(...ids)], 'GET /build.json': () => [200, { hash: 'mine' }] })
    reconnects.value += 1
    await settle()
    return service
  }

  test('the menu has the plugins that are enabled now', async () => {
    await restarted('admin', 'tasks')
    expect([...(enabledPlugins.value ?? [])]).toEqual(['admin', 'tasks'])
  })

  test('with the same plugins nothing is drawn again', async () => {
    Object.assign(boot, { value: 'ready' })
    const drawn: unknown[] = []
    const leave = enabledPlugins.subscribe((value) => drawn.push(value))
    await restarted('s3', 'admin')
    leave()
    expect(drawn).toHaveLength(1)
  })

  test('without an event stream the first answer is the sign of it', async () => {
    Object.assign(boot, { value: 'ready' })
    isReachable.value = false
    const { routes } = stubService({ 'GET /system/plugins': () => [200, plugins('admin')], 'GET /build.json': () => [200, {}] })
    isReachable.value = true
    await settle()
    expect(routes()).toContain('GET /system/plugins')
  })

  test('of two looks at the plugins the newer one counts, whichever ends first', async () => {
    Object.assign(boot, { value: 'ready' })
    const { requests } = stubService({ 'GET /build.json': () => [200, {}] })
    reconnects.value += 1
    reconnects.value += 1
    const [older, newer] = asked(requests, 'GET /system/plugins')
    await newer?.answer(plugins('admin', 'tasks'))
    await older?.answer(plugins('admin'))
    expect([...(enabledPlugins.value ?? [])]).toEqual(['admin', 'tasks'])
  })

  test('a look that ends after the session changes nothing', async () => {
    Object.assign(boot, { value: 'ready' })
    const { requests } = stubService({ 'GET /build.json': () => [200, {}] })
    reconnects.value += 1
    Object.assign(boot, { value: 'login' })
    await asked(requests, 'GET /system/plugins')[0]?.answer(plugins('admin'))
    expect(enabledPlugins.value).toBeUndefined()
  })

  test.each([
    ['the same build', { hash: 'mine' }, false],
    ['another build', { hash: 'other' }, true],
    ['an answer without a hash', {}, false],
  ])('%s: outdated is told only of another one', async (_name, answer, outdated) => {
    Object.assign(boot, { value: 'ready' })
    stubService({ 'GET /system/plugins': () => [200, plugins('admin')], 'GET /build.json': () => [200, answer] })
    reconnects.value += 1
    await settle()
    expect(isOutdated.value).toBe(outdated)
  })
})

describe('several tabs', () => {
  test('a sign-out of another tab shows the sign-in here at once, and nothing else of the storage does', () => {
    Object.assign(boot, { value: 'ready' })
    csrfToken.value = 'mine'
    listeners.get('storage')?.({ key: 'svc.theme' })
    expect([boot.value, csrfToken.value]).toEqual(['ready', 'mine'])
    listeners.get('storage')?.({ key: 'svc.signed-out' })
    expect([boot.value, csrfToken.value]).toEqual(['login', ''])
  })
})
