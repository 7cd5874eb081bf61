/** Configuration of S3 clients for one user. */

interface S3Place {
  readonly endpoint: string
  readonly region: string
}

interface Listener {
  /** Port or address such as `:8080` or `127.0.0.1:8080`. */
  readonly listens_on: string
  readonly tls: boolean
  readonly region: string
}

const everyInterface: readonly string[] = ['', '0.0.0.0', '[::]', '::']

/** Where clients find the S3 API. A listener on every interface is reached by the name that the browser uses. */
export function placeOf({ listens_on: port, tls, region }: Listener, hostname: string): S3Place {
  const colon = port.lastIndexOf(':')
  const host = port.slice(0, Math.max(colon, 0))
  const name = everyInterface.includes(host) ? hostname : host
  return { endpoint: `${tls ? 'https' : 'http'}://${name}:${port.slice(colon + 1)}`, region }
}

interface Snippet {
  readonly id: string
  readonly label: string
  /** Where the text belongs. */
  readonly place: string
  readonly text: string
}

interface Keys {
  readonly access_key: string
  readonly secret_key: string
}

/** Keys are base64url: they need no quotes in a shell or a file. */
export function writeSnippets({ access_key, secret_key }: Keys, { endpoint, region }: S3Place): readonly Snippet[] {
  return [
    {
      id: 'aws',
      label: 'aws-cli',
      place: 'In a terminal',
      text: [
        `export AWS_ACCESS_KEY_ID=${access_key}`,
        `export AWS_SECRET_ACCESS_KEY=${secret_key}`,
        `export AWS_ENDPOINT_URL=${endpoint}`,
        `export AWS_REGION=${region}`,
        'aws s3 ls',
      ].join('\n'),
    },
    {
      id: 'rclone',
      label: 'rclone',
      place: 'In ~/.config/rclone/rclone.conf',
      text: [
        '[svc]',
        'type = s3',
        'provider = Other',
        `access_key_id = ${access_key}`,
        `secret_access_key = ${secret_key}`,
        `endpoint = ${endpoint}`,
        `region = ${region}`,
      ].join('\n'),
    },
    {
      id: 'mc',
      label: 'mc',
      place: 'In a terminal',
      text: [`mc alias set svc ${endpoint} ${access_key} ${secret_key} --api S3v4 --path on`, 'mc ls svc'].join('\n'),
    },
  ]
}
