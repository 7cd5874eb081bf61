/** The tests of ceph/s3-tests that are run: those of its three files about S3, without the ones below. */

/** The commit of ceph/s3-tests for which the lists of this folder are complete. */
export const suiteCommit = '8f0ae7b'

/** Markers of tests that are left out, with the reason. */
export const markersLeftOut: Readonly<Record<string, string>> = {
  lifecycle_transition: 'STANDARD is the only storage class.',
  cloud_transition: 'STANDARD is the only storage class.',
  cloud_restore: 'STANDARD is the only storage class.',
  bucket_logging: 'Access logs are not written to buckets.',
  encryption: 'The server does not encrypt.',
  sse_s3: 'The server does not encrypt.',
  s3select: 'Queries inside objects.',
  auth_aws2: 'Signature version 2 is refused.',
}

/** Tests without such a marker that are left out, with the reason. */
export const testsLeftOut: Readonly<Record<string, readonly string[]>> = {
  'Headers and parameters that only RadosGW has.': [
    'test_account_usage',
    'test_bucket_head_extended',
    'test_bucket_list_unordered',
    'test_bucket_listv2_unordered',
    'test_head_bucket_usage',
  ],
  'STANDARD is the only storage class.': ['test_lifecycle_transition_set_invalid_date'],
  'Skipped unless the configuration names a zone group of RadosGW.': ['test_bucket_get_location'],
  'Skipped without accounts of IAM.': [
    'test_bucket_policy_deny_self_denied_policy',
    'test_bucket_policy_deny_self_denied_policy_confirm_header',
  ],
  'Signature version 2 is refused.': [
    'test_cors_presigned_get_object_tenant_v2',
    'test_cors_presigned_get_object_v2',
    'test_cors_presigned_put_object_tenant_v2',
    'test_cors_presigned_put_object_v2',
  ],
}

/** Number of tests that are run. */
export const testsInScope = 576

/** Marker expression of pytest. */
export const markers = Object.keys(markersLeftOut)
  .map((marker) => `not ${marker}`)
  .join(' and ')
