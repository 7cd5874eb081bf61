import { defineService } from '#kernel'
import type { Connections } from '#kernel/server'
import { defineMemoryPart } from '#kernel/system'
import { serverSection } from '../settings.ts'

/** Most memory of an idle connection; 7 to 11 KiB were measured. */
const bytesEach = 40 * 1024

/** The number of connections of clients to the S3 listener. */
export class OpenConnections {
  #connections: Pick<Connections, 'count'> | undefined

  get count(): number {
    return this.#connections?.count ?? 0
  }

  follow(connections: Pick<Connections, 'count'>): void {
    this.#connections = connections
  }
}

export const openConnections = defineService<OpenConnections>('s3.open-connections')

export const connectionsMemoryPart = defineMemoryPart({
  name: 'connections',
  uses: { openConnections, server: serverSection.settings },
  read: ({ openConnections, server }) => ({
    connections: { budgetBytes: server.max_connections * bytesEach, usedBytes: openConnections.count * bytesEach },
  }),
})
