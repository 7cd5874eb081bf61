import type { Server, Socket } from 'node:net'
import { clientNetwork } from './client-network.ts'

export interface ConnectionShare {
  /** Connections allowed per client; further ones are closed at once. */
  readonly perClientMax: number
  /** Peers that carry the connections of many clients, such as trusted proxies. Default: none. */
  readonly isExempt?: (address: string | undefined) => boolean
  /** Called at most once a minute with the latest client and the number of connections closed since the previous call. */
  readonly onEnded?: (ended: { readonly client: string; readonly connections: number }) => void
}

const tellPauseMs = 60_000

/** Keeps one client from using all connections of a server, such as by half-open ones. */
export function shareConnections(server: Server, { perClientMax, isExempt = () => false, onEnded = () => {} }: ConnectionShare): void {
  const open = new Map<string, number>()
  let ended = 0
  let toldAtMs = Number.NEGATIVE_INFINITY
  const tell = (client: string) => {
    ended++
    if (performance.now() - toldAtMs < tellPauseMs) return
    onEnded({ client, connections: ended })
    ended = 0
    toldAtMs = performance.now()
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (isExempt(address)) return
    const client = clientNetwork(address ?? '')
    const count = open.get(client) ?? 0
    if (count >= perClientMax) {
      socket.destroy()
      tell(client)
      return
    }
    open.set(client, count + 1)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
  })
}
