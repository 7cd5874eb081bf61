import { type AdminCall, openAdminClient, watchInterrupt } from '#cli'
import { CommandError } from '#kernel'
import { watchEvents } from '../events/event-routes.ts'
import { eventLine, readFrames, type SvcEvent } from './event-text-policy.ts'

/** Longest frame that is waited for. */
const frameBytesMax = 1024 * 1024

/** Follows the stream until Ctrl-C. */
export async function run(call: AdminCall): Promise<undefined> {
  const client = await openAdminClient(call)
  const { bytes, close } = await client.open(watchEvents)
  using interrupt = watchInterrupt()
  interrupt.signal.addEventListener('abort', close)
  call.out.note(`Following the events of ${client.url}; Ctrl-C ends this`)
  let last: number | undefined
  try {
    for await (const event of readEvents(bytes)) {
      if (last !== undefined && event.seq > last + 1)
        call.out.note(`warning: ${event.seq - last - 1} events were lost: this reader is too slow`)
      last = event.seq
      await call.out.write(`${call.out.isJson ? JSON.stringify(event) : eventLine(event, Date.now())}\n`)
    }
  } catch (error) {
    if (!interrupt.signal.aborted) throw error
  }
  if (!interrupt.signal.aborted) throw new CommandError(`${client.url} ended the event stream; run the command again when it serves`)
}

async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SvcEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const { events, remainder } = readFrames(rest + decoder.decode(chunk, { stream: true }))
    if (remainder.length > frameBytesMax) throw new CommandError(`an event is larger than ${frameBytesMax} bytes; is this the Admin API?`)
    rest = remainder
    yield* events
  }
}
