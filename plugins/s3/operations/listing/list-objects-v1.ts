import { objectListV1Document } from '../../documents/lists/list-objects-v1.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { findListedOwners, readListing } from './read-listing.ts'

/** Keys and common prefixes in byte order, paged by marker. */
export const listObjectsV1: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const marker = request.query.get('marker') ?? ''
    const { next, ...listing } = await readListing(request, services, { after: marker, withVersionIds: true })
    // Clients continue from the last key without a delimiter.
    const nextMarker = listing.delimiter === '' ? undefined : next
    const owners = await findListedOwners(request, services, listing)
    return xmlAnswer(objectListV1Document.write({ ...listing, ...owners, marker, nextMarker }))
  },
}
