/** Query names that select another operation, and the operation of each method. */
type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
export type MethodTable = Readonly<Partial<Record<Method, string>>>

const configuration = (name: string): MethodTable => ({ GET: `Get${name}`, PUT: `Put${name}`, DELETE: `Delete${name}` })
const readWrite = (name: string): MethodTable => ({ GET: `Get${name}`, PUT: `Put${name}` })

/** Sub-resources of `/{bucket}`. Unknown names are ignored. */
export const bucketSubResources: ReadonlyMap<string, MethodTable> = new Map(
  Object.entries({
    abac: readWrite('BucketAbac'),
    accelerate: readWrite('BucketAccelerateConfiguration'),
    acl: readWrite('BucketAcl'),
    analytics: configuration('BucketAnalyticsConfiguration'),
    cors: configuration('BucketCors'),
    delete: { POST: 'DeleteObjects' },
    encryption: configuration('BucketEncryption'),
    'intelligent-tiering': configuration('BucketIntelligentTieringConfiguration'),
    inventory: configuration('BucketInventoryConfiguration'),
    lifecycle: configuration('BucketLifecycleConfiguration'),
    location: { GET: 'GetBucketLocation' },
    logging: readWrite('BucketLogging'),
    metadataConfiguration: { POST: 'CreateBucketMetadataConfiguration', ...configuration('BucketMetadataConfiguration') },
    metadataInventoryTable: { PUT: 'UpdateBucketMetadataInventoryTableConfiguration' },
    metadataJournalTable: { PUT: 'UpdateBucketMetadataJournalTableConfiguration' },
    metadataTable: { POST: 'CreateBucketMetadataTableConfiguration', ...configuration('BucketMetadataTableConfiguration') },
    metrics: configuration('BucketMetricsConfiguration'),
    notification: readWrite('BucketNotificationConfiguration'),
    'object-lock': readWrite('ObjectLockConfiguration'),
    ownershipControls: configuration('BucketOwnershipControls'),
    policy: configuration('BucketPolicy'),
    policyStatus: { GET: 'GetBucketPolicyStatus' },
    publicAccessBlock: configuration('PublicAccessBlock'),
    replication: configuration('BucketReplication'),
    requestPayment: readWrite('BucketRequestPayment'),
    session: { GET: 'CreateSession' },
    tagging: configuration('BucketTagging'),
    uploads: { GET: 'ListMultipartUploads' },
    versioning: readWrite('BucketVersioning'),
    versions: { GET: 'ListObjectVersions' },
    website: configuration('BucketWebsite'),
  }),
)

/** Sub-resources of `/{bucket}/{key}`, except partNumber and uploadId, which depend on each other. */
export const objectSubResources: ReadonlyMap<string, MethodTable> = new Map(
  Object.entries({
    acl: readWrite('ObjectAcl'),
    annotation: configuration('ObjectAnnotation'),
    attributes: { GET: 'GetObjectAttributes' },
    encryption: { PUT: 'UpdateObjectEncryption' },
    'legal-hold': readWrite('ObjectLegalHold'),
    renameObject: { PUT: 'RenameObject' },
    restore: { POST: 'RestoreObject' },
    retention: readWrite('ObjectRetention'),
    select: { POST: 'SelectObjectContent' },
    tagging: configuration('ObjectTagging'),
    torrent: { GET: 'GetObjectTorrent' },
    uploads: { POST: 'CreateMultipartUpload' },
  }),
)

export const serviceMethods: MethodTable = { GET: 'ListBuckets' }
export const bucketMethods: MethodTable = { GET: 'ListObjects', HEAD: 'HeadBucket', PUT: 'CreateBucket', DELETE: 'DeleteBucket' }
export const objectMethods: MethodTable = { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject', DELETE: 'DeleteObject' }
export const uploadMethods: MethodTable = {
  GET: 'ListParts',
  PUT: 'UploadPart',
  POST: 'CompleteMultipartUpload',
  DELETE: 'AbortMultipartUpload',
}

export function operationOf(table: MethodTable, method: string): string | undefined {
  return Object.hasOwn(table, method) ? table[method as Method] : undefined
}

export function methodsOf(table: MethodTable): string {
  return Object.keys(table).join(', ')
}
