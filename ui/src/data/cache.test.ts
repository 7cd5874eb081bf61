import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { forgetAnswers, invalidate, observeQuery, patchQueries, queryKey, refetch } from './cache.ts'
import { settle, stubService } from './testing/service.ts'

const leaves: (() => void)[] = []

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  for (const leave of leaves.splice(0)) leave()
  forgetAnswers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** What a reader of the route shows. */
function read(route: string, query: Readonly<Record<string, string>> = {}) {
  const shown: { data?: unknown; isFetching?: boolean; error?: unknown } = {}
  const leave = observeQuery(route, { query }, (state) => void Object.assign(shown, state))
  leaves.push(leave)
  return { shown, leave }
}

/** An event that concerns the routes. */
async function event(...routes: string[]): Promise<void> {
  invalidate(routes)
  await vi.advanceTimersByTimeAsync(250)
}

const list = 'GET /things'

describe('an event while a request runs', () => {
  test('lets it finish, and asks once more however many events there were', async () => {
    const { requests } = stubService()
    const { shown } = read(list)
    for (let times = 0; times < 5; times += 1) await event(list)
    expect(requests).toHaveLength(1)
    await requests[0]?.answer('older')
    expect(shown.data).toBe('older')
    expect(requests).toHaveLength(2)
    await requests[1]?.answer('newer')
    expect([shown.data, shown.isFetching, requests.length]).toEqual(['newer', false, 2])
  })

  test('asks once more also when the request fails', async () => {
    const { requests } = stubService()
    const { shown } = read(list)
    await event(list)
    await requests[0]?.lose()
    await requests[1]?.answer('newer')
    expect([shown.data, shown.error]).toEqual(['newer', undefined])
  })

  test('without one, asks at once', async () => {
    const { requests } = stubService()
    read(list)
    await requests[0]?.answer('older')
    await event('GET /others')
    expect(requests).toHaveLength(1)
    await event(list)
    expect(requests).toHaveLength(2)
  })
})

test('a refresh replaces the running request', async () => {
  const { requests } = stubService()
  const { shown } = read(list)
  void refetch(queryKey(list, {}))
  expect(requests[0]?.signal.aborted).toBe(true)
  await requests[1]?.answer('newer')
  expect(shown.data).toBe('newer')
})

test('the last reader ends the request, and the next one asks again at once', async () => {
  const { requests } = stubService()
  read(list).leave()
  expect(requests[0]?.signal.aborted).toBe(true)
  const { shown } = read(list)
  expect(requests).toHaveLength(2)
  await requests[1]?.answer('mine')
  expect([shown.data, shown.isFetching]).toEqual(['mine', false])
})

test('an answer of a request that ran during a change in place keeps the change', async () => {
  const { requests } = stubService()
  const { shown } = read(list)
  await requests[0]?.answer(['first'])
  await event(list)
  patchQueries(list, (data) => [...(data as string[]), 'changed'])
  expect(shown.data).toEqual(['first', 'changed'])
  await requests[1]?.answer(['second'])
  expect(shown.data).toEqual(['second', 'changed'])
  await event(list)
  await requests[2]?.answer(['third'])
  expect(shown.data).toEqual(['third'])
})

test('after a sign-out no answer is left, neither on screen nor on its way', async () => {
  const { requests } = stubService()
  const { shown } = read(list)
  await requests[0]?.answer('of the session')
  const other = read('GET /others').shown
  forgetAnswers()
  expect([shown.data, requests[1]?.signal.aborted]).toEqual([undefined, true])
  await settle()
  expect([other.data, other.error]).toEqual([undefined, undefined])
})
