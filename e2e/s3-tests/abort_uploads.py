"""Plugin of pytest: aborts the open uploads of a bucket before the suite deletes it, which svc refuses until then."""
import s3tests.functional as suite

delete_contents_and_bucket = suite.nuke_bucket


def abort_uploads_first(client, bucket):
    for page in client.get_paginator('list_multipart_uploads').paginate(Bucket=bucket):
        for upload in page.get('Uploads', []):
            client.abort_multipart_upload(Bucket=bucket, Key=upload['Key'], UploadId=upload['UploadId'])
    delete_contents_and_bucket(client, bucket)


suite.nuke_bucket = abort_uploads_first
