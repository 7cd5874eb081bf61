/** Implemented operations by name. */
import { createBucket } from './create-bucket.ts'
import { deleteObject } from './delete-object.ts'
import { getBucketLocation } from './get-bucket-location.ts'
import { getBucketVersioning } from './get-bucket-versioning.ts'
import { getObject } from './get-object.ts'
import { headBucket } from './head-bucket.ts'
import { headObject } from './head-object.ts'
import { listBuckets } from './list-buckets.ts'
import { listObjectVersions } from './list-object-versions.ts'
import { listObjectsV1 } from './list-objects-v1.ts'
import { listObjectsV2 } from './list-objects-v2.ts'
import type { Operation } from './operation.ts'
import { putObject } from './put-object.ts'

export const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['CreateBucket', createBucket],
  ['DeleteObject', deleteObject],
  ['GetBucketLocation', getBucketLocation],
  ['GetBucketVersioning', getBucketVersioning],
  ['GetObject', getObject],
  ['HeadBucket', headBucket],
  ['HeadObject', headObject],
  ['ListBuckets', listBuckets],
  ['ListObjectVersions', listObjectVersions],
  ['ListObjects', listObjectsV1],
  ['ListObjectsV2', listObjectsV2],
  ['PutObject', putObject],
])
