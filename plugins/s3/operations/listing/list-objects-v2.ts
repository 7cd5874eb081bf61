import { objectListV2Document } from '../../documents/lists/list-objects-v2.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { decodeToken, encodeToken } from './continuation-token.ts'
import { findListedOwners, readListing } from './read-listing.ts'

/** Keys and common prefixes in byte order, paged by an opaque token. */
export const listObjectsV2: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const { query } = request
    const continuationToken = query.get('continuation-token')
    const startAfter = query.get('start-after')
    const after = continuationToken ? decodeToken(continuationToken) : (startAfter ?? '')
    const showsOwners = query.get('fetch-owner') === 'true'
    const { next, ...listing } = await readListing(request, services, { after, withVersionIds: showsOwners })
    const list = {
      ...listing,
      ...(showsOwners ? await findListedOwners(request, services, listing) : { owner: undefined }),
      continuationToken,
      nextContinuationToken: next === undefined ? undefined : encodeToken(next),
      startAfter,
    }
    return xmlAnswer(objectListV2Document.write(list))
  },
}
