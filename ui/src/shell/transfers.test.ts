import { beforeEach, expect, test, vi } from 'vitest'
import { addTransfer, cancelTransfer, pickRows, retryTransfer, type Transfer, transfers } from './transfers.ts'

beforeEach(() => {
  transfers.value = []
})

const order = (start: () => Promise<unknown>) => ({ label: 'a.txt', place: 'photos', bytes: 10, start })
const states = () => transfers.value.map(({ state }) => state)

test('a failed transfer is sent once more, however often the button is pressed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let calls = 0
  const id = addTransfer(
    order(() => {
      calls += 1
      return calls === 1 ? Promise.reject(new Error('lost')) : promise
    }),
  )
  await vi.waitUntil(() => states()[0] === 'failed')
  retryTransfer(id)
  retryTransfer(id)
  expect([calls, states()]).toEqual([2, ['running']])
  resolve()
  await vi.waitUntil(() => states()[0] === 'done')
  retryTransfer(id)
  expect([calls, states()]).toEqual([2, ['done']])
})

test('what was sent is not called cancelled', async () => {
  const id = addTransfer(order(async () => {}))
  await vi.waitUntil(() => states()[0] === 'done')
  cancelTransfer(id)
  expect(states()).toEqual(['done'])
})

test('the tray shows what runs and what failed, and the newest of the rest', () => {
  const all = (['failed', 'done', 'running', 'done', 'queued', 'queued'] as const).map(
    (state, id): Transfer => ({ ...order(async () => {}), id, state, sentBytes: 0 }),
  )
  expect(pickRows(all, 4).map(({ id }) => id)).toEqual([0, 2, 4, 5])
  expect(pickRows(all, 1).map(({ id }) => id)).toEqual([0, 2])
  expect(pickRows(all, 100)).toEqual(all)
})
