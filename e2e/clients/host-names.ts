/** Clients that put the bucket in the host name (`photos.localhost`) instead of the path. */
import './local-names/resolve-local-names.js'
import { fileURLToPath } from 'node:url'
import { bucket, type Client } from './client.ts'
import { boto3 } from './languages/boto3.ts'
import { jsSdk } from './languages/js-sdk.ts'
import { prints } from './steps.ts'

/** The gateway needs it for these clients. */
export const hostNameSettings = { 's3.virtual_host_domains': ['localhost'] } as const

const localNames = fileURLToPath(new URL('./local-names', import.meta.url))

const inHostName = (client: Client, settings: string): Client => ({
  ...client,
  name: `${client.name}-host-names`,
  settings,
  isVariant: true,
  env: { PYTHONPATH: localNames, PYTHONDONTWRITEBYTECODE: '1', NODE_OPTIONS: `--import=${localNames}/resolve-local-names.js` },
  steps: client.steps.map((step) => {
    if (step.name !== 'link for a download') return step
    const check: typeof step.check = async (round, output) => {
      await prints(new RegExp(`//${bucket}\\.localhost:`))(round, output)
      await step.check(round, output)
    }
    return { ...step, check }
  }),
})

export const boto3HostNames = inHostName(
  boto3,
  `\
import os
from pathlib import Path
import boto3
from botocore.config import Config

config = Config(signature_version="s3v4", s3={"addressing_style": "virtual"})
s3 = boto3.client("s3", config=config)
photos = boto3.resource("s3", config=config).Bucket("photos")`,
)

export const jsSdkHostNames = inHostName(jsSdk, jsSdk.settings.replace('{ forcePathStyle: true }', '{}'))
