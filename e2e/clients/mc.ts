import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { notOffered, wholeRound } from './steps.ts'

/** The client of MinIO; Midnight Commander has the same name. */
export const mc: Client = {
  name: 'mc',
  program: { name: 'mc', versionArgs: ['--version'], version: /^mc version/ },
  language: shell,
  settings: 'mc alias set svc "$AWS_ENDPOINT_URL" "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY"',
  ...wholeRound({
    'make a bucket': 'mc mb svc/photos',
    'upload a small file': 'mc cp small.bin svc/photos/',
    'upload a large file': 'mc put large.bin svc/photos/large.bin',
    'upload in parts': 'mc pipe svc/photos/parts.bin < parts.bin',
    list: 'mc ls svc/photos/',
    'upload a folder': 'mc mirror files svc/photos/files',
    'download a folder': 'mc mirror svc/photos/files back',
    'read a range': 'mc cat --offset 100 svc/photos/large.bin | head --bytes 200 > range.bin || true',
    'copy on the server': 'mc cp svc/photos/parts.bin svc/photos/copy.bin',
    'move on the server': 'mc mv svc/photos/copy.bin svc/photos/moved.bin',
    'link for a download': 'mc share download svc/photos/small.bin',
    'link for an upload': notOffered('shares uploads as browser forms'),
    'delete many objects': 'mc rm --recursive --force svc/photos/files/',
    'list versions': 'mc ls --versions svc/photos/small.bin',
    'remove the bucket': 'mc rb --force svc/photos',
  }),
}
