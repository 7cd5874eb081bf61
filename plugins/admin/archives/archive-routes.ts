import { randomBytes } from 'node:crypto'
import { BoundedMap, clock, database, defineRoutes, log, serveEndpoint } from '#kernel'
import { type Bucket, buckets, objects, versions } from '#plugins/storage'
import { requireBucket } from '../buckets/require-bucket.ts'
import type { BulkTarget } from '../bulk/bulk-action-store.ts'
import { sumTargets } from '../bulk/bulk-sum-store.ts'
import { untilAnswered } from '../bulk/until-answered.ts'
import { adminErrors } from '../errors.ts'
import { archivedMax, downloadArchive, prepareArchive } from './archive-api.ts'

/** A prepared archive whose download did not begin is forgotten. */
const ticketMs = 60_000
const ticketsMax = 100
/** Downloads at a time. */
const downloadsMax = 4

interface Ticket {
  readonly bucket: Pick<Bucket, 'id' | 'name'>
  readonly targets: readonly BulkTarget[]
  readonly expiresAtMs: number
}

/** A browser downloads by a link, which has no room for many keys: the link names a ticket. */
export const archiveRoutes = defineRoutes({
  name: 'archives',
  uses: { clock, database, buckets, objects, versions, log },
  endpoints: [prepareArchive, downloadArchive],
  register(app, { clock, database, buckets, objects, versions, log }) {
    const tickets = new BoundedMap<string, Ticket>(ticketsMax)
    let downloads = 0

    serveEndpoint(app, prepareArchive, async ({ params, body: { targets }, reply }) => {
      const { id, name } = requireBucket(buckets, params.name)
      if (downloads >= downloadsMax) throw adminErrors.archives_busy()
      const limits = { signal: untilAnswered(reply), objectsMax: archivedMax + 1 }
      const sum = await sumTargets({ read: database.read, versions }, id, { action: 'move_to_trash', targets }, limits)
      if (sum.objects === 0) throw adminErrors.archive_empty()
      if (sum.objects > archivedMax) throw adminErrors.archive_too_large()
      const ticket = randomBytes(16).toString('base64url')
      tickets.set(ticket, { bucket: { id, name }, targets, expiresAtMs: clock.now() + ticketMs })
      return { ticket, objects: sum.objects, bytes: String(sum.bytes) }
    })

    serveEndpoint(app, downloadArchive, async ({ params, reply }) => {
      const { streamArchive } = await import('./archive-stream.ts')
      // Nothing is awaited from here on, so that no other download takes the ticket or the place.
      const found = tickets.get(params.ticket)
      if (!found || found.expiresAtMs < clock.now()) throw adminErrors.archive_not_found()
      if (downloads >= downloadsMax) throw adminErrors.archives_busy()
      const stream = streamArchive({ objects, versions, log }, { ...found, objectsMax: archivedMax })
      tickets.set(params.ticket, { ...found, targets: [], expiresAtMs: 0 })
      downloads += 1
      stream.once('close', () => {
        downloads -= 1
      })
      reply.headers({ 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${found.bucket.name}.zip"` })
      return stream
    })
  },
})
