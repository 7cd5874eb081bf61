// Event-loop delay of a gateway process, read over its message channel.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface EventLoopDelay {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of the loop between two measurements, above their interval: other programs of the machine do not change it. */
  readonly ownP99Ms: number
}

/** Arguments for Node that make a gateway answer `takeLoopDelay`. */
export const reportingArguments = ['--import', fileURLToPath(new URL('event-loop-report.js', import.meta.url))]

/** Delay since the call before, or since the start. */
export async function takeLoopDelay(process: ChildProcess): Promise<EventLoopDelay> {
  const answer = once(process, 'message')
  process.send({})
  const [delay] = (await answer) as [EventLoopDelay]
  return delay
}
