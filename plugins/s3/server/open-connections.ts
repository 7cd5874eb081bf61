import { defineMetric, defineService } from '#kernel'
import type { Connections } from '#kernel/server'
import { defineMemoryPart } from '#kernel/system'
import { serverSection } from '../settings.ts'

/** Most memory of an idle connection; 7 to 11 KiB were measured. */
const bytesEach = 40 * 1024

type Followed = Pick<Connections, 'count' | 'traffic' | 'stop'>

/** The connections of clients to the S3 listener. */
export class OpenConnections {
  #connections: Followed | undefined

  get count(): number {
    return this.#connections?.count ?? 0
  }

  /** Bytes since the start. */
  get traffic(): Followed['traffic'] {
    return this.#connections?.traffic ?? { receivedBytes: 0, sentBytes: 0 }
  }

  follow(connections: Followed): void {
    this.#connections = connections
  }

  /** Ends them, those with requests after the answers. */
  stop(): void {
    this.#connections?.stop()
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

export const trafficMetric = defineMetric({
  name: 'svc_s3_traffic_bytes_total',
  help: 'Bytes of HTTP received from (in) and sent to (out) S3 clients, with headers.',
  type: 'counter',
  labels: ['direction'],
  uses: { openConnections },
  series: [
    { name: 'bytes_in', label: 'Received', unit: 'bytes', where: { direction: ['in'] } },
    { name: 'bytes_out', label: 'Sent', unit: 'bytes', where: { direction: ['out'] } },
  ],
  async collect({ openConnections }) {
    const { receivedBytes, sentBytes } = openConnections.traffic
    return [
      { labels: { direction: 'in' }, value: receivedBytes },
      { labels: { direction: 'out' }, value: sentBytes },
    ]
  },
})
