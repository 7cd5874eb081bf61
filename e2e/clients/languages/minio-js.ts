import type { Client } from '../client.ts'
import { wholeRound } from '../steps.ts'
import { javascript, nodeWith } from './languages.ts'

export const minioJs: Client = {
  name: 'minio-js',
  program: nodeWith('minio'),
  language: javascript('minio'),
  // Its parts have 64 MiB.
  partsMiB: 70,
  settings: `\
import { createWriteStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import * as Minio from 'minio'

const { protocol, hostname, port } = new URL(process.env.AWS_ENDPOINT_URL)
const minio = new Minio.Client({
  endPoint: hostname,
  port: Number(port || (protocol === 'https:' ? 443 : 80)),
  useSSL: protocol === 'https:',
  region: process.env.AWS_REGION,
  accessKey: process.env.AWS_ACCESS_KEY_ID,
  secretKey: process.env.AWS_SECRET_ACCESS_KEY,
})`,
  ...wholeRound({
    'make a bucket': "await minio.makeBucket('photos')",
    'upload a small file': "await minio.fPutObject('photos', 'small.bin', 'small.bin')",
    'upload a large file': "await minio.fPutObject('photos', 'large.bin', 'large.bin')",
    'upload in parts': "await minio.fPutObject('photos', 'parts.bin', 'parts.bin')",
    list: "for await (const { name } of minio.listObjectsV2('photos')) console.log(name)",
    'upload a folder': `\
for (const name of await readdir('files', { recursive: true })) {
  const path = \`files/\${name}\`
  if ((await stat(path)).isFile()) await minio.fPutObject('photos', path, path)
}`,
    'download a folder': `\
for await (const { name } of minio.listObjectsV2('photos', 'files/', true)) {
  await minio.fGetObject('photos', name, name.replace('files/', 'back/'))
}`,
    'read a range': "await pipeline(await minio.getPartialObject('photos', 'large.bin', 100, 200), createWriteStream('range.bin'))",
    'copy on the server': "await minio.copyObject('photos', 'copy.bin', '/photos/parts.bin')",
    'move on the server': `\
await minio.copyObject('photos', 'moved.bin', '/photos/copy.bin')
await minio.removeObject('photos', 'copy.bin')`,
    'link for a download': "console.log(await minio.presignedGetObject('photos', 'small.bin'))",
    'link for an upload': "console.log(await minio.presignedPutObject('photos', 'linked.bin'))",
    'delete many objects': `\
const names = []
for await (const { name } of minio.listObjectsV2('photos', 'files/', true)) names.push(name)
await minio.removeObjects('photos', names)`,
    'list versions': `\
for await (const { name, versionId } of minio.listObjects('photos', 'small', true, { IncludeVersion: true })) console.log(name, versionId)`,
    'remove the bucket': `\
const versions = []
for await (const { name, versionId } of minio.listObjects('photos', '', true, { IncludeVersion: true })) versions.push({ name, versionId })
await minio.removeObjects('photos', versions)
await minio.removeBucket('photos')`,
  }),
}
