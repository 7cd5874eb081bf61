import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { notOffered, wholeRound } from './steps.ts'

export const s3cmd: Client = {
  name: 's3cmd',
  program: { name: 's3cmd', versionArgs: ['--version'], version: /^s3cmd version/ },
  language: shell,
  settings: `\
cat > ~/.s3cfg <<END
[default]
host_base = \${AWS_ENDPOINT_URL#*://}
host_bucket = \${AWS_ENDPOINT_URL#*://}
use_https = False
END`,
  ...wholeRound({
    'make a bucket': 's3cmd mb s3://photos',
    'upload a small file': 's3cmd put small.bin s3://photos/',
    'upload a large file': 's3cmd put --disable-multipart large.bin s3://photos/',
    'upload in parts': 's3cmd put parts.bin s3://photos/',
    list: 's3cmd ls s3://photos/',
    'upload a folder': 's3cmd sync files/ s3://photos/files/',
    'download a folder': 'mkdir back\ns3cmd sync s3://photos/files/ back/',
    'read a range': notOffered('reads whole objects'),
    'copy on the server': 's3cmd cp s3://photos/parts.bin s3://photos/copy.bin',
    'move on the server': 's3cmd mv s3://photos/copy.bin s3://photos/moved.bin',
    'link for a download': notOffered('signs links with signature version 2 only'),
    'link for an upload': notOffered('signs links with signature version 2 only'),
    'delete many objects': 's3cmd del --recursive s3://photos/files/',
    'list versions': notOffered('shows only the newest versions'),
    'remove the bucket': notOffered('deletes no versions, and a bucket that has versions cannot be removed'),
  }),
}
