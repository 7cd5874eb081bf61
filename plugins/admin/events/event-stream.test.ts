import { once } from 'node:events'
import { expect, test } from 'vitest'
import { EventStream, framesWaitingMax } from './event-stream.ts'

test('a slow reader gets the buffered frames; later ones are dropped', async () => {
  const stream = new EventStream()
  for (let i = 0; i < framesWaitingMax + 20; i++) stream.offer(`${i} `)
  stream.finish()
  stream.setEncoding('utf8')
  const read = (await stream.toArray()).join('').trim().split(' ').map(Number)
  expect(read).toEqual(Array.from({ length: framesWaitingMax }, (_, i) => i))
})

test('a reader that catches up gets frames again', async () => {
  const stream = new EventStream()
  stream.setEncoding('utf8')
  for (let i = 0; i < framesWaitingMax + 1; i++) stream.offer('x')
  const seen: string[] = []
  stream.on('data', (text: string) => seen.push(text))
  await expect.poll(() => seen.length).toBe(framesWaitingMax)
  stream.offer('y')
  expect(seen.at(-1)).toBe('y')
  stream.destroy()
})

test('a finished stream delivers its buffered frames, drops later ones and ends', async () => {
  const stream = new EventStream()
  stream.offer('a')
  stream.finish()
  stream.finish()
  stream.offer('b')
  expect((await stream.toArray()).map(String)).toEqual(['a'])
  if (!stream.closed) await once(stream, 'close')
})
