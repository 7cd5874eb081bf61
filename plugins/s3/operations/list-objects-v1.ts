import { element, xmlDocument } from '../wire/xml.ts'
import { listingEntries, listingHead, readListing } from './list-objects.ts'
import { type Operation, xmlAnswer } from './operation.ts'

/** Keys and common prefixes in byte order, paged by marker. */
export const listObjectsV1: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const marker = request.query.get('marker') ?? ''
    const listing = await readListing(request, services, marker)
    const { page, prefix, delimiter, encode } = listing
    // Without a delimiter clients continue from the last key.
    const next = page.isTruncated && delimiter !== '' ? page.last : undefined
    const head = `${element('Name', request.bucket.name)}${element('Prefix', encode(prefix))}${element('Marker', encode(marker))}`
    const nextMarker = next === undefined ? '' : element('NextMarker', encode(next))
    const entries = listingEntries(listing, request.bucket.ownerAccessKey)
    return xmlAnswer(xmlDocument('ListBucketResult', `${head}${nextMarker}${listingHead(listing)}${entries}`))
  },
}
