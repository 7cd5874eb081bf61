/** Tests in scope that fail, by reason. docs/reference/s3-tests.md is generated from this list. */

interface FailureReason {
  readonly title: string
  /** Why svc answers as it does. */
  readonly why: string
  readonly tests: readonly string[]
}

const split = (names: string): readonly string[] => names.trim().split(/\s+/)

export const failureReasons: readonly FailureReason[] = [
  {
    title: 'Object lock is not implemented',
    why: 'CreateBucket refuses `x-amz-bucket-object-lock-enabled`, and versions cannot be locked.',
    tests: split(`
      test_object_lock_changing_mode_from_compliance test_object_lock_changing_mode_from_governance_with_bypass
      test_object_lock_changing_mode_from_governance_without_bypass test_object_lock_delete_multipart_object_with_legal_hold_on
      test_object_lock_delete_multipart_object_with_retention test_object_lock_delete_object_with_legal_hold_off
      test_object_lock_delete_object_with_legal_hold_on test_object_lock_delete_object_with_retention
      test_object_lock_delete_object_with_retention_and_marker test_object_lock_get_legal_hold
      test_object_lock_get_obj_lock test_object_lock_get_obj_metadata
      test_object_lock_get_obj_retention
      test_object_lock_get_obj_retention_iso8601 test_object_lock_multi_delete_object_with_retention
      test_object_lock_put_legal_hold test_object_lock_put_legal_hold_invalid_bucket test_object_lock_put_legal_hold_invalid_status
      test_object_lock_put_obj_lock test_object_lock_put_obj_lock_invalid_days test_object_lock_put_obj_lock_invalid_mode
      test_object_lock_put_obj_lock_invalid_status test_object_lock_put_obj_lock_invalid_years
      test_object_lock_put_obj_lock_with_days_and_years test_object_lock_put_obj_retention
      test_object_lock_put_obj_retention_increase_period test_object_lock_put_obj_retention_invalid_bucket
      test_object_lock_put_obj_retention_invalid_mode test_object_lock_put_obj_retention_override_default_retention
      test_object_lock_put_obj_retention_shorten_period test_object_lock_put_obj_retention_shorten_period_bypass
      test_object_lock_put_obj_retention_versionid test_object_lock_suspend_versioning test_object_lock_uploading_obj
    `),
  },
  {
    title: 'Bucket policies are not implemented',
    why: 'PutBucketPolicy answers NotImplemented; permissions come from roles, ownership and access control lists.',
    tests: split(`
      test_bucket_policy test_bucket_policy_allow_notprincipal test_bucket_policy_another_bucket
      test_bucket_policy_different_tenant test_bucket_policy_get_obj_acl_existing_tag test_bucket_policy_get_obj_existing_tag
      test_bucket_policy_get_obj_tagging_existing_tag test_bucket_policy_multipart test_bucket_policy_put_obj_acl
      test_bucket_policy_put_obj_copy_source test_bucket_policy_put_obj_copy_source_meta test_bucket_policy_put_obj_grant
      test_bucket_policy_put_obj_request_obj_tag test_bucket_policy_put_obj_tagging_existing_tag
      test_bucket_policy_set_condition_operator_end_with_IfExists test_bucket_policy_tenanted_bucket
      test_bucket_policy_upload_part_copy test_bucketv2_policy test_bucketv2_policy_another_bucket
      test_create_bucket_bucket_owner_enforced test_delete_tags_obj_public test_get_nonpublicpolicy_acl_bucket_policy_status
      test_get_nonpublicpolicy_principal_bucket_policy_status test_get_publicpolicy_acl_bucket_policy_status
      test_get_tags_acl_public test_head_object_404_with_policy_prefix test_multipart_upload_on_a_bucket_with_policy
      test_put_tags_acl_public test_set_get_del_bucket_policy
      test_bucket_policy_acl test_bucketv2_policy_acl
      test_get_public_block_deny_bucket_policy test_block_public_restrict_public_buckets
      test_block_public_policy test_block_public_policy_with_principal
      test_create_bucket_bucket_owner_preferred test_create_bucket_object_writer
      test_put_bucket_ownership_bucket_owner_enforced test_put_bucket_ownership_bucket_owner_preferred
      test_put_bucket_ownership_object_writer
    `),
  },
  {
    title: 'Buckets are always versioned',
    why: 'Every bucket keeps versions, and versioning cannot be suspended. These tests expect a bucket without versions, a null version, a deletion without a delete marker, or an error because the bucket has no versioning.',
    tests: split(`
      test_delete_marker_nonversioned test_delete_marker_suspended test_delete_object_if_match
      test_delete_object_if_match_last_modified_time test_delete_object_if_match_size test_get_object_attributes
      test_multipart_copy_versioned test_object_lock_put_obj_lock_enable_after_create test_object_lock_put_obj_lock_invalid_bucket
      test_versioning_bucket_atomic_upload_return_version_id test_versioning_bucket_create_suspend
      test_versioning_bucket_multipart_upload_return_version_id test_versioning_obj_plain_null_version_overwrite
      test_versioning_obj_plain_null_version_overwrite_suspended test_versioning_obj_plain_null_version_removal
      test_versioning_obj_suspend_versions test_versioning_obj_suspended_copy
      test_object_delete_key_bucket_gone test_object_raw_get_bucket_gone
      test_object_raw_authenticated_bucket_gone
    `),
  },
  {
    title: 'Forms with signature version 2',
    why: 'These forms are signed with signature version 2, which is refused. Forms with version 4 are accepted.',
    tests: split(`
      test_post_object_authenticated_request test_post_object_case_insensitive_condition_fields
      test_post_object_escaped_field_values test_post_object_expired_policy test_post_object_ignored_header test_post_object_invalid_access_key
      test_post_object_invalid_request_field_value test_post_object_invalid_signature test_post_object_missing_policy_condition
      test_post_object_request_missing_policy_specified_field test_post_object_set_key_from_filename
      test_post_object_tags_authenticated_request test_post_object_upload_checksum test_post_object_upload_larger_than_chunk
      test_post_object_upload_size_rgw_chunk_size_bug test_post_object_user_specified_header test_post_object_wrong_bucket
      test_post_object_authenticated_request_bad_access_key test_post_object_authenticated_no_content_type
      test_post_object_success_redirect_action
    `),
  },
  {
    title: 'Requests and answers that boto3 changes',
    why: 'boto3 adds headers that a test removed, sends keys as UTF-8, reads headers as Latin-1, and does not decode the prefix of an encoded list. svc never gets the request that the test means, or its answer is read differently.',
    tests: split(`
      test_bucket_create_bad_authorization_empty test_bucket_create_bad_authorization_none test_bucket_list_prefix_unreadable
      test_object_create_bad_authorization_empty test_object_create_bad_authorization_none
      test_object_create_bad_contentlength_none test_object_read_unreadable test_object_set_get_unicode_metadata
    `),
  },
  {
    title: 'Part numbers beyond the last part',
    why: 'GetObject answers InvalidPartNumber (416), as Amazon S3. The suite expects InvalidPart (400).',
    tests: split(`
      test_multipart_get_part test_multipart_single_get_part test_non_multipart_get_part
    `),
  },
  {
    title: 'Checksums of a wrong length',
    why: 'They are refused with InvalidRequest, as in Amazon S3. The suite expects BadDigest.',
    tests: split(`
      test_multipart_checksum_sha256 test_object_checksum_crc64nvme test_object_checksum_sha256
    `),
  },
  {
    title: 'Presigned URLs with an impossible lifetime',
    why: 'An `X-Amz-Expires` below 0 or above 604800 is refused with AuthorizationQueryParametersError (400). The suite expects 403.',
    tests: split(`
      test_object_raw_put_authenticated_expired
      test_object_raw_get_x_amz_expires_out_max_range test_object_raw_get_x_amz_expires_out_positive_range
    `),
  },
  {
    title: 'Creation of an own bucket with another list',
    why: 'CreateBucket answers BucketAlreadyOwnedByYou, as Amazon S3 outside us-east-1; in us-east-1, Amazon S3 would replace the list. The suite expects BucketAlreadyExists, which means a bucket of another owner.',
    tests: split(`
      test_bucket_recreate_new_acl test_bucket_recreate_overwrite_acl
    `),
  },
  {
    title: 'Grants to email addresses',
    why: 'Users have no email addresses, so none can be resolved. They are named by their access key.',
    tests: split(`
      test_bucket_acl_grant_email
    `),
  },
  {
    title: 'Lists of buckets without credentials',
    why: 'ListBuckets answers AccessDenied. The suite expects an empty list.',
    tests: split(`
      test_list_buckets_anonymous
    `),
  },
  {
    title: 'A part that is listed twice',
    why: 'CompleteMultipartUpload answers InvalidPartOrder, as Amazon S3. The suite expects success.',
    tests: split(`
      test_multipart_resend_first_finishes_last
    `),
  },
  {
    title: 'More tags than allowed',
    why: 'They are refused with BadRequest, as in Amazon S3. The suite expects InvalidTag.',
    tests: split(`
      test_put_excess_tags
    `),
  },
  {
    title: 'Filters of lifecycle rules with And beside other elements',
    why: 'PutBucketLifecycleConfiguration answers MalformedXML, as Amazon S3: it does not say which of the elements count.',
    tests: split(`
      test_lifecycle_expiration_tags2 test_lifecycle_expiration_versioned_tags2
    `),
  },
  {
    title: 'Keys without any version',
    why: 'The delete marker has expired, and HeadObject answers 404 without `x-amz-delete-marker`, as Amazon S3. The suite expects the header with the value false.',
    tests: split(`
      test_delete_marker_expiration
    `),
  },
  {
    title: 'Torrents',
    why: 'GetObjectTorrent answers NotImplemented. The suite expects NoSuchKey.',
    tests: split(`
      test_get_object_torrent
    `),
  },
]

export const expectedFailures: ReadonlySet<string> = new Set(failureReasons.flatMap(({ tests }) => tests))
