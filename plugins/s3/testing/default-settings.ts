import type { S3Settings } from '../settings.ts'

/** The defaults of the product. */
export const defaultSettings: S3Settings = {
  region: 'us-east-1',
  virtual_host_domains: [],
  storage_class_policy: 'reject',
  bucket_deletion: true,
  sse_s3_header: 'reject',
  default_checksum: 'crc64nvme',
  public_access: false,
  default_object_ownership: 'BucketOwnerPreferred',
  multipart_expiry_days: 7,
  body_idle_timeout: 60_000,
  min_object_size: 127,
  max_object_size: 1_065_353_216,
  object_sizes: 'default',
}
