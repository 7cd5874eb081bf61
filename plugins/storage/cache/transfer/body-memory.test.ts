import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Block, BodyMemory, blockBytes, smallBlockBytes } from './body-memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Three large blocks, and 64 small ones in the last quarter. */
const budget = 4 * blockBytes

async function takeAll(memory: BodyMemory): Promise<Block[]> {
  return [await memory.take(), await memory.take(), await memory.take()]
}

function follow(taking: Block | Promise<Block>) {
  const seen: { block?: Block; error?: unknown } = {}
  void Promise.resolve(taking).then(
    (block) => {
      seen.block = block
    },
    (error) => {
      seen.error = error
    },
  )
  return seen
}

test('blocks are parts of one memory that do not overlap', async () => {
  const memory = new BodyMemory(budget)
  const places = (await takeAll(memory)).map(({ buffer, byteOffset, length }) => [buffer === memory.shared, byteOffset, length])
  expect(places).toEqual([0, 1, 2].map((at) => [true, at * blockBytes, blockBytes]))
  expect(memory.tryTake()).toBeUndefined()
  expect(memory.stats()).toEqual({ budgetBytes: budget, usedBytes: 3 * blockBytes, waiting: 0 })
})

test('waiting transfers get blocks in their order, and newcomers do not overtake them', async () => {
  const memory = new BodyMemory(budget)
  const [first, second] = await takeAll(memory)
  const waiting = [follow(memory.take()), follow(memory.take())]
  memory.give(first as Block)
  expect(memory.tryTake()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting.map(({ block }) => block?.byteOffset)).toEqual([first?.byteOffset, undefined])
  memory.give(second as Block)
  await vi.advanceTimersByTimeAsync(0)
  expect(waiting[1]?.block?.byteOffset).toBe(second?.byteOffset)
})

test('when no block comes back, partly filled ones are given back', async () => {
  const memory = new BodyMemory(budget)
  const [first] = await takeAll(memory)
  using _ = memory.onStuck(() => memory.give(first as Block))
  const waiting = follow(memory.take())
  await vi.advanceTimersByTimeAsync(1000)
  expect(waiting.block?.length).toBe(blockBytes)
})

test('when clients that do not read hold all blocks, other transfers continue with small ones', async () => {
  const memory = new BodyMemory(budget)
  const [first] = await takeAll(memory)
  const waiting = follow(memory.take())
  await vi.advanceTimersByTimeAsync(1000)
  expect(waiting.block?.length).toBe(smallBlockBytes)
  expect((await memory.take()).length).toBe(smallBlockBytes)
  memory.give(first as Block)
  expect((await memory.take()).length).toBe(blockBytes)
})

test('a waiting transfer gets a small block although others come back meanwhile', async () => {
  const memory = new BodyMemory(budget)
  const [first] = await takeAll(memory)
  const small = Array.from({ length: 6 }, () => follow(memory.take()))
  await vi.advanceTimersByTimeAsync(1000)
  // A block of the usual size ends the use of small ones.
  memory.give(first as Block)
  await memory.take()
  const waiting = follow(memory.take())
  for (const { block } of small) {
    memory.give(block as Block)
    await vi.advanceTimersByTimeAsync(50)
  }
  expect(waiting.block?.length).toBe(smallBlockBytes)
})

test('a transfer that gets no block within the limit is refused with a reason, and leaves the queue', async () => {
  const memory = new BodyMemory(budget)
  const [first] = await takeAll(memory)
  await vi.advanceTimersByTimeAsync(0)
  const waiting = Array.from({ length: budget / 4 / smallBlockBytes + 1 }, () => follow(memory.take()))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(waiting.filter(({ block }) => block).length).toBe(waiting.length - 1)
  expect(waiting.at(-1)?.error).toMatchObject({ code: 'cache_busy', status: 503 })
  memory.give(first as Block)
  expect(memory.tryTake()).toBe(first)
})

test('a block that is given back twice is refused', async () => {
  const memory = new BodyMemory(budget)
  const block = await memory.take()
  memory.give(block)
  expect(() => memory.give(block)).toThrow('given back twice')
})
