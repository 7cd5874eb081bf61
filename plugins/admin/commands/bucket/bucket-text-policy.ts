/** Buckets as text. */
import { formatFacts, formatSize, formatTable } from '#cli'
import type { BucketChange, BucketDetail, BucketItem } from '../../buckets/bucket-api.ts'

export function bucketTable(buckets: readonly BucketItem[]): string {
  if (buckets.length === 0) return 'No buckets found.'
  const rows = buckets.map((bucket) => [
    bucket.name,
    bucket.owner_access_key ?? '',
    String(bucket.default_copies),
    String(bucket.minimum_durable_copies),
    String(bucket.object_count),
    formatSize(bucket.total_size_bytes),
    bucket.public_access.join(','),
    bucket.created_at,
  ])
  return formatTable(['name', 'owner', 'copies', 'minimum', 'objects', 'size', 'public', 'created'], rows)
}

export function changeText({ name, owner_access_key, default_copies, minimum_durable_copies }: BucketChange): string {
  return formatFacts([
    ['Bucket', name],
    ['Owner', owner_access_key],
    ['Copies', default_copies],
    ['Minimum copies', minimum_durable_copies],
  ])
}

export function bucketText(bucket: BucketDetail): string {
  const facts = formatFacts([
    ['Objects', bucket.object_count],
    ['Size', formatSize(bucket.total_size_bytes)],
    ['Versioning', bucket.versioning_status],
    ['Public access', publicText(bucket)],
    ['Created', bucket.created_at],
    ['Updated', bucket.updated_at],
  ])
  const dataSets =
    bucket.data_sets.length === 0 ? 'No data sets yet: the first copy to a provider creates them.' : dataSetTable(bucket.data_sets)
  return `${changeText(bucket)}\n${facts}\n\nData sets\n${dataSets}`
}

const publicText = ({ public_access: rights }: BucketItem) =>
  rights.length === 0 ? 'none' : `${rights.join(', ')}: anyone, without a signature; docs/guide/public-buckets.md says how to end it`

function dataSetTable(dataSets: BucketDetail['data_sets']): string {
  const rows = dataSets.map((set) => [
    String(set.copy_index),
    String(set.generation),
    set.status,
    set.provider_id,
    set.data_set_id ?? '–',
    String(set.committed_copies),
    String(set.readable_copies),
    formatSize(set.physical_bytes),
  ])
  return formatTable(['slot', 'generation', 'status', 'provider', 'data_set', 'committed', 'readable', 'size'], rows)
}
