import type { Client } from '../client.ts'
import { wholeRound } from '../steps.ts'
import { python } from './languages.ts'

export const boto3: Client = {
  name: 'boto3',
  program: { name: 'python3', versionArgs: ['-c', 'import boto3; print("boto3", boto3.__version__)'], version: /^boto3 \d/ },
  language: python,
  settings: `\
import os
from pathlib import Path
import boto3
from botocore.config import Config

s3 = boto3.client("s3", config=Config(signature_version="s3v4"))
photos = boto3.resource("s3").Bucket("photos")`,
  ...wholeRound({
    'make a bucket': 's3.create_bucket(Bucket="photos")',
    'upload a small file': 's3.upload_file("small.bin", "photos", "small.bin")',
    'upload a large file': 's3.put_object(Bucket="photos", Key="large.bin", Body=open("large.bin", "rb"))',
    'upload in parts': 's3.upload_file("parts.bin", "photos", "parts.bin")',
    list: 'print([object.key for object in photos.objects.all()])',
    'upload a folder': `\
for path in Path("files").rglob("*"):
    if path.is_file():
        s3.upload_file(path, "photos", path.as_posix())`,
    'download a folder': `\
for object in photos.objects.filter(Prefix="files/"):
    path = Path("back") / object.key.removeprefix("files/")
    path.parent.mkdir(parents=True, exist_ok=True)
    s3.download_file("photos", object.key, path)`,
    'read a range': `\
part = s3.get_object(Bucket="photos", Key="large.bin", Range="bytes=100-299")
Path("range.bin").write_bytes(part["Body"].read())`,
    'copy on the server': 's3.copy({"Bucket": "photos", "Key": "parts.bin"}, "photos", "copy.bin")',
    'move on the server': `\
s3.copy({"Bucket": "photos", "Key": "copy.bin"}, "photos", "moved.bin")
s3.delete_object(Bucket="photos", Key="copy.bin")`,
    'link for a download': 'print(s3.generate_presigned_url("get_object", {"Bucket": "photos", "Key": "small.bin"}))',
    'link for an upload': 'print(s3.generate_presigned_url("put_object", {"Bucket": "photos", "Key": "linked.bin"}))',
    'delete many objects': 'photos.objects.filter(Prefix="files/").delete()',
    'list versions': 'for version in photos.object_versions.filter(Prefix="small"):\n    print(version.object_key, version.id)',
    'remove the bucket': 'photos.object_versions.delete()\nphotos.delete()',
  }),
}
