import { element, optionalElement, xmlDocument } from '../../wire/xml.ts'
import { childrenOf, childText, requireText, requireTime } from '../../wire/xml-reader.ts'
import { readOwner, writeOwner } from '../owner.ts'
import { defineDocument } from '../xml-document.ts'

interface ListedBucket {
  readonly name: string
  readonly createdAtMs: number
  readonly region: string
}

interface BucketList {
  readonly owner: string
  readonly buckets: readonly ListedBucket[]
  readonly continuationToken: string | undefined
  readonly prefix: string | undefined
}

export const bucketListDocument = defineDocument<BucketList>({
  root: 'ListAllMyBucketsResult',
  write({ owner, buckets, continuationToken, prefix }) {
    const items = buckets.map(
      ({ name, createdAtMs, region }) =>
        `<Bucket>${element('Name', name)}${element('CreationDate', new Date(createdAtMs).toISOString())}${element('BucketRegion', region)}</Bucket>`,
    )
    const after = `${optionalElement('ContinuationToken', continuationToken)}${optionalElement('Prefix', prefix)}`
    return xmlDocument('ListAllMyBucketsResult', `${writeOwner(owner)}<Buckets>${items.join('')}</Buckets>${after}`)
  },
  read: (root) => ({
    owner: readOwner(root) ?? '',
    buckets: childrenOf(root, 'Buckets')
      .flatMap((buckets) => childrenOf(buckets, 'Bucket'))
      .map((bucket) => ({
        name: requireText(bucket, 'Name'),
        createdAtMs: requireTime(bucket, 'CreationDate'),
        region: childText(bucket, 'BucketRegion') ?? '',
      })),
    continuationToken: childText(root, 'ContinuationToken'),
    prefix: childText(root, 'Prefix'),
  }),
})
