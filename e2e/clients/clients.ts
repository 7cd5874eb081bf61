/**
 * @recipe an S3 client
 * Write a driver in `e2e/clients/`, listed in `clients.ts`: its settings, and its commands for the steps of `steps.ts` or for steps of its
 * own. Add its place to `docs/guide/s3-clients.md`; `npm run docs` writes the commands there.
 */
/** All clients with a driver, in the order of the guide. */
import { awsCli1, awsCli2 } from './aws-cli.ts'
import type { Client } from './client.ts'
import { duplicity } from './duplicity.ts'
import { boto3HostNames, jsSdkHostNames } from './host-names.ts'
import { boto3 } from './languages/boto3.ts'
import { goSdk } from './languages/go-sdk.ts'
import { javaSdk } from './languages/java-sdk.ts'
import { jsSdk } from './languages/js-sdk.ts'
import { minioJs } from './languages/minio-js.ts'
import { litestream } from './litestream.ts'
import { mc } from './mc.ts'
import { rclone } from './rclone.ts'
import { restic } from './restic.ts'
import { s3cmd } from './s3cmd.ts'
import { s3fs } from './s3fs.ts'
import { s5cmd } from './s5cmd.ts'
import { terraform } from './terraform.ts'

export const clients: readonly Client[] = [
  awsCli1,
  awsCli2,
  s3cmd,
  s5cmd,
  mc,
  rclone,
  restic,
  duplicity,
  litestream,
  s3fs,
  boto3,
  boto3HostNames,
  jsSdk,
  jsSdkHostNames,
  minioJs,
  goSdk,
  javaSdk,
  terraform,
]
