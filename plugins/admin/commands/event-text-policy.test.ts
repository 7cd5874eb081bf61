import { expect, test } from 'vitest'
import { eventLine, readFrames } from './event-text-policy.ts'

test('complete frames are read, comments omitted, and an incomplete frame is kept for the next bytes', () => {
  const text = ': connected\n\nevent: a\nid: 1\ndata: {"seq":1,"topic":"a"}\n\nevent: b\nid: 2\ndata: {"se'
  expect(readFrames(text)).toEqual({ events: [{ seq: 1, topic: 'a' }], remainder: 'event: b\nid: 2\ndata: {"se' })
})

test('an event is one line without control characters', () => {
  const event = { seq: 7, topic: 'task_updated', task_id: 4, subject: { type: 'bucket', key: 'a' }, message: 'two\n\u001b[31mlines' }
  expect(eventLine(event, 0)).toBe(
    '1970-01-01T00:00:00Z 7 task_updated task_id=4 subject={"type":"bucket","key":"a"} message=two [31mlines',
  )
})
