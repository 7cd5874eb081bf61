import { expect, test } from 'vitest'
import { createEvents, defineEvent } from './events.ts'

const greeted = defineEvent<{ name: string }>('greeted')

test('events are watched while a subscriber wants their payloads, and the others are told about skipped ones', () => {
  const events = createEvents(() => {})
  expect(events.isWatched()).toBe(false)
  let isWatching = false
  let skipped = 0
  const names: string[] = []
  const end = events.subscribe(({ payload }) => void names.push((payload as { readonly name: string }).name), {
    isWatching: () => isWatching,
    skipped: () => void skipped++,
  })
  expect(events.isWatched()).toBe(false)
  events.skip()
  isWatching = true
  expect(events.isWatched()).toBe(true)
  events.publish(greeted, { name: 'a' })
  expect([skipped, names]).toEqual([1, ['a']])
  end()
  expect(events.isWatched()).toBe(false)
  // A subscriber without conditions wants every payload.
  events.subscribe(() => {})
  expect(events.isWatched()).toBe(true)
})
