/** One client's whole round against a running gateway. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  type ObjectIdentifier,
  type S3Client,
} from '@aws-sdk/client-s3'
import { connectS3, type S3User } from '../fixtures/s3-client.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { bucket, type Client, type Round } from './client.ts'
import { writeRoundFiles } from './round-files.ts'
import { programEnv, runProgram } from './run-program.ts'

const stepMs = 300_000
const partsMiBDefault = 20

export interface GatewayUnderTest {
  readonly s3Url: string
  readonly user: S3User
  /** Whether it accepts objects below 127 bytes. */
  readonly isAnySize: boolean
}

interface RoundReport {
  readonly passed: readonly string[]
  /** Failure of the step at which the round ended. */
  readonly failure?: string
}

/** Ends at the first step that fails. */
export async function runRound(client: Client, programDir: string, gateway: GatewayUnderTest): Promise<RoundReport> {
  using temporary = temporaryDirectory()
  const s3 = connectS3(gateway.s3Url, gateway.user)
  const dir = join(temporary.path, 'round')
  mkdirSync(dir)
  const round: Round = { s3, dir, programDir }
  const run = (command: readonly string[]) =>
    runProgram(command, { cwd: dir, env: { ...envOf(round, gateway), ...client.env }, timeoutMs: stepMs })
  const passed: string[] = []
  let at = 'prepare'
  try {
    await removeBucket(s3)
    writeRoundFiles(dir, { isAnySize: gateway.isAnySize, partsMiB: client.partsMiB ?? partsMiBDefault })
    await client.language.prepare?.(client, round)
    for (const step of client.steps) {
      at = step.name
      await step.before?.(round)
      await step.check(round, await run(client.language.command(client, step)))
      passed.push(step.name)
    }
    return { passed }
  } catch (error) {
    return { passed, failure: `${at}: ${(error as Error).message}` }
  } finally {
    if (client.cleanup !== undefined) await run(['bash', '-c', client.cleanup])
    s3.destroy()
  }
}

/** The variables at the top of the guide. */
const envOf = (round: Round, { s3Url, user }: GatewayUnderTest) => ({
  ...programEnv(round),
  // A name, because some clients choose the path style for addresses.
  AWS_ENDPOINT_URL: s3Url.replace('127.0.0.1', 'localhost'),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: user.access_key,
  AWS_SECRET_ACCESS_KEY: user.secret_key,
})

/** A failed round leaves its bucket. */
async function removeBucket(s3: S3Client): Promise<void> {
  try {
    for (;;) {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      if (Uploads.length === 0) break
      for (const { Key, UploadId } of Uploads) await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
    }
    for (;;) {
      const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }))
      const Objects: ObjectIdentifier[] = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }))
      if (Objects.length === 0) break
      await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }))
    }
    await s3.send(new DeleteBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if ((error as Error).name !== 'NoSuchBucket') throw error
  }
}
