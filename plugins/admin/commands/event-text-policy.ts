/** Parses and formats events. */

import { onOneLine } from '#cli'
import { formatTime } from '#kernel'

export interface SvcEvent {
  readonly seq: number
  readonly topic: string
  readonly [member: string]: unknown
}

/** Complete frames of a server-sent event stream; comments are left out. `remainder` is the frame that is not complete yet. */
export function readFrames(text: string): { readonly events: readonly SvcEvent[]; readonly remainder: string } {
  const frames = text.split('\n\n')
  const remainder = frames.pop() ?? ''
  const events = frames.flatMap((frame) => {
    const data = frame.split('\n').find((line) => line.startsWith('data: '))
    return data === undefined ? [] : [JSON.parse(data.slice('data: '.length)) as SvcEvent]
  })
  return { events, remainder }
}

/** `2026-01-31T12:00:00Z 17 task_updated task_id=4 status=running`. */
export function eventLine({ seq, topic, ...payload }: SvcEvent, receivedAtMs: number): string {
  const members = Object.entries(payload).map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
  return onOneLine([formatTime(receivedAtMs), seq, topic, ...members].join(' '))
}
