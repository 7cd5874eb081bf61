/** The text that `svc dev` prints once the gateway is ready. */
import type { Objects } from '#plugins/storage'
import { shellWord } from '../shell-word.ts'
import type { DevGateway, S3Credentials } from './dev-gateway.ts'
import type { DevnetReady } from './devnet-process.ts'

interface Welcome {
  readonly adminUrl: string
  readonly s3Url: string
  readonly region: string
  readonly gateway: DevGateway
  readonly s3: S3Credentials
  readonly devnet: DevnetReady
  readonly sizes: Pick<Objects, 'sizeBytesMin' | 'sizeBytesMax'>
  readonly logPath: string
  /** Starts this program from any directory. */
  readonly svc: string
}

export function renderWelcome({ adminUrl, s3Url, region, gateway, s3, devnet, sizes, logPath, svc }: Welcome): string {
  return `
svc is ready, with a local chain and ${devnet.providers.length} storage providers on this machine. Ctrl-C stops it; svc dev starts it again.

  Dashboard  ${adminUrl}/   user ${gateway.username}   password ${gateway.password}
  Admin API  ${adminUrl}/api/v1
  S3 API     ${s3Url}   region ${region}
  Config     ${shellWord(gateway.configPath)}
  Log        ${shellWord(logPath)}
  Objects    ${grouped(sizes.sizeBytesMin)} to ${grouped(sizes.sizeBytesMax)} bytes each

Try it from another terminal:

  export AWS_ACCESS_KEY_ID=${s3.access_key}
  export AWS_SECRET_ACCESS_KEY=${s3.secret_key}

  aws --endpoint-url ${s3Url} --region ${region} s3 mb s3://with-aws
  rclone copy README.md :s3:with-rclone --s3-env-auth --s3-provider Other --s3-endpoint ${s3Url} --s3-region ${region}
  curl -X PUT --aws-sigv4 aws:amz:${region}:s3 --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' ${s3Url}/with-curl

Administer it:

  export SVC_CONFIG=${shellWord(gateway.configPath)}
  ${svc} admin status
  ${svc} admin task list
  ${svc} admin --help
`
}

const grouped = (count: number): string => count.toLocaleString('en-US')
