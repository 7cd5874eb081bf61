import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { notOffered, wholeRound } from './steps.ts'

export const rclone: Client = {
  name: 'rclone',
  program: { name: 'rclone', versionArgs: ['version'], version: /^rclone v/ },
  language: shell,
  settings: `\
mkdir -p ~/.config/rclone
cat > ~/.config/rclone/rclone.conf <<END
[svc]
type = s3
provider = Other
env_auth = true
endpoint = $AWS_ENDPOINT_URL
region = $AWS_REGION
END`,
  // It splits files above 200 MiB.
  partsMiB: 205,
  ...wholeRound({
    'make a bucket': 'rclone mkdir svc:photos',
    'upload a small file': 'rclone copy small.bin svc:photos',
    'upload a large file': 'rclone copy large.bin svc:photos',
    'upload in parts': 'rclone copy parts.bin svc:photos',
    list: 'rclone ls svc:photos',
    'upload a folder': 'rclone sync files svc:photos/files',
    'download a folder': 'rclone sync svc:photos/files back',
    'read a range': 'rclone cat --offset 100 --count 200 svc:photos/large.bin > range.bin',
    'copy on the server': 'rclone copyto svc:photos/parts.bin svc:photos/copy.bin',
    'move on the server': 'rclone moveto svc:photos/copy.bin svc:photos/moved.bin',
    'link for a download': 'rclone link --expire 1h svc:photos/small.bin',
    'link for an upload': notOffered('links only downloads'),
    'delete many objects': 'rclone delete svc:photos/files',
    'list versions': 'rclone lsf --s3-versions --include "small*" svc:photos',
    'remove the bucket': 'rclone delete svc:photos\nrclone backend cleanup-hidden svc:photos\nrclone rmdir svc:photos',
  }),
}
