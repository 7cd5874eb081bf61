import { join } from 'node:path'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { bucket, type Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { digestsIn, folder, listKeys, requireEqual, requireObject } from './round-files.ts'
import { makeBucket } from './steps.ts'

export const s3fs: Client = {
  name: 's3fs',
  program: { name: 's3fs', versionArgs: ['--version'], version: /Simple Storage Service File System/ },
  needsAnySize: 'it stores a folder as an object of 0 bytes',
  language: shell,
  settings: 'export AWSACCESSKEYID=$AWS_ACCESS_KEY_ID AWSSECRETACCESSKEY=$AWS_SECRET_ACCESS_KEY',
  steps: [
    {
      name: 'mount',
      commands: 'mkdir mnt\ns3fs photos mnt -o url=$AWS_ENDPOINT_URL -o use_path_request_style',
      before: makeBucket,
      check: async ({ dir }) => requireEqual('the files', [...digestsIn(join(dir, 'mnt'))], []),
    },
    {
      name: 'make a folder',
      commands: 'mkdir mnt/album',
      check: ({ s3 }) => s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'album/' })),
    },
    { name: 'upload a small file', commands: 'cp small.bin mnt/', check: (round) => requireObject(round, 'small.bin') },
    { name: 'upload in parts', commands: 'cp parts.bin mnt/', check: (round) => requireObject(round, 'parts.bin') },
    {
      name: 'upload a folder',
      commands: 'cp -r files mnt/',
      check: async (round) =>
        requireEqual('the folder', withoutFolders(await listKeys(round, 'files/')), digestsIn(join(round.dir, folder))),
    },
    {
      name: 'download a folder',
      commands: 'cp -r mnt/files back',
      check: async ({ dir }) => requireEqual('the folder', digestsIn(join(dir, 'back')), digestsIn(join(dir, folder))),
    },
    {
      name: 'move',
      commands: 'mv mnt/parts.bin mnt/album/moved.bin',
      check: (round) => requireObject(round, 'album/moved.bin', 'parts.bin'),
    },
    {
      name: 'delete a folder',
      commands: 'rm -r mnt/files',
      check: async (round) => requireEqual('the folder', [...(await listKeys(round, 'files/'))], []),
    },
    {
      name: 'unmount',
      commands: 'fusermount -u mnt',
      check: async ({ dir }) => requireEqual('the files', [...digestsIn(join(dir, 'mnt'))], []),
    },
  ],
  cleanup: 'fusermount -u mnt || true',
}

const withoutFolders = (keys: ReadonlyMap<string, string>) => new Map([...keys].filter(([key]) => key !== '' && !key.endsWith('/')))
