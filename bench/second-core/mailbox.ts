// Calls to another thread or process. Those of a turn of the event loop share one message.

interface Call {
  readonly number: number
  readonly method: string
  readonly argument: unknown
}

interface Reply {
  readonly number: number
  readonly value?: unknown
  readonly fault?: unknown
}

export interface Channel {
  /** `transfers`: memory that the sender gives away; a channel may ignore it. */
  send(messages: readonly unknown[], transfers: readonly ArrayBuffer[]): void
  onMessages(take: (messages: readonly unknown[]) => void): void
}

class Outbox {
  readonly #channel: Channel
  #messages: unknown[] = []
  #transfers: ArrayBuffer[] = []

  constructor(channel: Channel) {
    this.#channel = channel
  }

  add(message: unknown, transfer?: ArrayBuffer): void {
    if (this.#messages.length === 0) setImmediate(() => this.#flush())
    this.#messages.push(message)
    if (transfer) this.#transfers.push(transfer)
  }

  #flush(): void {
    const [messages, transfers] = [this.#messages, this.#transfers]
    this.#messages = []
    this.#transfers = []
    this.#channel.send(messages, transfers)
  }
}

type Ask = (method: string, argument: unknown, transfer?: ArrayBuffer) => Promise<never>

export function openCaller(channel: Channel): Ask {
  const outbox = new Outbox(channel)
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>()
  let last = 0
  channel.onMessages((messages) => {
    for (const { number, value, fault } of messages as readonly Reply[]) {
      const call = waiting.get(number)
      waiting.delete(number)
      if (fault === undefined) call?.resolve(value as never)
      else call?.reject(new Error(JSON.stringify(fault)))
    }
  })
  return (method, argument, transfer) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>()
    last += 1
    waiting.set(last, { resolve, reject })
    outbox.add({ number: last, method, argument } satisfies Call, transfer)
    return promise
  }
}

type Handlers = Readonly<Record<string, (argument: never) => Promise<unknown>>>

export function serveCalls(channel: Channel, handlers: Handlers, describe: (error: unknown) => unknown): void {
  const outbox = new Outbox(channel)
  channel.onMessages((messages) => {
    for (const { number, method, argument } of messages as readonly Call[]) {
      const handler = handlers[method] as (argument: unknown) => Promise<unknown>
      handler(argument).then(
        (value) => outbox.add({ number, value } satisfies Reply),
        (error: unknown) => outbox.add({ number, fault: describe(error) } satisfies Reply),
      )
    }
  })
}
