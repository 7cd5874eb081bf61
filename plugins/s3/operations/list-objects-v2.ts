import { element, optionalElement, xmlDocument } from '../wire/xml.ts'
import { listingEntries, listingHead, readListing } from './list-objects.ts'
import { type Operation, xmlAnswer } from './operation.ts'
import { decodeToken, encodeToken } from './paging.ts'

/** Keys and common prefixes in byte order, paged by an opaque token. */
export const listObjectsV2: Operation = {
  scope: 'bucket',
  async run(request, services) {
    const { query, bucket } = request
    const token = query.get('continuation-token')
    const startAfter = query.get('start-after')
    const listing = await readListing(request, services, token ? decodeToken(token) : (startAfter ?? ''))
    const { page, prefix, encode } = listing
    const next = page.isTruncated && page.last !== undefined ? encodeToken(page.last) : undefined
    const head =
      `${element('Name', bucket.name)}${element('Prefix', encode(prefix))}${optionalElement('ContinuationToken', token)}` +
      `${optionalElement('NextContinuationToken', next)}${element('KeyCount', page.entries.length + page.commonPrefixes.length)}`
    const after = startAfter === undefined ? '' : element('StartAfter', encode(startAfter))
    const entries = listingEntries(listing, query.get('fetch-owner') === 'true' ? bucket.ownerAccessKey : undefined)
    return xmlAnswer(xmlDocument('ListBucketResult', `${head}${listingHead(listing)}${after}${entries}`))
  },
}
