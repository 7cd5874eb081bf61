/** Operations of the service and of buckets. */
import { isForm } from '../../auth/form.ts'
import { createBucket } from '../buckets/create-bucket.ts'
import { deleteBucket } from '../buckets/delete-bucket.ts'
import { getBucketLocation } from '../buckets/get-bucket-location.ts'
import { getBucketVersioning } from '../buckets/get-bucket-versioning.ts'
import { headBucket } from '../buckets/head-bucket.ts'
import { listBuckets } from '../buckets/list-buckets.ts'
import { getBucketAcl, putBucketAcl } from '../configuration/bucket-acl.ts'
import { deleteBucketCors, getBucketCors, putBucketCors } from '../configuration/bucket-cors.ts'
import { deleteBucketLifecycle, getBucketLifecycle, putBucketLifecycle } from '../configuration/bucket-lifecycle.ts'
import { deleteBucketTagging, getBucketTagging, putBucketTagging } from '../configuration/bucket-tagging.ts'
import { corsPreflight } from '../configuration/cross-origin.ts'
import {
  deleteBucketOwnershipControls,
  getBucketOwnershipControls,
  putBucketOwnershipControls,
} from '../configuration/ownership-controls.ts'
import {
  deletePublicAccessBlock,
  getBucketPolicyStatus,
  getPublicAccessBlock,
  putPublicAccessBlock,
} from '../configuration/public-access-block.ts'
import { putBucketVersioning } from '../configuration/put-bucket-versioning.ts'
import { listObjectVersions } from '../listing/list-object-versions.ts'
import { listObjectsV1 } from '../listing/list-objects-v1.ts'
import { listObjectsV2 } from '../listing/list-objects-v2.ts'
import { listMultipartUploads } from '../multipart/list-multipart-uploads.ts'
import { deleteObjects } from '../objects/delete-objects.ts'
import { postObject } from '../objects/post-object.ts'
import { fixedRows } from './fixed-rows.ts'
import { configuration, configurations, type OperationRow, readWrite, sameNamed, withHandlers } from './row.ts'

export const serviceRows: Readonly<Record<string, OperationRow>> = {
  ListBuckets: {
    method: 'GET',
    action: 's3:ListAllMyBuckets',
    handler: listBuckets,
    notes: 'An admin sees all buckets, other users those they own.',
  },
}

const buckets: Readonly<Record<string, OperationRow>> = {
  CreateBucket: {
    method: 'PUT',
    action: 's3:CreateBucket',
    body: 'document',
    handler: createBucket,
    notes:
      'Succeeds again for the owner with the same access control list and object ownership. Public lists need `s3.public_access`. Object lock is not implemented.',
  },
  DeleteBucket: {
    method: 'DELETE',
    action: 's3:DeleteBucket',
    handler: deleteBucket,
    notes: 'A bucket with versions or delete markers is refused; open multipart uploads are aborted. `s3.bucket_deletion` disables it.',
  },
  HeadBucket: { method: 'HEAD', action: 's3:ListBucket', handler: headBucket },
  ListObjects: { method: 'GET', action: 's3:ListBucket', handler: listObjectsV1 },
  ListObjectsV2: {
    method: 'GET',
    variant: { when: '`list-type=2`', matches: (query) => query.get('list-type') === '2' },
    action: 's3:ListBucket',
    handler: listObjectsV2,
  },
  ListObjectVersions: { method: 'GET', subResource: 'versions', action: 's3:ListBucketVersions', handler: listObjectVersions },
  ListMultipartUploads: { method: 'GET', subResource: 'uploads', action: 's3:ListBucketMultipartUploads', handler: listMultipartUploads },
  DeleteObjects: {
    method: 'POST',
    subResource: 'delete',
    action: 's3:DeleteObject',
    body: 'document',
    handler: deleteObjects,
    notes: 'The permission is checked for the bucket before the body is read, and for each key.',
  },
  PostObject: {
    method: 'POST',
    variant: {
      when: 'a form',
      matches: (_query, headers) => isForm(headers),
    },
    action: 's3:PutObject',
    body: 'form',
    handler: postObject,
    notes:
      'A form is valid for an hour after its `x-amz-date`. Its fields before the file have at most 64 KiB. `${filename}` is replaced in `key` and `success_action_redirect` only. Restrictions as for PutObject.',
  },
  GetBucketLocation: { method: 'GET', subResource: 'location', action: 's3:GetBucketLocation', handler: getBucketLocation },
  GetBucketVersioning: {
    method: 'GET',
    subResource: 'versioning',
    action: 's3:GetBucketVersioning',
    handler: getBucketVersioning,
    notes: 'Every bucket is versioned.',
  },
  PutBucketVersioning: {
    method: 'PUT',
    subResource: 'versioning',
    action: 's3:PutBucketVersioning',
    body: 'document',
    handler: putBucketVersioning,
    notes: 'Only `Enabled`.',
  },
  CorsPreflight: { method: 'OPTIONS', handler: corsPreflight },
  CreateSession: { method: 'GET', subResource: 'session', action: 's3:CreateSession' },
}

