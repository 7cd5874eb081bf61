// Notifications of new blocks and pending transactions over one WebSocket to anvil, so that nothing is polled often.
import { once } from 'node:events'

const OPEN_TIMEOUT_MS = 20_000

const topics = ['newHeads', 'newPendingTransactions'] as const
type Topic = (typeof topics)[number]

export interface ChainEvents extends Disposable {
  /** Calls back after each new block, or after each transaction that can be mined. Returns the function that unsubscribes. */
  subscribe(topic: Topic, listener: () => void): () => void
}

interface Message {
  /** Index of the topic, in an answer. */
  readonly id?: number
  readonly result?: string
  readonly params?: { readonly subscription: string }
}

/** When the connection closes early, that is logged; subscribers must also poll, at a slow interval. */
export async function openChainEvents(rpcUrl: string, log: (line: string) => void): Promise<ChainEvents> {
  const listeners: Readonly<Record<Topic, Set<() => void>>> = { newHeads: new Set(), newPendingTransactions: new Set() }
  const topicOf = new Map<string, Topic>()
  const signal = AbortSignal.timeout(OPEN_TIMEOUT_MS)
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'))
  await once(socket, 'open', { signal })
  const { promise: subscribed, resolve, reject } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => reject(new Error(`anvil accepted no subscription within ${OPEN_TIMEOUT_MS} ms`)), { once: true })
  socket.addEventListener('message', ({ data }) => {
    const { id, result, params }: Message = JSON.parse(String(data))
    const topic = params ? topicOf.get(params.subscription) : undefined
    if (topic) for (const listener of listeners[topic]) listener()
    const asked = id === undefined ? undefined : topics[id]
    if (asked && result !== undefined) topicOf.set(result, asked)
    if (topicOf.size === topics.length) resolve()
  })
  for (const [id, topic] of topics.entries()) {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: [topic] }))
  }
  await subscribed
  const onClose = () => log('connection for notifications of the chain closed; new blocks are noticed late')
  socket.addEventListener('close', onClose)
  return {
    subscribe(topic, listener) {
      listeners[topic].add(listener)
      return () => listeners[topic].delete(listener)
    },
    [Symbol.dispose]() {
      socket.removeEventListener('close', onClose)
      socket.close()
    },
  }
}
