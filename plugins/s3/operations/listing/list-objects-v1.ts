import { objectListV1Document } from '../../documents/list-objects-v1.ts'
import { ownerId } from '../../users/owner-id.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readListing } from './read-listing.ts'

/** Keys and common prefixes in byte order, paged by marker. */
export const listObjectsV1: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const marker = request.query.get('marker') ?? ''
    const { next, ...listing } = await readListing(request, services, marker)
    // Without a delimiter clients continue from the last key.
    const nextMarker = listing.delimiter === '' ? undefined : next
    return xmlAnswer(objectListV1Document.write({ ...listing, owner: ownerId(request.bucket.ownerAccessKey), marker, nextMarker }))
  },
}