const configurationRows: Readonly<Record<string, OperationRow>> = {
  ...readWrite('BucketAbac', 'abac', sameNamed('BucketAbac')),
  ...withHandlers(
    readWrite('BucketAcl', 'acl', sameNamed('BucketAcl')),
    { GET: getBucketAcl, PUT: putBucketAcl },
    'The owner of the bucket always has full control. Public lists need `s3.public_access`. Users are named by their owner ID, or by their access key, not by email address; answers show owner IDs.',
  ),
  ...withHandlers(
    configuration('BucketOwnershipControls', 'ownershipControls', sameNamed('BucketOwnershipControls')),
    { GET: getBucketOwnershipControls, PUT: putBucketOwnershipControls, DELETE: deleteBucketOwnershipControls },
    'Buckets without controls have the ownership of `s3.default_object_ownership`.',
  ),
  ...withHandlers(
    configuration('PublicAccessBlock', 'publicAccessBlock', sameNamed('BucketPublicAccessBlock')),
    { GET: getPublicAccessBlock, PUT: putPublicAccessBlock, DELETE: deletePublicAccessBlock },
    '`BlockPublicPolicy` and `RestrictPublicBuckets` are stored, and have no effect: buckets have no policies.',
  ),
  GetBucketPolicyStatus: {
    method: 'GET',
    subResource: 'policyStatus',
    action: 's3:GetBucketPolicyStatus',
    handler: getBucketPolicyStatus,
    notes: 'Public: when the access control list of the bucket gives access to everyone or to every user.',
  },
  ...configurations('Analytics', 'analytics', sameNamed('AnalyticsConfiguration')),
  ...withHandlers(configuration('BucketCors', 'cors', sameNamed('BucketCORS')), {
    GET: getBucketCors,
    PUT: putBucketCors,
    DELETE: deleteBucketCors,
  }),
  ...withHandlers(
    configuration('BucketLifecycleConfiguration', 'lifecycle', sameNamed('LifecycleConfiguration')),
    { GET: getBucketLifecycle, PUT: putBucketLifecycle, DELETE: deleteBucketLifecycle },
    'Rules act at midnight UTC. Transitions are not implemented. A `Filter` with several elements without `And` means all of them. Size and tag filters match no delete marker. `PUT` needs the plugin `lifecycle`; while it is disabled, rules rest.',
  ),
  ...configurations('IntelligentTiering', 'intelligent-tiering', sameNamed('IntelligentTieringConfiguration')),
  ...configurations('Inventory', 'inventory', sameNamed('InventoryConfiguration')),
  ...configurations('Metrics', 'metrics', sameNamed('MetricsConfiguration')),
  ...withHandlers(configuration('BucketTagging', 'tagging', sameNamed('BucketTagging')), {
    GET: getBucketTagging,
    PUT: putBucketTagging,
    DELETE: deleteBucketTagging,
  }),
  ...metadata('BucketMetadataConfiguration', 'metadataConfiguration'),
  ...metadata('BucketMetadataTableConfiguration', 'metadataTable'),
  UpdateBucketMetadataInventoryTableConfiguration: {
    method: 'PUT',
    subResource: 'metadataInventoryTable',
    action: 's3:UpdateBucketMetadataInventoryTableConfiguration',
  },
  UpdateBucketMetadataJournalTableConfiguration: {
    method: 'PUT',
    subResource: 'metadataJournalTable',
    action: 's3:UpdateBucketMetadataJournalTableConfiguration',
  },
}

/** Configurations that are made by POST. */
function metadata(name: string, subResource: string): Readonly<Record<string, OperationRow>> {
  return {
    [`Create${name}`]: { method: 'POST', subResource, action: 's3:CreateBucketMetadataTableConfiguration' },
    [`Get${name}`]: { method: 'GET', subResource, action: 's3:GetBucketMetadataTableConfiguration' },
    [`Delete${name}`]: { method: 'DELETE', subResource, action: 's3:DeleteBucketMetadataTableConfiguration' },
  }
}

export const bucketRows: Readonly<Record<string, OperationRow>> = { ...buckets, ...fixedRows, ...configurationRows }
