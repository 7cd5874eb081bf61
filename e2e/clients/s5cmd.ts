import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { notOffered, wholeRound } from './steps.ts'

export const s5cmd: Client = {
  name: 's5cmd',
  program: { name: 's5cmd', versionArgs: ['version'], version: /^v/ },
  language: shell,
  settings: 'export S3_ENDPOINT_URL=$AWS_ENDPOINT_URL',
  // Its parts have 50 MiB.
  partsMiB: 60,
  ...wholeRound({
    'make a bucket': 's5cmd mb s3://photos',
    'upload a small file': 's5cmd cp small.bin s3://photos/',
    'upload a large file': 's5cmd cp large.bin s3://photos/',
    'upload in parts': 's5cmd cp parts.bin s3://photos/',
    list: "s5cmd ls 's3://photos/*'",
    'upload a folder': 's5cmd sync files/ s3://photos/files/',
    'download a folder': "s5cmd sync 's3://photos/files/*' back/",
    'read a range': notOffered('reads whole objects'),
    'copy on the server': 's5cmd cp s3://photos/parts.bin s3://photos/copy.bin',
    'move on the server': 's5cmd mv s3://photos/copy.bin s3://photos/moved.bin',
    'link for a download': 's5cmd presign s3://photos/small.bin',
    'link for an upload': notOffered('presigns only downloads'),
    'delete many objects': "s5cmd rm 's3://photos/files/*'",
    'list versions': "s5cmd ls --all-versions 's3://photos/small*'",
    'remove the bucket': "s5cmd rm --all-versions 's3://photos/*'\ns5cmd rb s3://photos",
  }),
}
