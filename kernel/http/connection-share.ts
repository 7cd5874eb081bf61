import type { Server, Socket } from 'node:net'
import { clientNetwork } from './client-network.ts'

export interface ConnectionShare {
  /** Connections that one client may hold; further ones are ended at once. */
  readonly perClientMax: number
  /** Peers that carry the connections of many clients, such as trusted proxies. Default: none. */
  readonly isExempt?: (address: string | undefined) => boolean
}

/** Keeps one client from taking every connection of a server, by half-open ones above all. */
export function shareConnections(server: Server, { perClientMax, isExempt = () => false }: ConnectionShare): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (isExempt(address)) return
    const client = clientNetwork(address ?? '')
    const count = open.get(client) ?? 0
    if (count >= perClientMax) {
      socket.destroy()
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
