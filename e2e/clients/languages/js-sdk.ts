import type { Client } from '../client.ts'
import { wholeRound } from '../steps.ts'
import { javascript, nodeWith } from './languages.ts'

export const jsSdk: Client = {
  name: 'js-sdk',
  program: nodeWith('@aws-sdk/client-s3'),
  language: javascript('@aws-sdk/client-s3'),
  settings: `\
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as aws from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

const Bucket = 'photos'
const s3 = new aws.S3Client({ forcePathStyle: true })
const upload = (Key) => new Upload({ client: s3, params: { Bucket, Key, Body: createReadStream(Key) } }).done()
const download = async (input, path) => pipeline((await s3.send(new aws.GetObjectCommand({ Bucket, ...input }))).Body, createWriteStream(path))`,
  ...wholeRound({
    'make a bucket': 'await s3.send(new aws.CreateBucketCommand({ Bucket }))',
    'upload a small file': "await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'small.bin', Body: createReadStream('small.bin') }))",
    'upload a large file': "await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'large.bin', Body: createReadStream('large.bin') }))",
    'upload in parts': "await upload('parts.bin')",
    list: 'for (const { Key } of (await s3.send(new aws.ListObjectsV2Command({ Bucket }))).Contents) console.log(Key)',
    'upload a folder': `\
for (const name of await readdir('files', { recursive: true })) {
  if ((await stat(\`files/\${name}\`)).isFile()) await upload(\`files/\${name}\`)
}`,
    'download a folder': `\
for await (const { Contents } of aws.paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'files/' })) {
  for (const { Key } of Contents) {
    const path = Key.replace('files/', 'back/')
    await mkdir(dirname(path), { recursive: true })
    await download({ Key }, path)
  }
}`,
    'read a range': "await download({ Key: 'large.bin', Range: 'bytes=100-299' }, 'range.bin')",
    'copy on the server': "await s3.send(new aws.CopyObjectCommand({ Bucket, Key: 'copy.bin', CopySource: 'photos/parts.bin' }))",
    'move on the server': `\
await s3.send(new aws.CopyObjectCommand({ Bucket, Key: 'moved.bin', CopySource: 'photos/copy.bin' }))
await s3.send(new aws.DeleteObjectCommand({ Bucket, Key: 'copy.bin' }))`,
    'link for a download': "console.log(await getSignedUrl(s3, new aws.GetObjectCommand({ Bucket, Key: 'small.bin' })))",
    'link for an upload': "console.log(await getSignedUrl(s3, new aws.PutObjectCommand({ Bucket, Key: 'linked.bin' })))",
    'delete many objects': `\
for await (const { Contents } of aws.paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: 'files/' })) {
  await s3.send(new aws.DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })) } }))
}`,
    'list versions': `\
const { Versions } = await s3.send(new aws.ListObjectVersionsCommand({ Bucket, Prefix: 'small' }))
for (const { Key, VersionId } of Versions) console.log(Key, VersionId)`,
    'remove the bucket': `\
for (;;) {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new aws.ListObjectVersionsCommand({ Bucket }))
  const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
  if (Objects.length === 0) break
  await s3.send(new aws.DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
}
await s3.send(new aws.DeleteBucketCommand({ Bucket }))`,
  }),
}
