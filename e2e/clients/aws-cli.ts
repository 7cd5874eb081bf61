import type { Client } from './client.ts'
import { shell } from './languages/languages.ts'
import { notOffered, wholeRound } from './steps.ts'

const awsCli = (major: 1 | 2, settings: string): Client => ({
  name: `aws-cli-${major}`,
  program: { name: 'aws', versionArgs: ['--version'], version: new RegExp(`^aws-cli/${major}\\.`) },
  language: shell,
  settings,
  ...wholeRound({
    'make a bucket': 'aws s3 mb s3://photos',
    'upload a small file': 'aws s3 cp small.bin s3://photos/',
    'upload a large file': 'aws s3api put-object --bucket photos --key large.bin --body large.bin',
    'upload in parts': 'aws s3 cp parts.bin s3://photos/',
    list: 'aws s3 ls s3://photos/',
    'upload a folder': 'aws s3 sync files s3://photos/files',
    'download a folder': 'aws s3 sync s3://photos/files back',
    'read a range': 'aws s3api get-object --bucket photos --key large.bin --range bytes=100-299 range.bin',
    'copy on the server': 'aws s3 cp s3://photos/parts.bin s3://photos/copy.bin',
    'move on the server': 'aws s3 mv s3://photos/copy.bin s3://photos/moved.bin',
    'link for a download': 'aws s3 presign s3://photos/small.bin',
    'link for an upload': notOffered('presigns only downloads'),
    'delete many objects': 'aws s3 rm --recursive s3://photos/files/',
    'list versions': 'aws s3api list-object-versions --bucket photos --prefix small --query Versions[].[Key,VersionId] --output text',
    'remove the bucket': `\
# s3 rb --force deletes no older versions: delete all versions, 500 at a time, then the bucket.
while versions=$(aws s3api list-object-versions --bucket photos --max-items 500 --output json \\
    --query '{Quiet: \`true\`, Objects: [Versions, DeleteMarkers][][].{Key: Key, VersionId: VersionId}}') &&
    echo "$versions" | grep -q VersionId; do
  aws s3api delete-objects --bucket photos --delete "$versions"
done
aws s3 rb s3://photos`,
  }),
})

/** Version 1 presigns with signature version 2 in us-east-1 unless told. */
export const awsCli1 = awsCli(1, 'aws configure set default.s3.signature_version s3v4')

/** Before 2.13 it ignores AWS_ENDPOINT_URL. */
export const awsCli2 = awsCli(2, 'aws() { command aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }')
